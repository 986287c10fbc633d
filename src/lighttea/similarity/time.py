"""Time similarity (eq. 8), on candidates only."""

from __future__ import annotations

import numpy as np

from lighttea.graph.pair import Pair
from lighttea.graph.views import View
from lighttea.kernels import sets
from lighttea.kernels.threads import current_threads
from lighttea.similarity.topk import Candidates
from lighttea.types import Floats


def time_similarity(candidates: Candidates, tick_counts: View, pair: Pair) -> Floats:
    """2v / (k + q) on the multisets of ticks: (n, k); NaN where either side knows no time."""
    out = np.empty(candidates.index.shape, np.float32)
    sets.multiset_dice(
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
