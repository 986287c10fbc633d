"""Ranks of the true candidates, ties included, and the usual figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lighttea.display import Displayed, html_table
from lighttea.types import Bools, Doubles, Floats, Ints

ROUNDING = 1e-6  # relative: eight times the last bit of a float32


@dataclass(frozen=True, repr=False)
class Ranking(Displayed):
    """Hits@k and mean reciprocal rank; a true link outside the candidates counts as a miss."""

    hits_at_1: float
    hits_at_5: float
    hits_at_10: float
    mrr: float
    n: int
    n_unranked: int

    def to_dict(self) -> dict[str, float]:
        """Return the figures under their usual names."""
        return {
            "hits@1": self.hits_at_1,
            "hits@5": self.hits_at_5,
            "hits@10": self.hits_at_10,
            "mrr": self.mrr,
            "n": self.n,
            "n_unranked": self.n_unranked,
        }

    def _summary(self) -> str:
        return (
            f"Hits@1 {self.hits_at_1:.4f}, Hits@10 {self.hits_at_10:.4f}, MRR {self.mrr:.4f}; "
            f"{self.n:,} true links, {self.n_unranked:,} outside the candidates"
        )

    def _tables(self) -> list[str]:
        return [figure_table(self.to_dict())]


def realistic_ranks(value: Floats, valid: Bools, gold: Bools) -> Doubles:
    """Return the rank of the gold candidate of each row, (n_rows,); infinite where there is none.

    Equal values share the mean of their ranks: 1 + number of greater ones + number of other equal
    ones / 2. Values that differ by rounding alone are equal: the last bit of a product depends on
    where its column stands, and so on the order of ids. `gold` marks at most one candidate per row.
    """
    is_ranked = gold.any(axis=1)
    own = value[np.arange(len(value)), gold.argmax(axis=1)][:, None]
    rounding = ROUNDING * np.abs(own)
    greater = (valid & (value > own + rounding)).sum(axis=1)
    equal = (valid & (np.abs(value - own) <= rounding)).sum(axis=1) - 1
    return np.where(is_ranked, 1 + greater + equal / 2, np.inf)


def ranking_figures(ranks: Doubles) -> Ranking:
    """Return Hits@k and MRR of these ranks."""
    if not len(ranks):
        return Ranking(0.0, 0.0, 0.0, 0.0, 0, 0)
    return Ranking(
        hits_at_1=float((ranks <= 1).mean()),
        hits_at_5=float((ranks <= 5).mean()),
        hits_at_10=float((ranks <= 10).mean()),
        mrr=float((1 / ranks).mean()),
        n=len(ranks),
        n_unranked=int(np.isinf(ranks).sum()),
    )


@dataclass(frozen=True, repr=False)
class LinkFigures(Displayed):
    """Precision, recall and F1 of the links."""

    precision: float
    recall: float
    f1: float
    n_links: int
    n_correct: int

    def to_dict(self) -> dict[str, float]:
        """Return the figures by name."""
        return dict(vars(self))

    def _summary(self) -> str:
        return (
            f"precision {self.precision:.4f}, recall {self.recall:.4f}, F1 {self.f1:.4f}; "
            f"{self.n_correct:,} of {self.n_links:,} links are right"
        )

    def _tables(self) -> list[str]:
        return [figure_table(self.to_dict())]


def link_figures(n_links: int, n_correct: int, n_truth: int) -> LinkFigures:
    """Return precision, recall and F1; 0 where there is nothing to divide by."""
    precision = n_correct / n_links if n_links else 0.0
    recall = n_correct / n_truth if n_truth else 0.0
    both = precision + recall
    return LinkFigures(
        precision, recall, 2 * precision * recall / both if both else 0.0, n_links, n_correct
    )


def gold_mask(index: Ints, gold_place: Ints) -> Bools:
    """Mark the gold candidate of each row; a gold place of -1 marks none."""
    return np.asarray((index == gold_place[:, None]) & (gold_place[:, None] >= 0))


def figure_table(figures: Mapping[str, float]) -> str:
    """Return named figures as an HTML table: shares to four digits, counts whole."""
    rows = [
        (name, f"{value:,}" if isinstance(value, int) else f"{value:.4f}")
        for name, value in figures.items()
    ]
    return html_table(("figure", "value"), rows)
