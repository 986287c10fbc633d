"""Clusters compared with the truth, pair by pair, beside the links of each two graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from lighttea.display import Displayed
from lighttea.errors import InputError
from lighttea.evaluate.ranking import LinkFigures, figure_table, link_figures
from lighttea.inputs.clusters import PAIR, ClusterTable, pairs_of_table
from lighttea.results.clusters import ClusterRun


@dataclass(frozen=True, repr=False)
class ClusterEvaluation(Displayed):
    """Precision, recall and F1 over pairs of entities of two graphs.

    `clusters` counts all pairs within clusters, `pairwise` the links of each two graphs alone, as
    `align` gives them. Pairs that were seeds are left out of both, and so are pairs of graphs that
    the truth says nothing of.
    """

    clusters: LinkFigures
    pairwise: LinkFigures
    n_truth: int
    n_seeds_left_out: int

    def to_dict(self) -> dict[str, Any]:
        """Return all figures for JSON."""
        return {
            **self.clusters.to_dict(),
            **{f"pairwise_{name}": value for name, value in self.pairwise.to_dict().items()},
            "n_truth": self.n_truth,
            "n_seeds_left_out": self.n_seeds_left_out,
        }

    def _summary(self) -> str:
        own, alone = self.clusters, self.pairwise
        return (
            f"precision {own.precision:.4f}, recall {own.recall:.4f}, F1 {own.f1:.4f}; links of "
            f"each two graphs alone: F1 {alone.f1:.4f}; {self.n_truth:,} true pairs"
        )

    def _tables(self) -> list[str]:
        return [figure_table(self.to_dict())]


def evaluate_clusters(run: ClusterRun, truth: ClusterTable) -> ClusterEvaluation:
    """Return the figures of the clusters, and of the links that they were made of."""
    true_pairs = pairs_of_table(truth, _entities(run), "true link")
    if true_pairs.is_empty():
        raise InputError("the truth is empty; give at least one true link")
    seeds, linked = (_of_pairs(run, name) for name in ("seeds", "links"))
    expected = true_pairs.join(seeds, on=PAIR, how="anti")
    if expected.is_empty():
        raise InputError("every true link is a seed; nothing is left to evaluate")
    graphs = ["graph_left", "graph_right"]
    figures = [
        link_figures(len(new), len(new.join(expected, on=PAIR, how="semi")), len(expected))
        for new in (
            pairs.join(seeds, on=PAIR, how="anti").join(expected, on=graphs, how="semi")
            for pairs in (run.links, linked)
        )
    ]
    return ClusterEvaluation(
        clusters=figures[0],
        pairwise=figures[1],
        n_truth=len(expected),
        n_seeds_left_out=len(true_pairs) - len(expected),
    )


def _of_pairs(run: ClusterRun, name: str) -> pl.DataFrame:
    """Return the seeds or the links of all pairs of graphs."""
    parts: list[pl.DataFrame] = [
        getattr(own, name).select(
            pl.lit(left).alias("graph_left"), "left", pl.lit(right).alias("graph_right"), "right"
        )
        for (left, right), own in run.pairs.items()
    ]
    return pl.concat(parts)


def _entities(run: ClusterRun) -> dict[str, set[str]]:
    """Return the entities of each graph that have a fact or a literal, or are seeds."""
    known: dict[str, set[str]] = {graph: set() for graph in run.graphs}
    for pair, own in run.pairs.items():
        for graph, side in zip(pair, ("left", "right"), strict=True):
            facts, literals = getattr(own, f"facts_{side}"), getattr(own, f"attributes_{side}")
            columns = (facts["head"], facts["tail"], literals["entity"], own.seeds[side])
            known[graph].update(*(column.unique().to_list() for column in columns))
    return known
