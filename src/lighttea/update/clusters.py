"""Update a run of several graphs: the pairs whose graphs changed, then the clusters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import combinations
from typing import Any, TypeAlias

import polars as pl

from lighttea.api import align
from lighttea.clusters.make import ClusterTables, make_clusters
from lighttea.config import EngineName, make_rules, stored_config
from lighttea.engines import check_engine, check_scheduler
from lighttea.errors import InputError, StartError
from lighttea.graph.facts import Graph
from lighttea.inputs.clusters import PAIR, ClusterTable, pairs_of_table
from lighttea.io.frames import graph_of_frames
from lighttea.io.objects import GraphSource
from lighttea.many import (
    collect_pairs,
    describe_pairs,
    links_between,
    unaligned_pair,
    with_carried_ids,
)
from lighttea.progress import Progress, default_progress, peak_rss_mb
from lighttea.progress.part import PartOfProgress
from lighttea.results.clusters import ClusterRun
from lighttea.results.names import with_names
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from lighttea.results.tables import used_versions
from lighttea.update.cluster_changes import compare_clusters
from lighttea.update.graphs import SideInputs, Statements
from lighttea.update.update import Given, update_run

Couple: TypeAlias = tuple[str, str]  # names of two graphs


@dataclass(frozen=True)
class ClusterChanges:
    """What is given for each graph, and pairs with their graphs that are demanded or forbidden."""

    graphs: Mapping[str, SideInputs]
    must_link: pl.DataFrame | None
    cannot_link: pl.DataFrame | None

    @classmethod
    def of(
        cls,
        run: ClusterRun,
        added: Mapping[str, GraphSource],
        removed: Mapping[str, GraphSource],
        replaced: Mapping[str, GraphSource],
        must_link: ClusterTable | None,
        cannot_link: ClusterTable | None,
    ) -> ClusterChanges:
        """Return what a user gives, checked against the graphs of a run."""
        tables = {"added": added, "removed": removed, "replaced": replaced}
        for noun, own in tables.items():
            for name in own:
                refuse_unknown_graph(run, name, noun)
        graphs = {
            name: _inputs_of(name, added.get(name), removed.get(name), replaced.get(name))
            for name in run.graphs
            if any(name in own for own in tables.values())
        }
        fresh = (
            (name, graph)
            for name, inputs in graphs.items()
            for graph in (inputs.added, inputs.replaced)
            if graph is not None
        )
        entities = entities_of(run, fresh)
        pairs = (
            None if table is None else _placed(table, entities, noun)
            for noun, table in (("must-link", must_link), ("cannot-link", cannot_link))
        )
        return cls(graphs, *pairs)

    def of_pair(self, pair: Couple, engine: EngineName, scheduler: str | None) -> Given | None:
        """Return what is given for two graphs; None where nothing is."""
        left, right = (self.graphs.get(name, SideInputs()) for name in pair)
        must, cannot = (links_between(table, *pair) for table in (self.must_link, self.cannot_link))
        if not (left.is_given or right.is_given) and must is None and cannot is None:
            return None
        return Given(left, right, must, cannot, engine, scheduler, pair)


def _inputs_of(
    name: str,
    added: GraphSource | None,
    removed: GraphSource | None,
    replaced: GraphSource | None,
) -> SideInputs:
    """Return what is given for a graph; its new version is called as it was."""
    names = f"added {name}", f"removed {name}", f"replaced {name}"
    inputs = SideInputs.named(names, added, removed, replaced)
    if inputs.replaced is None:
        return inputs
    return replace(inputs, replaced=replace(inputs.replaced, name=name))


def refuse_unknown_graph(run: ClusterRun, name: str, noun: str) -> None:
    """Raise an error where a run has no such graph, or keeps none of its facts."""
    if name not in run.graphs:
        raise InputError(f"{noun}: no graph is called {name!r}; there are {', '.join(run.graphs)}")
    if not any(name in pair for pair in run.pairs):
        raise InputError(
            f"{noun}: {name} was aligned with no other graph, so the run does not have its facts; "
            "align the graphs again"
        )


def _placed(table: ClusterTable, entities: Mapping[str, set[str]], noun: str) -> pl.DataFrame:
    """Return pairs with their graphs, which a table may have already."""
    if isinstance(table, pl.DataFrame) and set(PAIR) <= set(table.columns):
        return table.select(PAIR)
    return pairs_of_table(table, entities, noun)


def entities_of(run: ClusterRun, fresh: Iterable[tuple[str, Graph]] = ()) -> dict[str, set[str]]:
    """Return the entities of each graph of a run, and those of what came into it."""
    found: dict[str, set[str]] = {name: set() for name in run.graphs}
    for pair, own in run.pairs.items():
        for name, side in zip(pair, ("left", "right"), strict=True):
            found[name] |= set(_statements(own, side).entities())
            found[name] |= set(own.seeds[side])
    for name, graph in fresh:
        found[name] |= set(graph.entities)
    return found


def _statements(run: Run, side: str) -> Statements:
    return Statements(getattr(run, f"facts_{side}"), getattr(run, f"attributes_{side}"))


def update_clusters(
    run: ClusterRun,
    given: ClusterChanges,
    engine: EngineName,
    scheduler: str | None,
    progress: Progress | None,
    settings: Mapping[str, Any],
) -> ClusterRun:
    """Return the run of the graphs as they are now.

    Two graphs that could not be aligned are tried again where one of them changed.
    """
    check_scheduler(check_engine(engine), scheduler)
    if "dedupe" in run.info:
        raise InputError("a run of the duplicates of one graph is not updated; dedupe it again")
    couples = {
        pair: own
        for pair in combinations(run.graphs, 2)
        if (own := given.of_pair(pair, engine, scheduler)) is not None
    }
    if not couples:
        raise InputError(
            "nothing to update with; give facts that came in or were withdrawn, or the whole new "
            "version, of any of the graphs, or links (`must_link`, `cannot_link`)"
        )
    progress = progress or default_progress()
    with progress.showing():
        runs, failed = _update_pairs(run, couples, progress, settings)
        unaligned = failed + _align_others(run, runs, couples, progress, settings)
        order = [pair for pair in combinations(run.graphs, 2) if pair in runs]
        runs = {pair: runs[pair] for pair in order}
        with progress.stage("clusters"):
            made = make_clusters(
                collect_pairs(runs),
                run.graphs,
                several_per_graph=bool(run.info["several_per_graph"]),
                ruled_out=_ruled_out(runs, unaligned),
            )
            made = with_carried_ids(run.clusters, made)
            table = compare_clusters(run.clusters, made.clusters, runs)
        info = _info(run, runs, unaligned, made, couples, table, progress)
        info["engine"] = engine
        return ClusterRun(made.clusters, made.links, made.conflicts, runs, info, table)


def _update_pairs(
    run: ClusterRun,
    couples: Mapping[Couple, Given],
    progress: Progress,
    settings: Mapping[str, Any],
) -> tuple[dict[Couple, Run], list[dict[str, Any]]]:
    """Return the runs of all pairs, and the record of those that can be aligned no more.

    Pairs that nothing is given for are as they were.
    """
    runs: dict[Couple, Run] = {}
    failed, last_error = [], None
    for number, (pair, own) in enumerate(run.pairs.items(), 1):
        progress.run_begins(number, len(run.pairs))
        if pair in couples:
            part = PartOfProgress(progress, " and ".join(pair))
            try:
                runs[pair] = update_run(own, couples[pair], part, settings)
            except StartError as error:
                failed.append(_failed(pair, own, couples[pair], error))
                progress.warn(_not_aligned(pair, error))
                last_error = error
        else:
            info = {name: value for name, value in own.info.items() if name != "update"}
            runs[pair] = replace(own, changes=empty_table("changes"), info=info)
    if last_error is not None and not runs:
        raise last_error
    return runs, failed


def _failed(pair: Couple, run: Run, given: Given, error: StartError) -> dict[str, Any]:
    """Return the record of two graphs that can be aligned no more, with what may not be linked."""
    cannot = run.cannot_links.select("left", "right")
    if isinstance(given.cannot_link, pl.DataFrame):
        cannot = pl.concat([cannot, given.cannot_link]).unique(maintain_order=True)
    return unaligned_pair(*pair, error, cannot)


def _not_aligned(pair: Couple, error: StartError) -> str:
    return f"{pair[0]} and {pair[1]} were not aligned with each other: {error}"


def _align_others(
    run: ClusterRun,
    runs: dict[Couple, Run],
    couples: Mapping[Couple, Given],
    progress: Progress,
    settings: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Align pairs that could not be aligned, where one of their graphs changed.

    Add them to the runs; return the record of those that cannot be aligned yet.
    """
    still = []
    for record in run.info["unaligned"]:
        pair = record["left"], record["right"]
        graphs = [_graph_now(name, runs) for name in pair]
        if pair not in couples or None in graphs:
            still.append(record)
            continue
        own = couples[pair]
        cannot = _pairs_frame(record.get("cannot_links") or [])
        if isinstance(own.cannot_link, pl.DataFrame):
            cannot = pl.concat([cannot, own.cannot_link])
        try:
            runs[pair] = _align(run, runs, graphs, own, cannot, progress, settings)
        except StartError as error:
            still.append(unaligned_pair(*pair, error, cannot))
            progress.warn(_not_aligned(pair, error))
    return still


