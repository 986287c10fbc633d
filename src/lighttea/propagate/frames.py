"""L^(0): the random points that seeds start with, each its own, whoever the other seeds are.

Points come in frames of `dim` that are orthogonal to one another: seeds of one frame do not
resemble each other at all, where independent points would by chance. Known seeds fill the first
frames in their order; a pair that was found has the place of its left entity. So one pair more or
less changes no other's point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from lighttea.graph.pair import Links, Pair
from lighttea.kernels.threads import one_thread
from lighttea.types import Floats, Ints


@dataclass(frozen=True)
class SeedFrames:
    """The points in the few numbers that they are made of.

    A frame is one fixed frame with its coordinates shuffled and their signs drawn. Any columns of
    the points can be had without the others.
    """

    place: Ints  # (n,) of each seed, counted through all frames
    frame: Floats  # (dim, dim)
    signs: Floats  # (n_frames, dim)
    order: Ints  # (n_frames, dim)

    @classmethod
    def draw(
        cls, pair: Pair, seeds: Links, n_known: int, dim: int, rng: np.random.Generator
    ) -> SeedFrames:
        """The first `n_known` seeds are the known ones. One number is taken from the generator."""
        drawn = int(rng.integers(1 << 62))
        for_signs, for_order = (np.random.default_rng([drawn, part]) for part in range(2))
        place = np.concatenate(
            [np.arange(n_known), n_known + seeds.left[n_known:].astype(np.int64)]
        )
        n_frames = -(-(n_known + pair.n_left) // dim)
        signs = for_signs.choice(np.array([-1, 1], np.float32), (n_frames, dim))
        order = for_order.permuted(np.tile(np.arange(dim, dtype=np.int32), (n_frames, 1)), axis=1)
        return cls(place, fixed_frame(dim), signs, order)

    def columns(self, wanted: slice = slice(None)) -> Floats:
        """(n, width): these columns of all points."""
        rows = np.empty((len(self.place), len(self.signs[0, wanted])), np.float32)
        for number, here, within in self._by_frame():
            order, signs = self.order[number, wanted], self.signs[number, wanted]
            rows[here] = self.frame[within[:, None], order] * signs
        return rows

    def _by_frame(self) -> Iterator[tuple[int, Ints, Ints]]:
        """Each frame that has seeds: its number, whose they are, and their places within."""
        number, within = np.divmod(self.place, len(self.frame))
        order = np.argsort(number, kind="stable")
        used, begin = np.unique(number[order], return_index=True)
        for one, first, end in zip(used, begin, [*begin[1:], len(order)], strict=False):
            here = order[first:end]
            yield int(one), here, within[here]


@cache
def fixed_frame(dim: int) -> Floats:
    """dim unit rows, all orthogonal to one another: always the same ones."""
    drawn = np.random.default_rng(dim).standard_normal((dim, dim))
    with one_thread():
        frame = np.linalg.qr(drawn)[0].astype(np.float32)
    frame.setflags(write=False)
    return frame
