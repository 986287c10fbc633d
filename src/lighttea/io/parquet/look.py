"""What the heads of a Parquet file say, compared with each other and with the file's length.

polars takes the counts and sizes in these heads as they are; a wrong one lets it ask for 2^61 bytes
of memory, which ends the process. So nothing is decoded before its heads fit together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lighttea.io.parquet.arrow import KEY, ArrowError, check_schema
from lighttea.io.parquet.forms import (
    FOOTER,
    META,
    PAGE,
    Chunk,
    Data,
    Element,
    Footer,
    Group,
    Note,
    Page,
)
from lighttea.io.parquet.thrift import CutThriftError, Fields, ThriftError, ThriftReader

_MAGIC = b"PAR1"
_TAIL = 8  # bytes at the end: the length of the footer, and the magic
_HEAD_BYTES = 512  # read for the head of a page at first
_LONGEST_HEAD = 16 << 20  # statistics may hold long texts
_DEEPEST = 50  # columns within each other
_CELL_BYTES = 8  # at least, in memory
_REPEATED = 2
_FIXED_LENGTH = 7  # the type of values that all have the same number of bytes
_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 0, 2, 3
# plain, by a dictionary, runs, packed bits, split bytes: bounded by the counts in the heads
_BOUNDED = {0, 2, 3, 4, 8, 9}


class ParquetError(ValueError):
    """The file is no sound Parquet file: what is wrong with it."""


@dataclass(frozen=True)
class Look:
    """What the heads of a file say."""

    cell_bytes: int  # in memory, at least
    page_bytes: int  # of all pages, unpacked
    is_bounded: bool  # whether heads bound what is decoded; within delta encodings are more counts


@dataclass(frozen=True)
class _Leaf:
    """A column that has values: the bytes of one, and whether a row may have several."""

    value_bytes: int
    is_repeated: bool


def look_at(path: Path) -> Look:
    """Return what the heads of a Parquet file say; raise an error where they do not fit."""
    with path.open("rb") as file:
        try:
            footer, end = _read_footer(file)
            leaves = _leaves(footer.get(Footer.SCHEMA, []))
            _check_arrow(footer)
            groups = footer.get(Footer.ROW_GROUPS, [])
            n_rows = sum(_rows_of(group) for group in groups)
            _expect(footer.get(Footer.ROWS) == n_rows, "its parts have other numbers of rows")
            looks = [_look_at_group(_Pages(file, end), group, leaves) for group in groups]
        except ArrowError as error:
            raise ParquetError(str(error)) from None
        except ThriftError as error:
            raise ParquetError(f"its heads make no sense: {error}") from None
    return Look(
        sum(look.cell_bytes for look in looks),
        sum(look.page_bytes for look in looks),
        all(look.is_bounded for look in looks),
    )


def _expect(condition: bool, problem: str) -> None:
    if not condition:
        raise ParquetError(problem)


def _read_footer(file: BinaryIO) -> tuple[Fields, int]:
    """Return the footer and where it begins."""
    size = file.seek(0, 2)
    _expect(size > len(_MAGIC) + _TAIL, f"it has {size:,} bytes only")
    file.seek(-_TAIL, 2)
    tail = file.read(_TAIL)
    _expect(tail.endswith(_MAGIC), "it does not end as Parquet files do")
    begin = size - _TAIL - int.from_bytes(tail[:4], "little")
    _expect(begin >= len(_MAGIC), "its footer is longer than the file")
    file.seek(begin)
    return ThriftReader(file.read(size - _TAIL - begin)).read_struct(FOOTER), begin


def _rows_of(group: Fields) -> int:
    """Return how many rows a row group has."""
    n_rows = int(group.get(Group.ROWS, -1))
    _expect(n_rows >= 0, "a row group has no number of rows")
    return n_rows


# ---------------------------------------------------------------- schema


def _leaves(elements: Sequence[Fields]) -> list[_Leaf]:
    """Return the columns that have values, in the order of their data."""
    _expect(bool(elements), "it has no columns")
    rest = iter(elements)
    leaves = list(_walk(rest, depth=0, is_repeated=False))
    _expect(next(rest, None) is None, "its columns do not fit together")
    return leaves


def _walk(elements: Iterator[Fields], depth: int, *, is_repeated: bool) -> Iterator[_Leaf]:
    """Yield the leaves of the next element."""
    element = next(elements, None)
    if element is None:
        raise ParquetError("its columns do not fit together")
    _expect(depth <= _DEEPEST, f"its columns are nested deeper than {_DEEPEST}")
    is_repeated |= depth > 0 and element.get(Element.REPETITION) == _REPEATED
    n_children = element.get(Element.CHILDREN, 0)
    _expect(n_children >= 0, "its columns do not fit together")
    if n_children == 0 and depth > 0:
        fixed = element.get(Element.LENGTH, 0) if element.get(Element.TYPE) == _FIXED_LENGTH else 0
        _expect(fixed >= 0, "the values of a column have a negative length")
        yield _Leaf(max(fixed, _CELL_BYTES), is_repeated)
    for _ in range(n_children):
        yield from _walk(elements, depth + 1, is_repeated=is_repeated)


def _check_arrow(footer: Fields) -> None:
    """Raise an error where the schema that Arrow noted stands for more than the file's own."""
    for note in footer.get(Footer.NOTES, []):
        if note.get(Note.KEY) == KEY:
            check_schema(note.get(Note.VALUE, b""), len(footer[Footer.SCHEMA]))


