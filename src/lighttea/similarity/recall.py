"""How much of the exact result an approximate search finds, measured on a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.engines.base import Blocks, Engine
from lighttea.engines.ops import Ops
from lighttea.engines.tables import TopK
from lighttea.propagate.labels import Labels
from lighttea.similarity.exact import exact_search, split_rows
from lighttea.types import A, Bools, Ints

RECALL_SAMPLE = 500  # left rows that are searched exactly too


@dataclass(frozen=True)
class Recall:
    """What an approximate search found of the exact result."""

    best: float  # share of rows whose exact best candidate is among those found
    all_k: float  # share of all exact candidates that were found


@dataclass(frozen=True)
class RecallCounts:
    """Counts on some rows, to be added up over blocks."""

    n_rows: int  # that have any exact candidate
    n_best: int  # whose exact best was found
    n_exact: int  # exact candidates
    n_found: int  # of them

    def __add__(self, other: RecallCounts) -> RecallCounts:
        return RecallCounts(
            self.n_rows + other.n_rows,
            self.n_best + other.n_best,
            self.n_exact + other.n_exact,
            self.n_found + other.n_found,
        )


def measure_recall(
    engine: Engine[A],
    labels: Labels[A],
    k: int,
    asking: Bools,
    top: Blocks[TopK[A]],
    rng: np.random.Generator,
) -> Recall:
    """Search some left entities exactly too, and compare.

    One number is taken from the generator, however many entities there are.
    """
    rows, own = np.flatnonzero(asking), np.random.default_rng(int(rng.integers(1 << 62)))
    sample = np.zeros_like(asking)
    sample[own.choice(rows, min(RECALL_SAMPLE, len(rows)), replace=False)] = True
    exact = exact_search(engine, labels, k, sample)
    counts = engine.map(count_recall, top, exact, split_rows(engine, sample))
    total = engine.fetch(engine.run(add_counts, counts))
    return Recall(
        total.n_best / total.n_rows if total.n_rows else 1.0,
        total.n_found / total.n_exact if total.n_exact else 1.0,
    )


# ----------------------------------------------------------------------------- of one block


def count_recall(ops: Ops[A], top: TopK[A], exact: TopK[A], rows: Ints) -> RecallCounts:
    """Return what was found of the exact candidates of some rows."""
    index, label = (ops.to_numpy(table)[rows] for table in (exact.index, exact.label))
    mine = ops.to_numpy(top.index)[rows]
    valid = index >= 0
    is_found = np.array(
        [np.isin(places, own[own >= 0]) for places, own in zip(index, mine, strict=True)], bool
    ).reshape(index.shape)
    best = np.where(valid, label, -np.inf).argmax(axis=1)
    has_any = valid.any(axis=1)
    return RecallCounts(
        int(has_any.sum()),
        int((is_found[np.arange(len(rows)), best] & has_any).sum()),
        int(valid.sum()),
        int((is_found & valid).sum()),
    )


def add_counts(ops: Ops[A], parts: list[RecallCounts]) -> RecallCounts:
    """Return the counts of all blocks."""
    return sum(parts[1:], parts[0])
