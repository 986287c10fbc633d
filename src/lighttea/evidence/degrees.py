"""Evidence that needs no link: when an entity's facts hold, and how well known the other end is.

How many facts an entity has is about the same on both sides, so a fact's tick and the degree of its
other end tell more than the tick alone. Degrees count in half powers of two, and the next one too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.evidence import PlainTokens
from lighttea.evidence.tokens import TokenKind, make_tokens
from lighttea.graph.pair import Pair
from lighttea.graph.timeline import UNKNOWN

TIMED = TokenKind(False, False, "degree", 2.0)
UNTIMED = TokenKind(False, False, "degree", 1.0)


def degree_tokens(pair: Pair) -> Iterator[PlainTokens]:
    """Yield tokens of the other end's degree, with the tick where both sides know times."""
    degree = np.bincount(pair.head, minlength=pair.n_nodes)
    size = np.floor(2 * np.log2(np.maximum(degree, 1))).astype(np.int32)[pair.tail]
    near = np.stack([size, size + 1]).T.reshape(-1)
    head, tick = np.repeat(pair.head, 2), np.repeat(pair.tick, 2)
    make = partial(make_tokens, PLAIN, pair.n_nodes, n_decoys=pair.n_decoys)
    if pair.has_time:
        known = tick != UNKNOWN
        yield TIMED, make(head[known], tick[known], near[known])
    yield UNTIMED, make(head, near)
