"""Random numbers that depend on what a graph says, not on how its entities are numbered.

Where chance decides about an entity or a fact, it does so by a key made of their names. So a fact
more, or an entity more, changes few of the random numbers of the others, and a graph that has grown
a little is aligned much as before (docs/decisions/update.md). Keys of one name are the same on both
sides; who draws by them mixes them with a number of the side first, so that what is drawn for a
name on the left says nothing of what is drawn for it on the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lighttea.types import Ints

Keys: TypeAlias = NDArray[np.uint64]

# the steps of splitmix64 (Steele, Lea and Flood, 2014)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIXES = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
_LAST = np.uint64(31)


def name_keys(names: Sequence[str]) -> Keys:
    """Return a key for each name, of 64 bits."""
    digests = [
        blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest() for name in names
    ]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def mix_keys(*columns: Ints | int) -> Keys:
    """Return a number for each row of the columns: any bit depends on all of them, in their order.

    A column may be one number for all rows; the first one is not.
    """
    mixed = np.zeros(np.shape(columns[0]), np.uint64)
    for column in columns:
        own = np.uint64(column) if isinstance(column, int) else column.astype(np.uint64)
        mixed ^= own
        mixed += _STEP
        for shift, factor in _MIXES:
            mixed ^= mixed >> shift
            mixed *= factor
        mixed ^= mixed >> _LAST
    return mixed


def draw_number(rng: np.random.Generator) -> int:
    """Return a number to mix keys with; one number is taken from the generator."""
    return int(rng.integers(1 << 62))
