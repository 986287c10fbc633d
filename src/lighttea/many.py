"""`align_many`: three graphs or more in, clusters of their entities out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from inspect import signature
from itertools import combinations
from typing import Any, Unpack

import polars as pl

from lighttea.api import align
from lighttea.clusters.evidence import LEAST
from lighttea.clusters.ids import carry_cluster_ids
from lighttea.clusters.make import ClusterTables, make_clusters
from lighttea.config import (
    DEFAULT_ENGINE,
    DEFAULT_PRESET,
    FIELD_TYPES,
    Config,
    EngineName,
    Preset,
    Settings,
    make_rules,
    preset_name,
    refuse_unknown,
    resolve_config,
)
from lighttea.display import label_graphs
from lighttea.errors import InputError, StartError
from lighttea.graph.facts import Graph
from lighttea.inputs.clusters import PAIR, ClusterTable, pairs_of_table
from lighttea.inputs.constraints import TypeTable
from lighttea.io.objects import GraphSource, graph_from
from lighttea.progress import Progress, default_progress, peak_rss_mb
from lighttea.progress.part import PartOfProgress
from lighttea.results.clusters import ClusterRun
from lighttea.results.run import Run
from lighttea.results.schema import CLUSTERS, FILES, FORMAT_VERSION
from lighttea.results.tables import used_versions


def align_many(
    graphs: Sequence[GraphSource],
    *,
    seeds: ClusterTable | None = None,
    config: Config | None = None,
    preset: Preset | None = None,
    several_per_graph: bool = False,
    previous: ClusterRun | None = None,
    no_alarmed: bool | None = None,
    must_link: ClusterTable | None = None,
    cannot_link: ClusterTable | None = None,
    types: TypeTable | None = None,
    engine: EngineName = DEFAULT_ENGINE,
    scheduler: str | None = None,
    progress: Progress | None = None,
    **settings: Unpack[Settings],
) -> ClusterRun:
    """Align the entities of three or more graphs and return clusters of the same entities.

    Each two graphs are aligned by `align`, with the same settings; then links that contradict each
    other around a circle of graphs are resolved by their probabilities. A cluster has at most one
    entity of each graph, unless `several_per_graph`. Two graphs that have nothing in common are
    linked through others.

    `seeds`, `must_link` and `cannot_link` are tables of cluster, graph and entity, or of left and
    right. With `previous`, an earlier run of such graphs, clusters keep the ids they had there.
    The other settings are those of `align`.
    """
    refuse_unknown(settings, [*FIELD_TYPES, *signature(align_many).parameters])
    if len(graphs) < 2:
        raise InputError(f"align_many needs two graphs or more; got {len(graphs)}")
    used = resolve_config(config, preset, make_rules(no_alarmed=no_alarmed), settings)
    progress = progress or default_progress()
    with progress.showing():
        named = _named_graphs(graphs)
        entities = {name: set(graph.entities) for name, graph in named.items()}
        tables = {
            noun: None if table is None else pairs_of_table(table, entities, noun)
            for noun, table in (
                ("seed", seeds),
                ("must-link", must_link),
                ("cannot-link", cannot_link),
            )
        }
        keywords: dict[str, Any] = {
            "config": config,
            "preset": preset,
            "many_to_one": several_per_graph or None,
            "no_alarmed": no_alarmed,
            "types": types,
            "engine": engine,
            "scheduler": scheduler,
            **settings,
        }
        aligned = _align_pairs(named, tables, keywords, progress)
        with progress.stage("clusters"):
            made = make_clusters(
                collect_pairs(aligned.runs),
                list(named),
                several_per_graph=several_per_graph,
                ruled_out=tables["cannot-link"],
            )
            if previous is not None:
                made = with_carried_ids(previous.clusters, made)
        info = _provenance(named, aligned, made, used, progress)
        is_config = isinstance(config, Config)
        info["preset"] = preset_name(config) if is_config and config else preset or DEFAULT_PRESET
        info |= {"several_per_graph": several_per_graph, "engine": engine}
        return ClusterRun(made.clusters, made.links, made.conflicts, aligned.runs, info)


def _named_graphs(sources: Sequence[GraphSource]) -> dict[str, Graph]:
    """Return the graphs by names that differ."""
    graphs = [graph_from(source, name=f"graph {n}") for n, source in enumerate(sources, 1)]
    return dict(zip(label_graphs(graphs), graphs, strict=True))


@dataclass(frozen=True)
class _AlignedPairs:
    """The runs of each two graphs, and why some could not be aligned."""

    runs: dict[tuple[str, str], Run]
    unaligned: list[dict[str, Any]]


def _align_pairs(
    graphs: Mapping[str, Graph],
    tables: Mapping[str, pl.DataFrame | None],
    keywords: Mapping[str, Any],
    progress: Progress,
) -> _AlignedPairs:
    """Align each two graphs; those with nothing in common are left to the others."""
    runs: dict[tuple[str, str], Run] = {}
    unaligned: list[dict[str, Any]] = []
    couples = list(combinations(graphs, 2))
    for number, (left, right) in enumerate(couples, 1):
        progress.run_begins(number, len(couples))
        own: dict[str, Any] = {
            name: links_between(tables[noun], left, right)
            for name, noun in (
                ("seeds", "seed"),
                ("must_link", "must-link"),
                ("cannot_link", "cannot-link"),
            )
        }
        part = PartOfProgress(progress, f"{left} and {right}")
        ends = [replace(graphs[name], name=name) for name in (left, right)]
        try:
            runs[left, right] = align(ends[0], ends[1], progress=part, **own, **keywords)
        except StartError as error:
            unaligned.append(unaligned_pair(left, right, error, own["cannot_link"]))
            progress.warn(f"{left} and {right} were not aligned with each other: {error}")
    if not runs:
        raise StartError(
            f"no two of the graphs can be aligned; {left} and {right}: {unaligned[-1]['why']}"
        )
    return _AlignedPairs(runs, unaligned)


def unaligned_pair(
    left: str, right: str, error: StartError, cannot_link: pl.DataFrame | None
) -> dict[str, Any]:
    """Return what `run.json` keeps of two graphs that were not aligned with each other."""
    forbidden = [] if cannot_link is None else [list(pair) for pair in cannot_link.rows()]
    return {"left": left, "right": right, "why": str(error), "cannot_links": forbidden}


def links_between(table: pl.DataFrame | None, left: str, right: str) -> pl.DataFrame | None:
    """Return left and right of the pairs of two graphs; None where there are none."""
    if table is None:
        return None
    own = table.filter(graph_left=left, graph_right=right).select("left", "right")
    return None if own.is_empty() else own


def collect_pairs(runs: Mapping[tuple[str, str], Run]) -> pl.DataFrame:
    """Return what the runs say of pairs of entities, as `make_clusters` wants it."""
    columns = [*PAIR, "confidence", "linked"]
    tables = [own.select(columns) for pair, run in runs.items() for own in _pairs_of(run, *pair)]
    return pl.concat(tables).unique(PAIR, keep="first", maintain_order=True)


def _pairs_of(run: Run, left: str, right: str) -> Iterator[pl.DataFrame]:
    """Yield the pairs of one run: known ones, links and other candidates of some chance."""
    graphs = {"graph_left": pl.lit(left), "graph_right": pl.lit(right)}
    known = pl.lit(1.0, pl.Float32)
    yield run.seeds.with_columns(**graphs, confidence=known, linked=pl.lit(True))
    own = pl.col("confidence").cast(pl.Float32)
    yield run.links.with_columns(own, **graphs, linked=pl.lit(True))
    others = run.candidates.filter(pl.col("confidence") >= LEAST)
    yield others.with_columns(own, **graphs, linked=pl.lit(False))


def with_carried_ids(old: pl.DataFrame, new: ClusterTables) -> ClusterTables:
    """Return the tables with the ids of the old clusters that share most of their members."""
    clusters = carry_cluster_ids(old, new.clusters)
    ids = dict(zip(new.clusters["cluster"], clusters["cluster"], strict=True))
    renamed = pl.col("cluster").replace_strict(ids, return_dtype=pl.String)
    links = new.links.with_columns(renamed) if ids else new.links
    return replace(
        new,
        clusters=clusters.sort("cluster", "graph", "entity"),
        links=links.sort("cluster", *PAIR),
    )


def _provenance(
    graphs: Mapping[str, Graph],
    aligned: _AlignedPairs,
    made: ClusterTables,
    config: Config,
    progress: Progress,
) -> dict[str, Any]:
    """Return what went in, with which settings, and how it went: run.json."""
    return {
        "format": FORMAT_VERSION,
        "kind": CLUSTERS,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": FILES,
        "config": asdict(config),
        "random_seed": config.random_seed,
        "versions": used_versions(),
        "graphs": [
            {
                "name": name,
                "source": graph.source,
                "digest": graph.digest,
                "entities": len(graph.entities),
                "relations": len(graph.relations),
                "facts": len(graph.facts),
                "literals": len(graph.attributes),
            }
            for name, graph in graphs.items()
        ],
        "pairs": describe_pairs(aligned.runs),
        "unaligned": aligned.unaligned,
        "clusters": made.clusters["cluster"].n_unique(),
        "conflicts": len(made.conflicts),
        "warnings": list(progress.warnings),
        "seconds": {name: round(value, 4) for name, value in progress.seconds.items()},
        "peak_rss_mb": round(peak_rss_mb(), 1),
    }


def describe_pairs(runs: Mapping[tuple[str, str], Run]) -> list[dict[str, Any]]:
    """Return what `run.json` says of the run of each two graphs."""
    return [
        {"left": left, "right": right, "links": len(run.links), "seeds": len(run.seeds)}
        for (left, right), run in runs.items()
    ]
