"""Lists of numbers of different lengths, end to end in one array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.types import Bools, Ints


@dataclass(frozen=True)
class Lists:
    """Row r has item[start[r]:start[r + 1]]."""

    start: Ints
    item: Ints

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> Lists:
        """Return rows of numbers end to end."""
        kept = list(rows)
        start = np.zeros(len(kept) + 1, np.int64)
        np.cumsum([len(row) for row in kept], out=start[1:])
        item = np.fromiter((i for row in kept for i in row), np.int32, int(start[-1]))
        return cls(start, item)

    def __len__(self) -> int:
        return len(self.start) - 1

    def of_row(self, row: int) -> Ints:
        """Return the items of one row."""
        return self.item[self.start[row] : self.start[row + 1]]

    def take(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the items of these rows, one after the other: places in `rows`, and items."""
        begin = self.start[rows]
        count = self.start[rows + 1] - begin
        place = np.repeat(np.arange(len(rows)), count)
        first = np.cumsum(count) - count
        return place, self.item[np.arange(len(place)) - np.repeat(first - begin, count)]

    def through(self, others: Lists) -> Lists:
        """Return for each row the items of the rows of `others` that its items are."""
        place, item = others.take(self.item)
        row = np.repeat(np.arange(len(self)), np.diff(self.start))[place]
        return Lists(np.searchsorted(row, np.arange(len(self) + 1)), item)

    def where(self, kept: Bools) -> Lists:
        """Return the lists with some of the items."""
        sums = np.concatenate([[0], np.cumsum(kept)])
        return Lists(sums[self.start], self.item[kept])
