"""Thrift's compact protocol, as far as Parquet files use it: what is known, of the right type.

A library that trusts the types of known fields would read on in the wrong place where one is
wrong; so they are compared here, and every length with the bytes that are there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_NUMBERS = {BYTE: 8, I16: 16, I32: 32, I64: 64}
_DEEPEST = 30  # structs and lists within each other; Parquet has 8
_DOUBLE_BYTES = 8
_VARINT_BYTES = 10  # 64 bits
_LONG_LIST = 15  # its length stands behind the first byte


class ThriftError(ValueError):
    """The bytes are no struct of this kind."""


class CutThriftError(ThriftError):
    """The bytes end before the struct does."""


@dataclass(frozen=True)
class ListOf:
    """A list, and of what."""

    item: Form


Struct = Mapping[int, "Form"]  # what is known of a struct: its fields
Form = int | ListOf | Struct
Fields = dict[int, Any]  # of a struct that was read: numbers, lists, structs, bytes


class ThriftReader:
    """Structs from bytes, one after another."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.place = 0

    def read_struct(self, known: Struct, depth: int = 0) -> Fields:
        """Return the known fields of a struct; others are passed over."""
        if depth > _DEEPEST:
            raise ThriftError("structs are nested too deeply")
        fields: Fields = {}
        number = 0
        while first := self._byte():
            kind, step = first & 15, first >> 4
            number = number + step if step else self._number(16)
            form = known.get(number)
            if form is None:
                self._skip(kind, depth + 1)
            else:
                fields[number] = self._known(form, kind, depth + 1)
        return fields

    def _known(self, form: Form, kind: int, depth: int) -> Any:
        """Return a value, which must be of this form."""
        if isinstance(form, int):
            if kind != form and not (form == TRUE and kind == FALSE):
                raise ThriftError(f"expected a value of type {form}, found {kind}")
            return self._plain(kind)
        if isinstance(form, ListOf):
            if kind != LIST:
                raise ThriftError(f"expected a list, found a value of type {kind}")
            return self._list(form.item, depth)
        if kind != STRUCT:
            raise ThriftError(f"expected a struct, found a value of type {kind}")
        return self.read_struct(form, depth)

    def _plain(self, kind: int) -> int | bytes:
        """Return a number, a truth value, or bytes."""
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == BINARY:
            return self._bytes(self._varint())
        if kind == DOUBLE:
            return self._bytes(_DOUBLE_BYTES)
        if kind in (TRUE, FALSE):
            return int(kind == TRUE)
        raise ThriftError(f"there is no type {kind}")

    def _list(self, form: Form, depth: int) -> list[Any]:
        """Return a list of values of this form."""
        kind, length = self._list_head()
        return [self._known(form, kind, depth) for _ in range(length)]

    def _list_head(self) -> tuple[int, int]:
        """Return the type of a list's values and their number."""
        first = self._byte()
        kind, length = first & 15, first >> 4
        if length == _LONG_LIST:
            length = self._varint()
        if length > len(self._content) - self.place:  # a value has a byte at least
            raise CutThriftError("a list is longer than what is there")
        return kind, length

    def _skip(self, kind: int, depth: int) -> None:
        """Pass over a value of an unknown field."""
        if kind in (LIST, SET):
            item, length = self._list_head()
            for _ in range(length):
                self._skip_item(item, depth)
        elif kind == MAP:
            raise ThriftError("Parquet has no maps of this kind")
        elif kind == STRUCT:
            self.read_struct({}, depth)
        else:
            self._plain(kind)

    def _skip_item(self, kind: int, depth: int) -> None:
        """Pass over a value of a list; truth values have a byte there."""
        if depth > _DEEPEST:
            raise ThriftError("lists are nested too deeply")
        if kind in (TRUE, FALSE):
            self._byte()
        else:
            self._skip(kind, depth + 1)

    def _number(self, bits: int) -> int:
        """Return a signed number."""
        coded = self._varint()
        if coded >> bits:
            raise ThriftError(f"a number has more than {bits} bits")
        return (coded >> 1) ^ -(coded & 1)

    def _varint(self) -> int:
        """Return a number of seven bits a byte."""
        value = 0
        for number in range(_VARINT_BYTES):
            byte = self._byte()
            value |= (byte & 127) << (7 * number)
            if byte < 128:
                return value
        raise ThriftError("a number has no end")

    def _byte(self) -> int:
        if self.place >= len(self._content):
            raise CutThriftError("the bytes end too early")
        self.place += 1
        return self._content[self.place - 1]

    def _bytes(self, length: int) -> bytes:
        """Return the next bytes."""
        begin, self.place = self.place, self.place + length
        if self.place > len(self._content):
            raise CutThriftError("the bytes end too early")
        return self._content[begin : self.place]
