"""Time similarity (eq. 8), on candidates only."""

from __future__ import annotations

from lighttea.engines.base import Blocks, Engine
from lighttea.engines.ops import Ops
from lighttea.graph.views import View
from lighttea.similarity.candidates import Candidates, add_times, index_of
from lighttea.similarity.exact import places_within
from lighttea.types import A

TickCounts = tuple[Blocks[View[A]], Blocks[View[A]]]  # of left and right entities


def add_time_similarity(
    engine: Engine[A], candidates: Blocks[Candidates[A]], tick_counts: TickCounts[A]
) -> Blocks[Candidates[A]]:
    """Return the candidates with 2v / (k + q) on the multisets of ticks of both entities.

    NaN where either side knows no time.
    """
    left, right_blocks = tick_counts
    index = engine.map(index_of, candidates)
    times: Blocks[A] | None = None
    for right, begin in zip(right_blocks, engine.layout.right.begins, strict=True):
        times = engine.map(times_so_far, left, right, begin, index, times)
    return engine.map(add_times, candidates, times)


# ----------------------------------------------------------------------------- of one block


def times_so_far(
    ops: Ops[A], left: View[A], right: View[A], begin: int, index: A, before: A | None
) -> A:
    """Return S^t of candidates in one right block, beside that of blocks before."""
    own = places_within(ops, index, begin, right.shape[0])
    here = ops.multiset_dice(left, right, own)
    return here if before is None else ops.where(own >= 0, here, before)
