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

    def files(self) -> list[tuple[str, Path | None]]:
        """Return each option with its file."""
        return [(f"--{name.replace('_', '-')}", path) for name, path in vars(self).items()]


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
    each link, and which facts did it.

    Parameters
    ----------
    run
        Run folder of the last alignment.
    out
        Run folder to write.
    json
        Write the figures of the summary to this file, or to stdout with -.
    """
    refuse_unwritable(json)
    settings = given(options)
    limit_table_threads(settings.get("threads", 0))
    chosen = AlignInputs(**given(inputs), out=out)
    where = EngineInputs(**given(engine))
    files = changes or ChangeOptions()
    refuse_missing_truth(chosen)
    with reading_stdin(files.files()) as streams:
        own = {name: streams.path(path) for name, path in vars(files).items() if path}
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
    from lighttea.results.cluster_store import is_cluster_run
    from lighttea.results.place import run_folder
    from lighttea.results.store import load_run, write_run
    from lighttea.review.decisions import keep_reviews, read_reviews

    assert inputs.out is not None
    if is_cluster_run(folder):
        raise InputError(
            f"{folder}: a run of several graphs, which cannot be updated; align them again"
        )
    with run_folder(inputs.out, overwrite=inputs.overwrite) as unfinished:
        progress.expect(costs_of_files([path for _, path in files.files() if path], aligns=True))
        with progress.stage("load"):
            last = load_run(folder)
            graphs = {
                name: read_side(inputs, name.rpartition("_")[2], path)
                for name, path in vars(files).items()
                if path is not None
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
    from lighttea.review.decisions import Decisions, decisions_file
    from lighttea.review.restore import has_decisions

    path = decisions_file(folder)
    decided = Decisions(path).links() if has_decisions(path) else ()
    tables: dict[str, list[pl.DataFrame]] = {"must_link": [], "cannot_link": []}
    for name, links in zip(tables, decided, strict=False):
        tables[name].append(links)
    if decided:
        say(f"decisions: {len(decided[0]):,} accepted, {len(decided[1]):,} rejected pairs hold")
    for name, own in tables.items():
        file: Path | None = getattr(inputs, name)
        if file is not None:
            own.append(read_links(file).select("left", "right"))
    return {name: pl.concat(own) for name, own in tables.items() if own}
