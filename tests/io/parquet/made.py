"""Parquet files made field by field, so that one field can be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lighttea.io.parquet.thrift import BINARY, FALSE, I32, I64, LIST, STRUCT, TRUE


@dataclass(frozen=True)
class Long:
    """A number that Thrift writes as one of 64 bits."""

    value: int


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    return bytes([*written, value])


def _value(value: Any) -> tuple[int, bytes]:
    """Return the type and the bytes of a value."""
    if isinstance(value, bool):
        return (TRUE if value else FALSE), b""
    if isinstance(value, Long):
        return I64, _varint((value.value << 1) ^ (value.value >> 63))
    if isinstance(value, int):
        return I32, _varint((value << 1) ^ (value >> 63))
    if isinstance(value, str):
        return BINARY, _varint(len(value.encode())) + value.encode()
    if isinstance(value, Mapping):
        return STRUCT, struct(value)
    kinds, parts = zip(*map(_value, value), strict=True) if value else ((I32,), ())
    head = len(value) << 4 | kinds[0] if len(value) < 15 else 240 | kinds[0]
    length = _varint(len(value)) if len(value) >= 15 else b""
    return LIST, bytes([head]) + length + b"".join(parts)


def struct(fields: Mapping[int, Any]) -> bytes:
    """Return a struct of these fields, each with its full number."""
    written = b""
    for number, value in fields.items():
        kind, content = _value(value)
        written += bytes([kind]) + _varint(number << 1) + content
    return written + b"\0"


N_ROWS = 3
NAMES = ("head", "relation", "tail")
BODY = b"".join(len(cell).to_bytes(4, "little") + cell for cell in (b"a", b"b", b"c"))


def page(**changed: Any) -> dict[int, Any]:
    """Return the head of a page of three texts; `data` changes what it says of its values."""
    data = {1: N_ROWS, 2: 0, 3: 3, 4: 3} | changed.pop("data", {})
    head: dict[int, Any] = {1: 0, 2: len(BODY), 3: len(BODY), 5: data}
    return {**head, **changed.pop("head", {})}


def page_2(**changed: Any) -> dict[int, Any]:
    """Return the head of a page of the second form."""
    data = {1: N_ROWS, 2: 0, 3: N_ROWS, 4: 0, 5: 0, 6: 0} | changed.pop("data", {})
    head: dict[int, Any] = {1: 3, 2: len(BODY), 3: len(BODY), 8: data}
    return {**head, **changed.pop("head", {})}


def parquet_file(
    head: Mapping[int, Any] | None = None,
    *,
    chunk: Mapping[int, Any] | None = None,
    group: Mapping[int, Any] | None = None,
    footer: Mapping[int, Any] | None = None,
    schema: Sequence[Mapping[int, Any]] | None = None,
) -> bytes:
    """Return a file of three facts; what is given is said otherwise, of each column alike."""
    content, columns = b"PAR1", []
    for name in NAMES:
        place = len(content)
        content += struct(page() if head is None else head) + BODY
        meta = {1: 6, 2: [0, 3], 3: [name], 4: 0, 5: Long(N_ROWS)}
        sizes = {6: Long(len(content) - place), 7: Long(len(content) - place), 9: Long(place)}
        columns.append({2: Long(place), 3: meta | sizes | dict(chunk or {})})
    elements = [{4: "root", 5: len(NAMES)}, *({1: 6, 3: 0, 4: name, 6: 0} for name in NAMES)]
    one = {1: columns, 2: Long(100), 3: Long(N_ROWS)} | dict(group or {})
    whole = {1: 1, 2: elements if schema is None else schema, 3: Long(N_ROWS), 4: [one]}
    end = struct(whole | dict(footer or {}))
    return content + end + len(end).to_bytes(4, "little") + b"PAR1"