def _align(
    run: ClusterRun,
    runs: Mapping[Couple, Run],
    graphs: list[Any],
    given: Given,
    cannot_link: pl.DataFrame,
    progress: Progress,
    settings: Mapping[str, Any],
) -> Run:
    """Return the first alignment of two graphs, with the settings and types of the others."""
    other = next(iter(runs.values()))
    types: dict[str, Any] = {}
    if not other.types_left.is_empty():
        types = {"left_types": other.types_left, "right_types": other.types_right}
    rules = make_rules(**(other.info.get("rules") or {}))
    return align(
        *graphs,
        config=replace(stored_config(run.info["config"]), **settings),
        many_to_one=rules.many_to_one or None,
        no_alarmed=rules.no_alarmed or None,
        must_link=given.must_link,
        cannot_link=None if cannot_link.is_empty() else cannot_link,
        engine=given.engine,
        scheduler=given.scheduler,
        progress=PartOfProgress(progress, " and ".join(graph.name for graph in graphs)),
        **types,
    )


def _graph_now(name: str, runs: Mapping[Couple, Run]) -> Graph | None:
    """Return a graph as it is now; None where no pair has it."""
    for pair, run in runs.items():
        if name in pair:
            side = "left" if pair[0] == name else "right"
            own = _statements(run, side)
            return with_names(graph_of_frames(own.facts, own.literals), run, side)
    return None


