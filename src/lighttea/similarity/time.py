"""Time similarity (eq. 8) on candidates only, and its blend with the label similarity (eq. 9)."""

from __future__ import annotations

import numba
import numpy as np

from lighttea.engines import kernels
from lighttea.graph.pair import Pair
from lighttea.graph.views import View
from lighttea.similarity.topk import Candidates
from lighttea.types import Floats


def time_similarity(candidates: Candidates, tick_counts: View, pair: Pair) -> Floats:
    """2v / (k + q) on the multisets of ticks: (n, k); NaN where either side knows no time."""
    left, right = pair.left_nodes(candidates.left), pair.right_nodes(candidates.right)
    shared = np.zeros(candidates.index.shape, np.float32)
    kernels.shared_counts(
        tick_counts.start,
        tick_counts.columns,
        tick_counts.weights,
        tick_counts.n_columns,
        left,
        right,
        candidates.index,
        8 * numba.get_num_threads(),
        shared,
    )
    size = np.asarray(tick_counts.to_scipy().sum(axis=1), np.float32).reshape(-1)
    left_size, right_size = size[left][:, None], size[right][candidates.index]
    both_known = (left_size > 0) & (right_size > 0) & candidates.valid
    out = np.full(shared.shape, np.nan, np.float32)
    np.divide(2 * shared, left_size + right_size, out=out, where=both_known)
    return out


def with_temporal_constraint(
    candidates: Candidates, tick_counts: View, pair: Pair, beta: float
) -> Candidates:
    """S' = (1 - beta) S^l + beta S^t (eq. 9); where a time is unknown S' = S^l.

    Unknown time is neutral. Counting it as zero overlap would make it evidence against a link.
    """
    if beta == 0:
        return candidates
    time = time_similarity(candidates, tick_counts, pair)
    known = ~np.isnan(time)
    blended = np.float32(1 - beta) * candidates.label + np.float32(beta) * np.where(known, time, 0)
    return candidates.with_scores(time=time, score=np.where(known, blended, candidates.label))
