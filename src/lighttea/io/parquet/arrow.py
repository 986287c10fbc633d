"""The schema that Arrow keeps within a Parquet file, walked before a library does it.

It is a flatbuffer: tables at offsets, which may be nested as deep as there are bytes, or share
their children, so that a few hundred bytes stand for more columns than any memory holds.
"""

from __future__ import annotations

import binascii
import struct

KEY = b"ARROW:schema"
DEEPEST = 50  # columns within each other
_FREE, _EACH = 100, 4  # columns that may stand there, and as many more for each of Parquet's
_MARK = b"\xff\xff\xff\xff"  # at the begin, with a length behind it
_HEADER, _FIELDS, _CHILDREN = 2, 1, 5  # of a message, of a schema, of a field


class ArrowError(ValueError):
    """The schema makes no sense, or stands for too much."""


def check_schema(text: bytes, n_elements: int) -> None:
    """Raise an error where an Arrow schema has many more columns than the file, or is too deep."""
    try:
        content = binascii.a2b_base64(text)
        content = content[8:] if content.startswith(_MARK) else content
        fields = _tables(content, _member(content, _follow(content, 0), _HEADER), _FIELDS)
        _count(content, fields, _FREE + _EACH * n_elements)
    except (struct.error, binascii.Error):
        raise ArrowError("its Arrow schema makes no sense") from None


def _count(content: bytes, fields: list[int], most: int) -> None:
    """Raise an error where there are more columns, or deeper ones, than there may be."""
    for _ in range(DEEPEST):
        most -= len(fields)
        children: list[int] = []
        for field in fields:
            children += _tables(content, field, _CHILDREN)
            if len(children) > most:
                raise ArrowError("its Arrow schema has many more columns than the file")
        if not children:
            return
        fields = children
    raise ArrowError(f"its Arrow schema is nested deeper than {DEEPEST}")


def _tables(content: bytes, table: int, slot: int) -> list[int]:
    """Return the places of the tables in a list that a table has; none where it has no list."""
    begin = _member(content, table, slot)
    if not begin:
        return []
    (length,) = struct.unpack_from("<I", content, begin)
    if 4 * length > len(content):
        raise ArrowError("its Arrow schema makes no sense")
    return [_follow(content, begin + 4 + 4 * number) for number in range(length)]


def _member(content: bytes, table: int, slot: int) -> int:
    """Return the place of what a table has in a slot; 0 where it has nothing there."""
    (back,) = struct.unpack_from("<i", content, table)
    offsets = _inside(content, table - back)
    (size,) = struct.unpack_from("<H", content, offsets)
    if 4 + 2 * slot >= size:
        return 0
    (offset,) = struct.unpack_from("<H", content, offsets + 4 + 2 * slot)
    return _follow(content, table + offset) if offset else 0


def _follow(content: bytes, place: int) -> int:
    """Return the place that the offset at a place points to."""
    (offset,) = struct.unpack_from("<I", content, _inside(content, place))
    return _inside(content, place + int(offset))


def _inside(content: bytes, place: int) -> int:
    """Return a place within the bytes; Python would count others from the end."""
    if not 0 <= place < len(content):
        raise ArrowError("its Arrow schema makes no sense")
    return place