def _pairs_frame(rows: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(("left", "right"), pl.String), orient="row")


def _ruled_out(runs: Mapping[Couple, Run], unaligned: list[dict[str, Any]]) -> pl.DataFrame:
    """Return all pairs that are forbidden, with their graphs."""
    tables = {pair: run.cannot_links for pair, run in runs.items()}
    tables |= {
        (record["left"], record["right"]): _pairs_frame(record.get("cannot_links") or [])
        for record in unaligned
    }
    return pl.concat(
        table.select(
            graph_left=pl.lit(pair[0]), left="left", graph_right=pl.lit(pair[1]), right="right"
        ).select(PAIR)
        for pair, table in tables.items()
    )


def _info(
    run: ClusterRun,
    runs: Mapping[Couple, Run],
    unaligned: list[dict[str, Any]],
    made: ClusterTables,
    couples: Mapping[Couple, Given],
    table: pl.DataFrame,
    progress: Progress,
) -> dict[str, Any]:
    """Return what `run.json` says of the run, and of how it came from the last one."""
    counts = dict(table["change"].value_counts().iter_rows())
    inputs: dict[str, Any] = {}
    for given in couples.values():
        inputs |= {**given.left.sources(), **given.right.sources()}
    return {
        **{name: value for name, value in run.info.items() if name != "command"},
        "versions": used_versions(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "graphs": [_size_now(graph, runs) for graph in run.info["graphs"]],
        "pairs": describe_pairs(runs),
        "unaligned": unaligned,
        "clusters": made.clusters["cluster"].n_unique(),
        "conflicts": len(made.conflicts),
        "update": {
            "of": {name: run.info.get(name) for name in ("date", "command")},
            "inputs": inputs,
            "pairs": [list(pair) for pair in couples],
            "members": {
                kind: counts.get(kind, 0) for kind in ("kept", "new", "changed", "withdrawn")
            },
        },
        "warnings": list(progress.warnings),
        "seconds": {name: round(value, 4) for name, value in progress.seconds.items()},
        "peak_rss_mb": round(peak_rss_mb(), 1),
    }


def _size_now(graph: Mapping[str, Any], runs: Mapping[Couple, Run]) -> dict[str, Any]:
    """Return what is told of a graph, with the sizes that it has now."""
    for pair, run in runs.items():
        if graph["name"] in pair:
            own = run.info["input"]["left" if pair[0] == graph["name"] else "right"]
            return {**graph, **{name: own[name] for name in graph if name in own}}
    return dict(graph)
