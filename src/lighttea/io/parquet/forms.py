"""The structs of Parquet files, as its specification numbers their fields.

What is here is what libraries read; a field that stands here must have this type.
"""

from __future__ import annotations

from enum import IntEnum

from lighttea.io.parquet.thrift import BINARY, I16, I32, I64, TRUE, ListOf, Struct


class Footer(IntEnum):
    """Fields of a file."""

    SCHEMA, ROWS, ROW_GROUPS, NOTES = 2, 3, 4, 5


class Note(IntEnum):
    """Fields of what a program noted in a file."""

    KEY, VALUE = 1, 2


class Element(IntEnum):
    """Fields of an element of the schema."""

    TYPE, LENGTH, REPETITION, CHILDREN = 1, 2, 3, 5


class Group(IntEnum):
    """Fields of a row group."""

    COLUMNS, ROWS = 1, 3


class Chunk(IntEnum):
    """Fields of the data of a column in a row group."""

    VALUES, SIZE, DATA_PLACE, DICTIONARY_PLACE = 5, 7, 9, 11


class Page(IntEnum):
    """Fields of the head of a page."""

    TYPE, UNPACKED, PACKED, DATA, DICTIONARY, DATA_2 = 1, 2, 3, 5, 7, 8


class Data(IntEnum):
    """Fields of a page of data, and those of its second form."""

    VALUES, ENCODING = 1, 2
    NULLS_2, ROWS_2, ENCODING_2, DEFINITIONS_2, REPETITIONS_2 = 2, 3, 4, 5, 6


META = 3  # the field of a column that says where its data is
_KEY_VALUE: Struct = {1: BINARY, 2: BINARY}
_STATISTICS: Struct = {
    **dict.fromkeys((1, 2, 5, 6), BINARY),
    **dict.fromkeys((3, 4), I64),
    **dict.fromkeys((7, 8), TRUE),
}
_ELEMENT: Struct = {**dict.fromkeys((1, 2, 3, 5, 6, 7, 8, 9), I32), 4: BINARY, 10: {}}
_META: Struct = {
    **{1: I32, 2: ListOf(I32), 3: ListOf(BINARY), 4: I32, 8: ListOf(_KEY_VALUE)},
    **dict.fromkeys((5, 6, 7, 9, 10, 11, 14), I64),
    **{12: _STATISTICS, 13: ListOf({1: I32, 2: I32, 3: I32}), 15: I32},
}
_COLUMN: Struct = {1: BINARY, 2: I64, META: _META, 4: I64, 5: I32, 6: I64, 7: I32}
_GROUP: Struct = {
    **{1: ListOf(_COLUMN), 2: I64, 3: I64, 4: ListOf({1: I32, 2: TRUE, 3: TRUE})},
    **{5: I64, 6: I64, 7: I16},
}
FOOTER: Struct = {
    **{1: I32, 2: ListOf(_ELEMENT), 3: I64, 4: ListOf(_GROUP), 5: ListOf(_KEY_VALUE)},
    **{6: BINARY, 7: ListOf({})},
}
PAGE: Struct = {
    **dict.fromkeys((1, 2, 3, 4), I32),
    5: {**dict.fromkeys((1, 2, 3, 4), I32), 5: _STATISTICS},
    6: {},
    7: {1: I32, 2: I32, 3: TRUE},
    8: {**dict.fromkeys(range(1, 7), I32), 7: TRUE, 8: _STATISTICS},
}
