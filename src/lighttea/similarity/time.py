"""Time similarity (eq. 8) on candidates only, and its blend with the label similarity (eq. 9)."""

from __future__ import annotations

import numpy as np

from lighttea.engines import kernels
from lighttea.engines.threads import current_threads
from lighttea.graph.pair import Pair
from lighttea.graph.views import View
from lighttea.similarity.topk import Candidates
from lighttea.types import Floats


def time_similarity(candidates: Candidates, tick_counts: View, pair: Pair) -> Floats:
    """2v / (k + q) on the multisets of ticks: (n, k); NaN where either side knows no time."""
    out = np.empty(candidates.index.shape, np.float32)
    kernels.multiset_dice(
        tick_counts.start,
        tick_counts.columns,
        tick_counts.weights,
        tick_counts.n_columns,
        pair.left_nodes(candidates.left),
        pair.right_nodes(candidates.right),
        candidates.index,
        8 * current_threads(),
        out,
    )
    return out


def with_temporal_constraint(
    candidates: Candidates, tick_counts: View, pair: Pair, beta: float
) -> Candidates:
    """S' = (1 - beta) S^l + beta S^t (eq. 9); where a time is unknown S' = S^l."""
    if beta == 0:
        return candidates
    timed = candidates.with_times(time_similarity(candidates, tick_counts, pair))
    return timed.weighted(beta, 0)
