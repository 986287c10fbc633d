"""`dedupe`: one graph in, clusters of its entities that are the same out."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, replace
from inspect import signature
from typing import Any, Unpack

import numpy as np
import polars as pl

from lighttea.assign.competition import Competition
from lighttea.clusters.evidence import LEAST
from lighttea.clusters.make import ClusterTables, make_clusters
from lighttea.config import (
    DEFAULT_PRESET,
    FIELD_TYPES,
    Config,
    Preset,
    Settings,
    make_rules,
    preset_name,
    refuse_unknown,
    resolve_config,
)
from lighttea.display import label_graphs
from lighttea.duplicates.find import DuplicatePairs, find_duplicates
from lighttea.duplicates.problem import pose_against_itself
from lighttea.duplicates.rehearsal import rehearse
from lighttea.duplicates.solution import as_solution, lowest_chance
from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.graph.numbering import number_by_name, sort_rows
from lighttea.graph.pair import Links
from lighttea.inputs.constraints import TypeTable, make_allowed, refuse_unknown_entities
from lighttea.inputs.links import LinkTable, NamedPairs
from lighttea.io.objects import GraphSource, graph_from
from lighttea.kernels.threads import limited_threads, worthwhile_threads
from lighttea.progress import Progress, default_progress
from lighttea.results.clusters import ClusterRun
from lighttea.results.decoys import describe_competition
from lighttea.results.literals import literals_info
from lighttea.results.run import Run
from lighttea.results.schema import CLUSTERS
from lighttea.results.tables import link_frame, make_run, provenance
from lighttea.solve.start import open_workspace

SURE = 0.9  # confidence from which a summary calls a duplicate sure


def dedupe(
    graph: GraphSource,
    *,
    config: Config | None = None,
    preset: Preset | None = None,
    must_link: LinkTable | None = None,
    cannot_link: LinkTable | None = None,
    types: TypeTable | None = None,
    progress: Progress | None = None,
    **settings: Unpack[Settings],
) -> ClusterRun:
    """Find the entities of one graph that are there twice or more, and return them as clusters.

    Two entities are likely one where they tell the same rare facts or have the same rare values,
    and nothing that holds once, or once at a time, differs between them. An entity that is in no
    cluster is there once, as far as can be told; a graph without duplicates has no cluster.

    A pair of `must_link` is one entity, a pair of `cannot_link` is not; entities whose `types` are
    known and have none in common are not one. The other settings are the fields of `Config`, as in
    `align`: those of rounds and labels say nothing here. It works on the CPU.
    """
    refuse_unknown(settings, [*FIELD_TYPES, *signature(dedupe).parameters])
    used_preset = preset_name(config) if isinstance(config, Config) else preset or DEFAULT_PRESET
    config = resolve_config(config, preset, make_rules(), settings)
    progress = progress or default_progress()
    with progress.showing():
        graph = graph_from(graph, name="graph")
        _refuse_empty(graph)
        graph = number_by_name(replace(graph, name=label_graphs([graph])[0]), "left")
        must, cannot = _constraints(graph, must_link, cannot_link)
        allowed = make_allowed(graph, graph, Links.none(), types, types, progress)
        kinds = None if allowed is None else allowed.types
        threads = config.threads or worthwhile_threads(len(graph.entities), len(graph.entities))
        with limited_threads(threads) as n_threads:
            rows = sort_rows(graph)
            with progress.stage("rehearsal"):
                rehearsed = rehearse(rows, config)
            problem, used = pose_against_itself(rows, config, progress, cannot=cannot, types=kinds)
            with closing(open_workspace("cpu", problem, used)) as work:
                found = find_duplicates(work, rows, used, rehearsed)
                least = lowest_chance(found, used)
                solution = as_solution(work, found, least, rows.entities)
        run = make_run(solution, problem, graph, graph, problem.known)
        with progress.stage("clusters"):
            made = _clusters(found, graph, must, cannot, least)
        info = provenance(
            used_preset,
            "cpu",
            used,
            n_threads,
            graph,
            graph,
            Links.none(),
            run.links,
            solution.records,
            progress,
        )
        info["literals"] = literals_info(solution.literals)
        info["decoys"] = describe_competition(found.competition)
        info |= {"in_parts": False, "rules": asdict(make_rules()), "duplicates": True}
        info |= {"cannot_links": len(cannot), "types": kinds is not None}
        own = replace(run, seeds=run.seeds.clear(), info=info)
        own = replace(own, cannot_links=link_frame(cannot, graph, graph))
        return _cluster_run(made, own, graph.name, found)


def _clusters(
    found: DuplicatePairs, graph: Graph, must: Links, cannot: Links, least: float
) -> ClusterTables:
    """Return the clusters that the pairs make, without members below the lowest chance."""
    names = pl.Series(graph.entities, dtype=pl.String)
    pairs = found.pairs
    kept = np.flatnonzero(found.chance >= LEAST)
    chances = np.concatenate([np.ones(len(must)), found.chance[kept]])
    ends = (
        np.concatenate([must.left, pairs.one[kept]]),
        np.concatenate([must.right, pairs.other[kept]]),
    )
    table = _pair_frame(names, graph.name, *ends).with_columns(
        confidence=pl.Series(chances, dtype=pl.Float32), linked=pl.Series(chances >= least)
    )
    table = table.unique(["left", "right"], keep="first", maintain_order=True)
    ruled_out = _pair_frame(names, graph.name, cannot.left, cannot.right)
    made = make_clusters(table, [graph.name], several_per_graph=True, ruled_out=ruled_out)
    return without_doubtful(no_surer_than_pairs(made, table), least)


def _pair_frame(names: pl.Series, graph: str, one: Any, other: Any) -> pl.DataFrame:
    """Return pairs with the entity on the left whose id comes first."""
    first, second = names.gather(one), names.gather(other)
    return pl.DataFrame({"one": first, "other": second}).select(
        graph_left=pl.lit(graph),
        left=pl.min_horizontal("one", "other"),
        graph_right=pl.lit(graph),
        right=pl.max_horizontal("one", "other"),
    )


def no_surer_than_pairs(made: ClusterTables, pairs: pl.DataFrame) -> ClusterTables:
    """Return clusters whose members are no surer than the surest pair that holds each there.

    Look-alikes come in families: that many resemble each other makes none of them surer.
    """
    ends = (("left", "right"), ("right", "left"))
    both = pl.concat(pairs.select("confidence", entity=a, other=b) for a, b in ends)
    cluster_of = made.clusters.select("cluster", "entity")
    surest = (
        both.join(cluster_of, on="entity")
        .join(cluster_of.rename({"entity": "other"}), on=["other", "cluster"])
        .group_by("entity")
        .agg(surest=pl.col("confidence").max())
    )
    clusters = made.clusters.join(surest, on="entity", how="left", maintain_order="left")
    clusters = clusters.with_columns(
        confidence=pl.min_horizontal("confidence", pl.col("surest").fill_null(0.0))
    ).drop("surest")
    most = clusters.select("entity", most="confidence")
    links = made.links
    for side, _ in ends:
        links = links.join(most, left_on=side, right_on="entity", maintain_order="left")
        links = links.with_columns(confidence=pl.min_horizontal("confidence", "most")).drop("most")
    return replace(made, clusters=clusters, links=links)


def without_doubtful(made: ClusterTables, least: float) -> ClusterTables:
    """Return clusters without members of less confidence, and without members left alone."""
    kept = made.clusters.filter(pl.col("confidence") >= least)
    kept = kept.filter(pl.len().over("cluster") > 1)
    ends = [
        pl.col(side).is_in(kept["entity"].implode()) for side in ("left", "right")
    ]  # all of one graph
    return replace(made, clusters=kept, links=made.links.filter(*ends))


def _cluster_run(made: ClusterTables, own: Run, name: str, found: DuplicatePairs) -> ClusterRun:
    """Return the clusters with the run of the graph and itself behind them."""
    told = ("format", "date", "files", "preset", "config", "random_seed", "versions", "engine")
    info = {entry: own.info[entry] for entry in (*told, "warnings", "seconds", "peak_rss_mb")}
    info |= {
        "kind": CLUSTERS,
        "graphs": [own.info["input"]["left"]],
        "pairs": [{"left": name, "right": name, "links": len(own.links), "seeds": 0}],
        "unaligned": [],
        "several_per_graph": True,
        "clusters": made.clusters["cluster"].n_unique(),
        "conflicts": len(made.conflicts),
    }
    info["dedupe"] = {
        "candidate_pairs": len(found.pairs),
        "differences": sorted({difference.name for difference in found.differences}),
        "warning": none_found(made, found.competition),
    }
    return ClusterRun(made.clusters, made.links, made.conflicts, {(name, name): own}, info)


def none_found(made: ClusterTables, competition: Competition | None) -> str | None:
    """Return what to tell where no duplicate is sure; None where one is."""
    if (made.clusters["confidence"] >= SURE).any():
        return None
    if competition is None:
        return "no sure duplicates, and too few candidates to check confidence by decoys"
    n_pairs, n_decoys = competition.sure_counts()
    return (
        f"no sure duplicates: {n_pairs:,} entities have a candidate that looks sure by its score, "
        f"and {n_decoys:,} decoys do, but nothing tells the candidates from mere look-alikes"
    )


def _constraints(
    graph: Graph, must_link: LinkTable | None, cannot_link: LinkTable | None
) -> tuple[Links, Links]:
    """Return the pairs that are one and those that are not; an error where they contradict."""
    must, cannot = NamedPairs.of(must_link, "must-link"), NamedPairs.of(cannot_link, "cannot-link")
    problems = []
    for pairs in (must, cannot):
        refuse_unknown_entities(pairs, graph, graph)
        problems += [
            f"{place}: the {pairs.noun} names {one!r} twice; expected two entities"
            for (one, other), place in zip(pairs.rows, pairs.places, strict=True)
            if one == other
        ]
    demanded = {frozenset(row): place for row, place in zip(must.rows, must.places, strict=True)}
    problems += [
        f"{place} forbids what {demanded[frozenset(row)]} demands: {row[0]!r} and {row[1]!r}; "
        "remove one of them"
        for row, place in zip(cannot.rows, cannot.places, strict=True)
        if frozenset(row) in demanded
    ]
    if problems:
        raise InputError.of_many(problems)
    return must.to_ids(graph, graph), cannot.to_ids(graph, graph)


def _refuse_empty(graph: Graph) -> None:
    source = graph.source and f": {graph.source}"
    if not len(graph.facts) and not len(graph.attributes):
        raise InputError(f"the graph has neither facts nor literals{source}")
    if len(graph.entities) < 2:
        raise InputError(
            f"the graph has a single entity, {graph.entities[0]!r}{source}; duplicates need two"
        )
