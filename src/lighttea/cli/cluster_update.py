"""`lighttea update` of a run of several graphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lighttea.cli.clusters import make_cluster_outcome, tell_of_clusters, with_source
from lighttea.cli.command_line import current_command
from lighttea.cli.console import say
from lighttea.cli.graphs import read_side
from lighttea.cli.inputs import AlignInputs
from lighttea.cli.progress import costs_of_files, shown_progress
from lighttea.cli.streams import Inputs, reading_stdin
from lighttea.cli.update import decided_links
from lighttea.errors import ConfigError, InputError

if TYPE_CHECKING:
    import polars as pl

    from lighttea.graph.facts import Graph
    from lighttea.progress import Progress
    from lighttea.results.clusters import ClusterRun

_NEUTRAL = ("engine", "scheduler", "threads", "max_memory")
_KEYWORDS = {"add": "added", "remove": "removed", "replace": "replaced"}


def update_cluster_run(
    folder: Path,
    inputs: AlignInputs,
    files: Mapping[str, Sequence[str]],
    settings: Mapping[str, Any],
    json: str | None,
) -> None:
    """Read the run, its decisions and the changes; update, write, and say what came out."""
    _refuse_settings(settings)
    paths = [(f"--{option}", name, path) for option, name, path in _named_files(files)]
    with reading_stdin([(option, path) for option, _, path in paths]) as streams:
        with shown_progress() as progress:
            run = _write(folder, inputs, files, streams, dict(settings), progress)
            outcome = make_cluster_outcome(run, inputs, progress)
        tell_of_clusters(run, inputs, outcome, json)


def _refuse_settings(settings: Mapping[str, Any]) -> None:
    """Raise an error where settings would be others for the pairs that changed."""
    others = [name for name in settings if name not in _NEUTRAL]
    if others:
        raise ConfigError(
            f"`{others[0]}` cannot change in an update of several graphs: pairs that did not "
            "change would keep the old one; align the graphs again, with --previous RUN"
        )


def _named_files(files: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, Path]]:
    """Yield the option, the graph's name and the file of each change."""
    for option, words in files.items():
        names = set()
        for word in words:
            name, _, path = word.partition("=")
            if not name or not path:
                raise InputError(f"--{option} {word}: expected NAME=FILE, such as people=new.tsv")
            if name in names:
                raise InputError(f"--{option}: two files for {name}; give one of all its facts")
            names.add(name)
            yield option, name, Path(path)


def _write(
    folder: Path,
    inputs: AlignInputs,
    files: Mapping[str, Sequence[str]],
    streams: Inputs,
    settings: dict[str, Any],
    progress: Progress,
) -> ClusterRun:
    """Read, update and write; the decisions of reviewers go along."""
    from lighttea.results.cluster_store import load_clusters, write_clusters
    from lighttea.results.place import run_folder
    from lighttea.update.clusters import refuse_unknown_graph

    assert inputs.out is not None
    named = list(_named_files(files))
    with run_folder(inputs.out, overwrite=inputs.overwrite) as unfinished:
        progress.expect(costs_of_files([path for _, _, path in named], aligns=True))
        with progress.stage("load"):
            last = load_clusters(folder)
            changes: dict[str, dict[str, Any]] = {option: {} for option in _KEYWORDS.values()}
            for option, name, path in named:
                refuse_unknown_graph(last, name, f"--{option}")
                graph = read_side(inputs, "", streams.path(path))
                changes[_KEYWORDS[option]][name] = graph
                for note in graph.notes:
                    progress.warn(f"{graph.source}: {note}")
            constraints = _constraints(folder, last, inputs, changes)
        keywords: dict[str, Any] = {**changes, **constraints, **settings}
        run = last.update(progress=progress, **keywords)
        run.info["command"] = current_command()
        with progress.stage("write"):
            write_clusters(run, unfinished)
    _carry_reviews(folder, last, inputs.out)
    return run


def _constraints(
    folder: Path,
    last: ClusterRun,
    inputs: AlignInputs,
    changes: Mapping[str, Mapping[str, Graph]],
) -> dict[str, pl.DataFrame | None]:
    """Return what reviewers decided on each pair of graphs, and what is given beside."""
    import polars as pl

    from lighttea.inputs.clusters import pairs_of_table
    from lighttea.io.tables import read_clusters
    from lighttea.update.clusters import entities_of

    fresh = [pair for name in ("added", "replaced") for pair in changes[name].items()]
    entities = entities_of(last, fresh)
    tables: dict[str, list[pl.DataFrame]] = {"must_link": [], "cannot_link": []}
    for name, decided in _decisions(folder, last):
        tables[name].append(decided)
    counts = [sum(map(len, own)) for own in tables.values()]
    if any(counts):
        say(f"decisions: {counts[0]:,} accepted, {counts[1]:,} rejected pairs hold")
    for name, own in tables.items():
        file: Path | None = getattr(inputs, name)
        if file is not None:
            table = with_source(read_clusters(file), file)
            own.append(pairs_of_table(table, entities, name.replace("_", "-")))
    return {name: pl.concat(own) if own else None for name, own in tables.items()}


def _decisions(folder: Path, last: ClusterRun) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield accepted and rejected pairs with their graphs, for must_link and cannot_link."""
    import polars as pl

    from lighttea.inputs.clusters import PAIR
    from lighttea.results.cluster_store import pair_folders

    for pair, place in pair_folders(folder, last.info):
        graphs = {f"graph_{side}": pl.lit(pair[side]) for side in ("left", "right")}
        for name, own in decided_links(place).items():
            yield name, own.with_columns(**graphs).select(PAIR)


def _carry_reviews(folder: Path, last: ClusterRun, out: Path) -> None:
    """Put the decisions on each pair of graphs beside its new run."""
    from lighttea.results.cluster_store import pair_folders
    from lighttea.results.record import parse_record
    from lighttea.review.decisions import keep_reviews, read_reviews

    if out.resolve() == folder.resolve():
        return
    places = {
        (pair["left"], pair["right"]): place for pair, place in pair_folders(out, parse_record(out))
    }
    for pair, place in pair_folders(folder, last.info):
        reviews = read_reviews(place)
        if reviews is not None and (pair["left"], pair["right"]) in places:
            keep_reviews(places[pair["left"], pair["right"]], reviews)
