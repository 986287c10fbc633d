"""L^(0): the random vectors that seeds start with, each independent of the other seeds.

Vectors come in frames of `dim` that are orthogonal to one another: seeds of one frame do not
resemble each other at all, where independent vectors would by chance. Known seeds fill the first
frames in their order; a promoted pair has the place of its left entity, which depends on that one's
name. So one pair more or less changes no other vector, and one entity more hardly any.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from lighttea.engines.ops import Ops, few_rows
from lighttea.engines.tables import NodeRows
from lighttea.graph.keys import Keys, draw_number
from lighttea.graph.pair import Links, Pair
from lighttea.kernels.threads import one_thread
from lighttea.types import A, Floats, Ints


@dataclass(frozen=True)
class SeedVectors:
    """The vectors of all seeds, in the few numbers that they are made of.

    A frame is one fixed frame with its coordinates shuffled and their signs drawn, so any columns
    of the vectors can be had without the others.
    """

    ends: Ints  # (2, n) nodes of both ends of each seed
    place: Ints  # (n,) of each seed, counted through all frames
    frame: Floats  # (dim, dim)
    signs: Floats  # (n_frames, dim)
    order: Ints  # (n_frames, dim)
    n_nodes: int

    @classmethod
    def draw(
        cls, pair: Pair, seeds: Links, n_known: int, dim: int, rng: np.random.Generator
    ) -> SeedVectors:
        """Draw the frames; the first `n_known` seeds are the known ones.

        One number is taken from the generator, however many seeds there are.
        """
        drawn = draw_number(rng)
        for_signs, for_order = (np.random.default_rng([drawn, part]) for part in range(2))
        place = np.concatenate(
            [np.arange(n_known), n_known + spread_places(pair.left_keys)[seeds.left[n_known:]]]
        )
        n_frames = -(-(n_known + count_places(pair.n_left)) // dim)
        signs = for_signs.choice(np.array([-1, 1], np.float32), (n_frames, dim))
        order = for_order.permuted(np.tile(np.arange(dim, dtype=np.int32), (n_frames, 1)), axis=1)
        ends = np.stack([pair.left_nodes(seeds.left), pair.right_nodes(seeds.right)])
        return cls(ends, place, fixed_frame(dim), signs, order, pair.n_nodes)


def count_places(n: int) -> int:
    """Return how many places n entities are spread over: a power of two, then room for the last."""
    return (1 << (2 * n).bit_length()) + n


def spread_places(keys: Keys) -> Ints:
    """Return a place of its own for each entity, by its key.

    That is where its key lies among all numbers, or the next one that is free.
    """
    order = np.argsort(keys, kind="stable")
    bits = (2 * len(keys)).bit_length()
    wanted = (keys[order] >> np.uint64(64 - bits)).astype(np.int64)
    count = np.arange(len(keys))
    places = np.empty(len(keys), np.int64)
    places[order] = np.maximum.accumulate(wanted - count) + count
    return places


@cache
def fixed_frame(dim: int) -> Floats:
    """Return `dim` unit rows, all orthogonal to one another: always the same ones."""
    drawn = np.random.default_rng(dim).standard_normal((dim, dim))
    with one_thread():
        frame = np.linalg.qr(drawn)[0].astype(np.float32)
    frame.setflags(write=False)
    return frame


def seed_rows(ops: Ops[A], vectors: SeedVectors, columns: slice, compact: bool) -> NodeRows[A]:
    """Return some columns of L^(0): equal for both ends of a seed, zero for all other nodes."""
    dim, n_seeds = len(vectors.frame), len(vectors.place)
    rows = ops.empty_rows(n_seeds, columns.stop - columns.start, 1, compact=compact)
    frame, signs = ops.asarray(vectors.frame), ops.asarray(vectors.signs[:, columns])
    order = ops.asarray(vectors.order[:, columns], "int64")
    seed_place = ops.asarray(vectors.place, "int64")
    for some in few_rows(ops, n_seeds):
        place = seed_place[some]
        number = place // dim
        points = ops.take_along_rows(frame[place % dim], order[number])
        rows.put(some.start, points * signs[number])
    ends = [ops.asarray(nodes, "int64") for nodes in vectors.ends]
    return ops.spread_rows(rows, ends, vectors.n_nodes)
