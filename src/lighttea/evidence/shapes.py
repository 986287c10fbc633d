"""Evidence that needs no link: when an entity's facts hold, and how well known the other end is.

How many facts an entity has is about the same on both sides, so a fact's tick and the size of its
other end tell more than the tick alone. Sizes count in half powers of two, and the next one too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.pair import Pair
from lighttea.graph.timeline import UNKNOWN

TIMED = Kind(False, False, "shape", 2.0)
UNTIMED = Kind(False, False, "shape", 1.0)


def shape_tokens(pair: Pair) -> Iterator[tuple[Kind, Tokens]]:
    """Size of the other end, with the tick where both sides know times."""
    degree = np.bincount(pair.head, minlength=pair.n_nodes)
    size = np.floor(2 * np.log2(np.maximum(degree, 1))).astype(np.int32)[pair.tail]
    near = np.stack([size, size + 1]).T.reshape(-1)
    head, tick = np.repeat(pair.head, 2), np.repeat(pair.tick, 2)
    if pair.has_time:
        known = tick != UNKNOWN
        yield TIMED, Tokens.of(pair.n_nodes, head[known], tick[known], near[known])
    yield UNTIMED, Tokens.of(pair.n_nodes, head, near)
