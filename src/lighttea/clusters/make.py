"""Tables of pairs in, tables of clusters out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from lighttea.clusters.confidence import cluster_confidence
from lighttea.clusters.conflicts import find_conflicts
from lighttea.clusters.evidence import RULED_OUT, Edges, Evidence, weigh
from lighttea.clusters.ids import make_cluster_id
from lighttea.clusters.origins import PAIR, with_origins
from lighttea.clusters.resolve import resolve
from lighttea.types import Doubles, Ints


@dataclass(frozen=True)
class ClusterTables:
    """Clusters, the links within them, and the pairwise links that were given up.

    `clusters` has cluster, graph, entity and confidence, the chance that the entity is the same as
    most of its cluster. `links` has every pair of a cluster: cluster, both graphs and entities,
    confidence, and `found`: `link` where the alignment of the two graphs links them, `candidate`
    where it considered the pair, else `through` and the graphs that join them. `conflicts` has the
    pairwise links that are in no cluster, and which graph would have had two entities in one.
    """

    clusters: pl.DataFrame
    links: pl.DataFrame
    conflicts: pl.DataFrame


def make_clusters(
    pairs: pl.DataFrame,
    graphs: Sequence[str],
    *,
    several_per_graph: bool = False,
    ruled_out: pl.DataFrame | None = None,
) -> ClusterTables:
    """Return the clusters that pairs of entities make.

    `pairs` has graph_left, left, graph_right, right, confidence (the calibrated chance that both
    are the same; 1 is a known pair) and linked, whether their alignment links them. Each pair is
    there once, the graph that comes first among `graphs` on the left; with `several_per_graph`,
    pairs may be of one graph. Pairs of `ruled_out` are never in one cluster.
    """
    told = pairs.select(*PAIR, pl.col("confidence").cast(pl.Float64))
    if ruled_out is not None:
        never = ruled_out.select(*PAIR, confidence=pl.lit(RULED_OUT))
        told = pl.concat([never, told]).unique(PAIR, keep="first", maintain_order=True)
    nodes, edges = number_nodes(told, graphs)
    graph = nodes["number"].to_numpy()
    evidence = weigh(edges, graph, len(graphs), several_per_graph=several_per_graph)
    members, links = _tables(evidence, nodes, resolve(evidence))
    return ClusterTables(members, with_origins(links, pairs), find_conflicts(pairs, links))


def number_nodes(pairs: pl.DataFrame, graphs: Sequence[str]) -> tuple[pl.DataFrame, Edges]:
    """Return all entities of the pairs as nodes in the order of graphs and ids, and the edges.

    The nodes have node, graph, entity and number, the place of the graph.
    """
    numbers = {graph: number for number, graph in enumerate(graphs)}
    nodes = (
        pl.concat(pairs.select(graph=f"graph_{side}", entity=side) for side in ("left", "right"))
        .unique()
        .with_columns(number=pl.col("graph").replace_strict(numbers, return_dtype=pl.Int64))
        .sort("number", "entity")
        .with_row_index("node")
    )
    own = nodes.select("node", "graph", "entity")
    joined = pairs.join(
        own.rename({"node": "one"}), left_on=["graph_left", "left"], right_on=["graph", "entity"]
    ).join(
        own.rename({"node": "other"}),
        left_on=["graph_right", "right"],
        right_on=["graph", "entity"],
    )
    one, other = (joined[name].to_numpy().astype(np.int64) for name in ("one", "other"))
    chance = joined["confidence"].cast(pl.Float64).to_numpy()
    return nodes, Edges(np.minimum(one, other), np.maximum(one, other), chance)


def _tables(
    evidence: Evidence, nodes: pl.DataFrame, group: Ints
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the members of all clusters of two or more, and all pairs within them."""
    grouped = nodes.with_columns(group=group)
    sizes = np.bincount(group)
    parts = []
    for size in np.unique(sizes[sizes > 1]).tolist():
        own = grouped.filter(pl.Series(sizes[group] == size)).sort("group", "number", "entity")
        members = own["node"].to_numpy().astype(np.int64).reshape(-1, size)
        parts.append(_tables_of_size(evidence, own, members))
    if not parts:
        texts = (("cluster", "graph", "entity"), ("cluster", *PAIR))
        chance = pl.lit(0.0, pl.Float32).alias("confidence")
        none = [
            nodes.clear().select(*(pl.col("entity").alias(name) for name in names), chance)
            for names in texts
        ]
        return none[0].clear(), none[1].clear()
    member_tables, link_tables = zip(*parts, strict=True)
    return (
        pl.concat(member_tables).sort("cluster", "graph", "entity"),
        pl.concat(link_tables).sort("cluster", *PAIR),
    )


def _tables_of_size(
    evidence: Evidence, own: pl.DataFrame, members: Ints
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return members and pairs of the clusters of one size."""
    size = members.shape[1]
    places = np.array(list(combinations(range(size), 2)))
    weights = pair_weights(evidence, members[:, places[:, 0]], members[:, places[:, 1]])
    member_chance, pair_chance = cluster_confidence(evidence.joining, size, weights)
    first = own.group_by("group", maintain_order=True).agg(
        pl.col("graph", "entity").sort_by("graph", "entity").first()
    )
    names = [make_cluster_id(*row) for row in first.select("graph", "entity").iter_rows()]
    table = own.select(
        pl.Series("cluster", np.repeat(names, size)),
        "graph",
        "entity",
        pl.Series("confidence", member_chance.ravel(), dtype=pl.Float32),
    )
    start = np.arange(0, len(own), size)[:, None]
    left, right = (
        table.select("graph", "entity")[(start + places[:, side]).ravel()] for side in (0, 1)
    )
    links = pl.DataFrame(
        {
            "cluster": np.repeat(names, len(places)),
            "graph_left": left["graph"],
            "left": left["entity"],
            "graph_right": right["graph"],
            "right": right["entity"],
            "confidence": pl.Series(pair_chance.ravel(), dtype=pl.Float32),
        }
    )
    return table, links


def pair_weights(evidence: Evidence, one: Ints, other: Ints) -> Doubles:
    """Return what pairs of nodes count: as edges, or as pairs that are none."""
    edges, n = evidence.edges, len(evidence.graph)
    keys = edges.one * n + edges.other
    order = np.argsort(keys)
    wanted = np.minimum(one, other) * n + np.maximum(one, other)
    place = np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))
    is_edge = keys[order][place] == wanted
    none = evidence.missing[evidence.graph[one], evidence.graph[other]]
    return np.where(is_edge, evidence.weight[order][place], none)
