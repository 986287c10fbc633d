"""A run compared with the truth: ranks of the true links, precision and recall of the links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lighttea.display import Displayed
from lighttea.errors import InputError
from lighttea.evaluate.ranking import (
    ROUNDING,
    LinkFigures,
    Ranking,
    figure_table,
    link_figures,
    ranking_figures,
)
from lighttea.inputs.links import LinkTable, read_link_table
from lighttea.results.names import graph_names
from lighttea.results.run import Run


@dataclass(frozen=True, repr=False)
class Evaluation(Displayed):
    """The figures of one run.

    `links` takes the truth as complete: a link of an entity outside the truth counts as wrong.
    `links_of_known` counts only the links of left entities that are in the truth.
    """

    ranking: Ranking
    links: LinkFigures
    links_of_known: LinkFigures
    n_truth: int
    n_unknown: int  # true links that name an entity without any fact
    n_seeds_left_out: int

    def to_dict(self) -> dict[str, Any]:
        """Return all figures for JSON."""
        return {
            **self.ranking.to_dict(),
            **self.links.to_dict(),
            "precision_of_known": self.links_of_known.precision,
            "n_truth": self.n_truth,
            "n_unknown": self.n_unknown,
            "n_seeds_left_out": self.n_seeds_left_out,
        }

    def _summary(self) -> str:
        rank, links = self.ranking, self.links
        return (
            f"Hits@1 {rank.hits_at_1:.4f}, MRR {rank.mrr:.4f}; precision {links.precision:.4f}, "
            f"recall {links.recall:.4f}, F1 {links.f1:.4f}; {self.n_truth:,} true links"
        )

    def _tables(self) -> list[str]:
        return [figure_table(self.to_dict())]


def evaluate_run(run: Run, truth: LinkTable) -> Evaluation:
    """Return the figures of a run; true links that were seeds are left out."""
    table = read_link_table(truth, "true link").select("left", "right")
    if table.is_empty():
        raise InputError("the truth is empty; give at least one true link")
    all_truth = table.unique(maintain_order=True)
    known = _have_facts(run, all_truth)
    expected = all_truth.join(run.seeds, on=["left", "right"], how="anti")
    if expected.is_empty():
        raise InputError("every true link is a seed; nothing is left to evaluate")
    correct = run.links.join(expected, on=["left", "right"], how="semi")
    of_known = run.links.join(expected, on="left", how="semi")
    return Evaluation(
        ranking=ranking_figures(_ranks(run.candidates, expected)),
        links=link_figures(len(run.links), len(correct), len(expected)),
        links_of_known=link_figures(len(of_known), len(correct), len(expected)),
        n_truth=len(expected),
        n_unknown=int((~known).sum()),
        n_seeds_left_out=len(all_truth) - len(expected),
    )


def _ranks(
    candidates: pl.DataFrame, expected: pl.DataFrame
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the realistic rank of each expected link; infinite outside the kept candidates."""
    own = expected.join(
        candidates.select("left", "right", own="confidence"), on=["left", "right"], how="left"
    )
    ranked = (
        own.filter(pl.col("own").is_not_null())
        .join(candidates.select("left", "confidence"), on="left")
        .group_by("left", "right", maintain_order=True)
        .agg(
            greater=(pl.col("confidence") > pl.col("own") * (1 + ROUNDING)).sum(),
            equal=((pl.col("confidence") - pl.col("own")).abs() <= pl.col("own") * ROUNDING).sum()
            - 1,
        )
        .select(rank=1 + pl.col("greater") + pl.col("equal") / 2)
    )
    missing = len(expected) - len(ranked)
    return np.concatenate([ranked["rank"].to_numpy(), np.full(missing, np.inf)])


def _have_facts(run: Run, truth: pl.DataFrame) -> pl.Series:
    """Mark the true links whose entities have facts; raise an error where a side has none."""
    known, graphs = pl.repeat(True, len(truth), eager=True), graph_names(run)
    for side, facts in (("left", run.facts_left), ("right", run.facts_right)):
        names = pl.concat([facts["head"], facts["tail"]])
        has_facts = truth[side].is_in(names.implode())
        if not has_facts.any():
            raise InputError(
                f"no {side} entity of the truth is in {graphs.graph(side)} (the first is "
                f"{truth[side][0]!r}); are the columns swapped, or does the truth belong to "
                "other graphs?"
            )
        known &= has_facts
    return known
