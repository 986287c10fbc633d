"""How many facts of the world the first two sides tell both: drawn for both, or by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lighttea.synth.sides import draw_told_facts, make_sides
from lighttea.synth.world import World, WorldFacts

MOST_KEYS = 4_000_000  # facts of both sides that are compared; of more facts a sample is
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd and far from regular: mixes the bits of a number


def count_common_facts(world: World, chunk: int, most_keys: int = MOST_KEYS) -> int:
    """Return how many facts the first two sides tell both, whatever they know of the time.

    Facts are drawn again, a chunk at a time. Where they are many, those are counted whose key falls
    into a sample, and the count is scaled up: memory does not grow with the facts.
    """
    config = world.config
    every = max(1, -(-(config.n_facts_left + config.n_facts_right) // most_keys))
    n_chunks = -(-max(config.n_facts_left, config.n_facts_right) // chunk)
    left, right = (
        np.unique(
            np.concatenate(
                [
                    _sample(_keys_of(draw_told_facts(world, side, number, n_chunks)), every)
                    for number in range(n_chunks)
                ]
            )
        )
        for side in make_sides(world)[:2]
    )
    return every * len(np.intersect1d(left, right, assume_unique=True))


def _keys_of(facts: WorldFacts) -> NDArray[np.uint64]:
    """Return one number for each fact; different facts have different ones, all but surely."""
    key = np.zeros(len(facts), np.uint64)
    for column in vars(facts).values():
        key = (key + column.astype(np.uint64)) * _FACTOR
        key ^= key >> np.uint64(29)
    return key


def _sample(keys: NDArray[np.uint64], every: int) -> NDArray[np.uint64]:
    is_sampled = keys % np.uint64(every) == 0
    return keys[np.flatnonzero(is_sampled)]
