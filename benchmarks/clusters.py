"""Clusters of three graphs beside the links of each two of them: precision, recall, F1.

    [LIGHTTEA_DATA=folder] python benchmarks/clusters.py [--entities 3000] [--worlds 2]

Made-up graphs (`lighttea synth --graphs 3`), and a dataset folder whose left graph is cut into two:
each fact goes to the one half or the other, and each half gives its entities ids of its own. No
names, no literals. Figures are over pairs of entities of two graphs; seeds are left out. The mean
confidence is to be compared with the precision.
`components` joins whatever links join, without asking whether they contradict.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import scipy.sparse as sp

from lighttea import (
    ClusterRun,
    Graph,
    StartError,
    align_many,
    graph_from,
    read_clusters,
    read_dataset,
)
from lighttea.evaluate.ranking import LinkFigures, link_figures
from lighttea.io.benchmark import read_side
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

PAIR = ["graph_left", "left", "graph_right", "right"]


@dataclass(frozen=True)
class Task:
    """Three graphs, their true clusters, and how many of these are known before."""

    name: str
    graphs: list[Graph]
    truth: pl.DataFrame  # cluster, graph, entity
    n_seeds: int


def main() -> None:
    """Run every task and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entities", type=int, default=3000, help="of each made-up graph")
    parser.add_argument("--worlds", type=int, default=2, help="made-up worlds")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dataset", default="DICEWS", help="a folder in LIGHTTEA_DATA")
    options = parser.parse_args()
    print("| graphs | seeds | | pairs | precision | recall | F1 | confidence |")
    print("|---|---|---|---|---|---|---|---|")
    for task in tasks(options):
        try:
            run = align_many(task.graphs, seeds=draw_seeds(task), threads=options.threads)
        except StartError:
            print(
                f"| {task.name} | {task.n_seeds} | nothing to start from without seeds | | | | | |"
            )
            continue
        print_rows(task, run)


