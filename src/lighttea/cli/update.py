"""`lighttea update`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lighttea.cli.align import make_outcome, refuse_missing_truth, tell_of_run
from lighttea.cli.command_line import current_command
from lighttea.cli.console import say
from lighttea.cli.graphs import read_side
from lighttea.cli.inputs import AlignInputs, EngineInputs
from lighttea.cli.json_output import JsonTarget, refuse_unwritable
from lighttea.cli.options import (
    ConfigOptions,
    EngineOptions,
    given,
    limit_table_threads,
    options_class,
)
from lighttea.cli.output import command
from lighttea.cli.progress import costs_of_files, shown_progress
from lighttea.cli.streams import reading_stdin
from lighttea.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from lighttea.progress import Progress
    from lighttea.results.run import Run

    class UpdateOptions:
        """The fields of AlignInputs that an update has too, None where one was not given."""

else:
    UpdateOptions = options_class(
        AlignInputs,
        leave_out=(
            *("left", "right", "out", "seeds", "preset", "resume"),
            *("types", "left_types", "right_types"),
        ),
    )


# what an option for one of two graphs is called for one of several
_OF_SEVERAL = {
    **dict.fromkeys(("left", "right"), "add"),
    **dict.fromkeys(("remove_left", "remove_right"), "remove"),
    **dict.fromkeys(("replace_left", "replace_right"), "replace"),
}


@dataclass(frozen=True, kw_only=True)
class ChangeOptions:
    """The files with what the graphs gained and lost."""

    left: Annotated[
        Path | None, Parameter(help="Facts that came into the left graph; - reads stdin.")
    ] = None
    right: Annotated[Path | None, Parameter(help="Facts that came into the right graph.")] = None
    remove_left: Annotated[
        Path | None, Parameter(help="Facts that were withdrawn from the left graph.")
    ] = None
    remove_right: Annotated[
        Path | None, Parameter(help="Facts that were withdrawn from the right graph.")
    ] = None
    replace_left: Annotated[
        Path | None, Parameter(help="A whole new version of the left graph.")
    ] = None
    replace_right: Annotated[
        Path | None, Parameter(help="A whole new version of the right graph.")
    ] = None

    add: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            help="Of a run of several graphs: NAME=FILE, facts that came into one of them; once "
            "for each graph.",
        ),
    ] = None
    remove: Annotated[
        list[str] | None,
        Parameter(negative="", help="NAME=FILE: facts that were withdrawn from one of several."),
    ] = None
    replace: Annotated[
        list[str] | None,
        Parameter(negative="", help="NAME=FILE: a whole new version of one of several."),
    ] = None

    def files(self) -> list[tuple[str, Path | None]]:
        """Return each option of two graphs with its file."""
        return [(f"--{name.replace('_', '-')}", getattr(self, name)) for name in _OF_SEVERAL]

    def refuse_misfits(self, folder: Path, *, of_several: bool) -> None:
        """Raise an error where an option goes with runs of the other kind."""
        for of_two, several in _OF_SEVERAL.items():
            two = f"--{of_two.replace('_', '-')}"
            if of_several and getattr(self, of_two):
                raise InputError(
                    f"{folder}: a run of several graphs; use --{several} NAME=FILE instead of {two}"
                )
            if not of_several and getattr(self, several):
                raise InputError(
                    f"{folder}: a run of two graphs; use {two}, or the same of the other side, "
                    f"instead of --{several}"
                )


@command
def update(
    run: Path,
    *,
    out: Path,
    changes: Annotated[ChangeOptions | None, Parameter(name="*")] = None,
    json: JsonTarget = None,
    inputs: Annotated[UpdateOptions | None, Parameter(name="*")] = None,
    engine: Annotated[EngineOptions | None, Parameter(name="*")] = None,
    options: Annotated[ConfigOptions | None, Parameter(name="*")] = None,
) -> None:
    """Align again after graphs have changed: only what changed and its surroundings.

    Links of the run are evidence that can be overturned; seeds, constraints and the decisions of
    reviewers hold. Settings are those of the run unless given. changes.tsv says what became of
    each link, and which facts did it. Of several graphs, the pairs whose graphs changed are
    updated, and clusters keep their ids.

    Parameters
    ----------
    run
        Run folder of the last alignment.
    out
        Run folder to write.
    json
        Write the figures of the summary to this file, or to stdout with -.
    """
    from lighttea.cli.cluster_update import update_cluster_run
    from lighttea.results.cluster_store import is_cluster_run

    refuse_unwritable(json)
    settings = given(options)
    limit_table_threads(settings.get("threads", 0))
    chosen = AlignInputs(**given(inputs), out=out)
    where = EngineInputs(**given(engine))
    files = changes or ChangeOptions()
    refuse_missing_truth(chosen)
    of_several = is_cluster_run(run)
    files.refuse_misfits(run, of_several=of_several)
    if of_several:
        given_files = {name: getattr(files, name) or () for name in ("add", "remove", "replace")}
        update_cluster_run(run, chosen, given_files, {**vars(where), **settings}, json)
        return
    with reading_stdin(files.files()) as streams:
        own: dict[str, Any] = {
            name: streams.path(path) for name in _OF_SEVERAL if (path := getattr(files, name))
        }
        with shown_progress() as progress:
            words = {**vars(where), **settings}
            updated = _write(run, chosen, ChangeOptions(**own), words, progress)
            outcome = make_outcome(updated, chosen, progress)
        tell_of_run(updated, chosen, outcome, json)


def _write(
    folder: Path,
    inputs: AlignInputs,
    files: ChangeOptions,
    settings: dict[str, Any],
    progress: Progress,
) -> Run:
    """Read the run, its decisions and the changes; update; write."""
    from lighttea.results.place import run_folder
    from lighttea.results.store import load_run, write_run
    from lighttea.review.decisions import keep_reviews, read_reviews

    assert inputs.out is not None
    with run_folder(inputs.out, overwrite=inputs.overwrite) as unfinished:
        progress.expect(costs_of_files([path for _, path in files.files() if path], aligns=True))
        with progress.stage("load"):
            last = load_run(folder)
            graphs = {
                name: read_side(inputs, name.rpartition("_")[2], path)
                for name in _OF_SEVERAL
                if (path := getattr(files, name)) is not None
            }
            constraints = _constraints(folder, inputs)
        for graph in graphs.values():
            for note in graph.notes:
                progress.warn(f"{graph.source}: {note}")
        keywords: dict[str, Any] = {**graphs, **constraints, **settings}
        updated = last.update(progress=progress, **keywords)
        updated.info["command"] = current_command()
        with progress.stage("write"):
            write_run(updated, unfinished)
    reviews = read_reviews(folder)
    if reviews is not None and inputs.out.resolve() != folder.resolve():
        keep_reviews(inputs.out, reviews)
    return updated


def _constraints(folder: Path, inputs: AlignInputs) -> dict[str, pl.DataFrame]:
    """Return what reviewers decided on the last run, and what is demanded or forbidden beside."""
    import polars as pl

    from lighttea.io.tables import read_links

    tables = {name: [decided] for name, decided in decided_links(folder).items()}
    if tables:
        accepted, rejected = (len(decided) for (decided,) in tables.values())
        say(f"decisions: {accepted:,} accepted, {rejected:,} rejected pairs hold")
    for name in ("must_link", "cannot_link"):
        file: Path | None = getattr(inputs, name)
        if file is not None:
            tables.setdefault(name, []).append(read_links(file).select("left", "right"))
    return {name: pl.concat(own) for name, own in tables.items()}


def decided_links(folder: Path) -> dict[str, pl.DataFrame]:
    """Return the accepted and rejected pairs of a run, for must_link and cannot_link, if any."""
    from lighttea.review.decisions import Decisions, decisions_file
    from lighttea.review.restore import has_decisions

    path = decisions_file(folder)
    if not has_decisions(path):
        return {}
    return dict(zip(("must_link", "cannot_link"), Decisions(path).links(), strict=True))