# ---------------------------------------------------------------- row groups


class _Pages:
    """The heads of the pages of one file, and what they have come to."""

    def __init__(self, file: BinaryIO, end: int) -> None:
        self._file = file
        self._end = end  # of the data
        self.bytes = 0
        self.is_bounded = True

    def count_values(self, place: int, n_values: int) -> None:
        """Compare the pages from a place on with the number of values they should have."""
        while n_values > 0:
            head, place = self._read_head(place)
            packed, unpacked = (int(head.get(field, -1)) for field in (Page.PACKED, Page.UNPACKED))
            _expect(packed >= 0 and unpacked >= 0, "a page has a negative length")
            _expect(place + packed <= self._end, "a page is longer than what is there")
            n_found = self._values_of(head, min(packed, unpacked), unpacked)
            _expect(0 <= n_found <= n_values, "its pages have other numbers of values")
            self.bytes += unpacked
            n_values -= n_found
            place += packed

    def _read_head(self, place: int) -> tuple[Fields, int]:
        """Return the head of a page and where it ends."""
        _expect(place < self._end, "its data ends outside the file")
        length = _HEAD_BYTES
        while True:
            self._file.seek(place)
            reader = ThriftReader(self._file.read(min(length, self._end - place)))
            try:
                return reader.read_struct(PAGE), place + reader.place
            except CutThriftError:
                if length >= min(_LONGEST_HEAD, self._end - place):
                    raise
                length *= 8

    def _values_of(self, head: Fields, level_bytes: int, unpacked: int) -> int:
        """Return how many values a page holds; dictionaries hold none."""
        kind = head.get(Page.TYPE)
        if kind == _DICTIONARY_PAGE:
            n_entries = head.get(Page.DICTIONARY, {}).get(Data.VALUES, -1)
            _expect(0 <= n_entries <= unpacked, "a dictionary has more entries than bytes")
            return 0
        if kind == _DATA_PAGE:
            data, encoding = head.get(Page.DATA, {}), Data.ENCODING
        elif kind == _DATA_PAGE_2:
            data, encoding = head.get(Page.DATA_2, {}), Data.ENCODING_2
            self._check_levels(data, level_bytes)
        else:
            raise ParquetError(f"there is no page of the type {kind}")
        self.is_bounded &= data.get(encoding) in _BOUNDED
        return int(data.get(Data.VALUES, -1))

    @staticmethod
    def _check_levels(data: Fields, level_bytes: int) -> None:
        """Compare the counts of a page of the second form with each other."""
        n_values, n_nulls, n_rows = (
            data.get(field, -1) for field in (Data.VALUES, Data.NULLS_2, Data.ROWS_2)
        )
        _expect(0 <= n_nulls <= n_values, "a page has more empty values than values")
        _expect(0 <= n_rows <= n_values, "a page has more rows than values")
        lengths = [data.get(field, -1) for field in (Data.DEFINITIONS_2, Data.REPETITIONS_2)]
        _expect(
            min(lengths) >= 0 and sum(lengths) <= level_bytes, "a page is shorter than its levels"
        )


def _look_at_group(pages: _Pages, group: Fields, leaves: Sequence[_Leaf]) -> Look:
    """Return what the heads of a row group say."""
    n_rows = _rows_of(group)
    chunks = [column.get(META, {}) for column in group.get(Group.COLUMNS, [])]
    _expect(len(chunks) == len(leaves), f"{len(leaves)} columns have {len(chunks)} parts")
    cell_bytes = 0
    for leaf, chunk in zip(leaves, chunks, strict=True):
        n_values = int(chunk.get(Chunk.VALUES, -1))
        is_whole = n_values >= n_rows if leaf.is_repeated else n_values == n_rows
        _expect(is_whole, f"a column of {n_rows:,} rows has {n_values:,} values")
        pages.count_values(_begin(chunk), n_values)
        cell_bytes += n_values * leaf.value_bytes
    return Look(cell_bytes, pages.bytes, pages.is_bounded)


def _begin(chunk: Fields) -> int:
    """Return where the pages of a column begin: with its dictionary, if it has one."""
    data = int(chunk.get(Chunk.DATA_PLACE, -1))
    dictionary = int(chunk.get(Chunk.DICTIONARY_PLACE, 0)) or data
    _expect(len(_MAGIC) <= dictionary <= data, "its data begins outside the file")
    _expect(chunk.get(Chunk.SIZE, -1) >= 0, "its data has a negative length")
    return dictionary