def tasks(options: argparse.Namespace) -> Iterator[Task]:
    """Yield the made-up worlds, then the dataset with and without seeds."""
    for world in range(options.worlds):
        n_seeds = max(10, options.entities // 50)
        yield made_up(options.entities, world, n_seeds)
    folder = Path(os.environ.get("LIGHTTEA_DATA", "")) / options.dataset
    if os.environ.get("LIGHTTEA_DATA") and folder.is_dir():
        yield cut_dataset(folder, n_seeds=100)
        yield cut_dataset(folder, n_seeds=0)


def made_up(entities: int, world: int, n_seeds: int) -> Task:
    """Return three made-up graphs, without names."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "made"
        write_synth(folder, SynthConfig(entities=entities, graphs=3, random_seed=world))
        graphs = [without_names(read_side(folder, side), f"triples_{side}") for side in "123"]
        truth = read_clusters(folder / "clusters.tsv").select("cluster", "graph", "entity")
    return Task(f"synth, world {world}", graphs, truth, n_seeds)


def without_names(graph: Graph, name: str) -> Graph:
    """Return the facts of a graph alone."""
    facts = graph.to_polars().filter(pl.col("tail").is_not_null())
    return replace(graph_from(facts.select("head", "relation", "tail", "begin", "end")), name=name)


def cut_dataset(folder: Path, n_seeds: int) -> Task:
    """Return the left graph of a dataset in two halves, and its right graph."""
    dataset = read_dataset(folder)
    rng = np.random.default_rng(0)
    facts = dataset.left.to_polars().filter(pl.col("tail").is_not_null())
    in_first = pl.Series(rng.random(len(facts)) < 0.5)
    halves = [
        renamed(facts.filter(in_first if half == 1 else ~in_first), half, rng) for half in (1, 2)
    ]
    right = without_names(dataset.right, "right")
    parts = [
        own.join(dataset.pairs, left_on="id", right_on="left", how="left").select(
            cluster=pl.coalesce(pl.format("right {}", "right"), pl.format("left {}", "id")),
            graph=pl.lit(f"half {half}"),
            entity="own",
        )
        for half, (_, own) in enumerate(halves, 1)
    ]
    has_facts = dataset.pairs.filter(pl.col("right").is_in(list(right.entities)))
    parts.append(
        has_facts.select(
            cluster=pl.format("right {}", "right"), graph=pl.lit("right"), entity="right"
        )
    )
    truth = pl.concat(parts).filter(pl.len().over("cluster") > 1)
    return Task(f"{folder.name} in three", [*(graph for graph, _ in halves), right], truth, n_seeds)


def renamed(facts: pl.DataFrame, half: int, rng: np.random.Generator) -> tuple[Graph, pl.DataFrame]:
    """Return a graph whose entities have new ids, and the old id of each."""
    ids = pl.concat([facts["head"], facts["tail"]]).unique().sort()
    own = pl.DataFrame({"id": ids, "own": [f"{half}-{n}" for n in rng.permutation(len(ids))]})
    new = dict(own.iter_rows())
    table = facts.with_columns(pl.col("head", "tail").replace_strict(new))
    graph = graph_from(table.select("head", "relation", "tail", "begin", "end"))
    return replace(graph, name=f"half {half}"), own


def draw_seeds(task: Task) -> pl.DataFrame | None:
    """Return the members of some clusters."""
    if not task.n_seeds:
        return None
    clusters = task.truth["cluster"].unique().sort().sample(task.n_seeds, seed=1)
    known = task.truth.filter(pl.col("cluster").is_in(clusters.implode()))
    entities = {graph.name: set(graph.entities) for graph in task.graphs}
    has_facts = [entity in entities[graph] for graph, entity in known["graph", "entity"].rows()]
    return known.filter(pl.Series(has_facts))


# ----------------------------------------------------------------------------------- figures


def print_rows(task: Task, run: ClusterRun) -> None:
    """Print a row for the links of each two graphs, for components and for clusters."""
    truth, seeds = pairs_of(task.truth, run.graphs), of_pairs(run, "seeds")
    linked = of_pairs(run, "links")
    ways = (
        ("links of each two", linked),
        ("components", components(pl.concat([linked, seeds], how="diagonal"), run.graphs)),
        ("clusters", run.links),
    )
    for way, found in ways:
        new = found.join(seeds, on=PAIR, how="anti")
        expected = truth.join(seeds, on=PAIR, how="anti")
        right = new.join(expected, on=PAIR, how="semi")
        own = link_figures(len(new), len(right), len(expected))
        has_confidence = "confidence" in new.columns and len(new)
        mean = f"{new['confidence'].sum() / len(new):.3f}" if has_confidence else ""
        print(f"| {task.name} | {task.n_seeds} | {way} | {cells(own)} | {mean} |")


def cells(own: LinkFigures) -> str:
    """Return the number of pairs, precision, recall and F1."""
    return f"{own.n_links:,} | {own.precision:.3f} | {own.recall:.3f} | {own.f1:.3f}"


def of_pairs(run: ClusterRun, name: str) -> pl.DataFrame:
    """Return the seeds or the links of all pairs of graphs."""
    parts: list[pl.DataFrame] = [
        getattr(own, name)
        .select("left", "right", *(["confidence"] if name == "links" else []))
        .with_columns(graph_left=pl.lit(left), graph_right=pl.lit(right))
        for (left, right), own in run.pairs.items()
    ]
    return pl.concat(parts)


def pairs_of(clusters: pl.DataFrame, graphs: list[str]) -> pl.DataFrame:
    """Return all pairs of entities of two graphs within clusters."""
    return pl.concat(
        clusters.filter(graph=left)
        .join(clusters.filter(graph=right), on="cluster")
        .select(graph_left="graph", left="entity", graph_right="graph_right", right="entity_right")
        for left, right in combinations(graphs, 2)
    )


def components(links: pl.DataFrame, graphs: list[str]) -> pl.DataFrame:
    """Return all pairs of whatever links connect."""
    ends = [links.select(graph=f"graph_{side}", entity=side) for side in ("left", "right")]
    nodes = pl.concat(ends).unique().sort("graph", "entity").with_row_index("node")
    one, other = (
        end.join(nodes, on=["graph", "entity"], maintain_order="left")["node"].to_numpy()
        for end in ends
    )
    joined = sp.coo_array((np.ones(len(links), bool), (one, other)), shape=(len(nodes),) * 2)
    _, cluster = sp.csgraph.connected_components(joined, directed=False)
    return pairs_of(nodes.with_columns(cluster=pl.Series(cluster)), graphs)


if __name__ == "__main__":
    main()
