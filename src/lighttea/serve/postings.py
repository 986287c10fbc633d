"""An inverted index: the rows that each key occurs in."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.types import Ints

_LAST_LETTER = "\U0010ffff"


@dataclass(frozen=True)
class Postings:
    """Keys in order, and the rows of each: those of key k are rows[start[k]:start[k + 1]]."""

    keys: Sequence[str]
    number: dict[str, int]
    start: Ints
    rows: Ints

    @classmethod
    def of(cls, keys_of_rows: Iterable[Iterable[str]]) -> Postings:
        """Return the index of rows, each given by its keys; a key counts once in a row."""
        first_seen: dict[str, int] = {}
        codes, rows = array("i"), array("i")
        for row, keys in enumerate(keys_of_rows):
            for key in dict.fromkeys(keys):
                codes.append(first_seen.setdefault(key, len(first_seen)))
                rows.append(row)
        keys = sorted(first_seen)
        number = {key: place for place, key in enumerate(keys)}
        place_of_code = np.fromiter((number[key] for key in first_seen), np.int32, len(keys))
        start, order = group_rows(place_of_code[np.frombuffer(codes, np.int32)], len(keys))
        return cls(keys, number, start, np.frombuffer(rows, np.int32)[order])

    def rows_of(self, number: int) -> Ints:
        """Return the rows of a key, given by its number."""
        return self.rows[self.start[number] : self.start[number + 1]]

    def rows_of_key(self, key: str) -> Ints:
        """Return the rows of a key; none for an unknown one."""
        number = self.number.get(key)
        return self.rows[:0] if number is None else self.rows_of(number)

    def rows_of_prefix(self, prefix: str) -> Ints:
        """Return the rows of all keys that begin so; a row may be there several times."""
        first, last = (bisect_left(self.keys, text) for text in (prefix, prefix + _LAST_LETTER))
        return self.rows[self.start[first] : self.start[last]]

    def counts(self) -> Ints:
        """Return the number of rows of each key."""
        return np.diff(self.start)


def group_rows(groups: Ints, n_groups: int) -> tuple[Ints, Ints]:
    """Return where each group starts, (n_groups + 1,), and the rows in the order of groups."""
    order = np.argsort(groups, kind="stable").astype(np.int32)
    start = np.zeros(n_groups + 1, np.int64)
    np.cumsum(np.bincount(groups, minlength=n_groups), out=start[1:])
    return start, order
