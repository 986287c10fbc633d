"""Evidence that needs no link: when an entity's facts hold, and how well known the other end is.

How many facts an entity has is about the same on both sides, so a fact's tick and the degree of its
other end tell more than the tick alone. Degrees count in half powers of two, and the next one too.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from lighttea.engines.ops import Ops
from lighttea.engines.tables import TokenLists
from lighttea.evidence.tokens import TokenKind, make_tokens
from lighttea.graph.pair import Pair
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import A

TIMED = TokenKind(False, False, "degree", 2.0)
UNTIMED = TokenKind(False, False, "degree", 1.0)


def degree_tokens(ops: Ops[A], pair: Pair) -> list[tuple[TokenKind, TokenLists[A]]]:
    """Return tokens of the other end's degree, with the tick where both sides know times."""
    degree = np.bincount(pair.head, minlength=pair.n_nodes)
    size_of_node = np.floor(2 * np.log2(np.maximum(degree, 1))).astype(np.int32)
    size = ops.asarray(size_of_node)[ops.asarray(pair.tail)]
    near = ops.concat([size[:, None], size[:, None] + 1], 1).reshape(-1)
    twice = ops.full((len(size),), 2, "int64")
    head, tick = (ops.repeat(ops.asarray(column), twice) for column in (pair.head, pair.tick))
    make = partial(make_tokens, ops, pair.n_nodes, n_decoys=pair.n_decoys)
    untimed = UNTIMED, make(head, near)
    if not pair.has_time:
        return [untimed]
    known = ops.nonzero(~ops.equal(tick, UNKNOWN))
    return [(TIMED, make(head[known], tick[known], near[known])), untimed]
