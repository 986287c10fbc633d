"""Structs of Thrift's compact protocol: read, passed over, or refused."""

from __future__ import annotations

import pytest

from lighttea.io.parquet.thrift import (
    BINARY,
    I32,
    I64,
    TRUE,
    CutThriftError,
    ListOf,
    Struct,
    ThriftError,
    ThriftReader,
)
from tests.io.parquet.made import Long, struct

KNOWN: Struct = {1: I32, 2: I64, 3: BINARY, 4: TRUE, 5: ListOf({1: I32}), 6: {7: I32}}
VALUES = {1: -5, 2: Long(2**62), 3: "text", 4: False, 5: [{1: 8}] * 20, 6: {7: 9}}
READ = {1: -5, 2: 2**62, 3: b"text", 4: 0, 5: [{1: 8}] * 20, 6: {7: 9}}


def test_known_fields_are_read_and_others_passed_over() -> None:
    others = {20: 1, 21: "x", 22: [1, 2], 23: {1: {2: [{3: "y"}]}}, 24: True, 300: Long(-1)}
    content = struct(VALUES | others)
    reader = ThriftReader(content + b"more")
    assert reader.read_struct(KNOWN) == READ
    assert reader.place == len(content)


def test_fields_may_say_how_far_they_are_from_the_one_before() -> None:
    content = bytes([0x15, 2, 0x46, 4, 0])  # field 1, and 4 further field 5
    assert ThriftReader(content).read_struct({1: I32, 5: I64}) == {1: 1, 5: 2}


def test_every_cut_is_noticed() -> None:
    content = struct(VALUES)
    for end in range(len(content)):
        with pytest.raises(CutThriftError):
            ThriftReader(content[:end]).read_struct(KNOWN)


@pytest.mark.parametrize(
    "content",
    [
        struct({1: Long(1)}),  # another type
        struct({5: [1]}),
        struct({6: 1}),
        struct({1: 2**33}),  # too large
        bytes([0x15, *[0xFF] * 10, 1, 0]),  # a number without end
        bytes([0x1D, 0]),  # no type
        bytes([0x2B, 1, 0x55, 0]),  # a map
        b"\x9c" * 100,  # structs within structs
        b"\x99" + b"\x19" * 100,  # lists within lists
        bytes([0x99, 0xFC, *[0xFF] * 4, 0x0F]),  # a list that is longer than the bytes
    ],
)
def test_what_makes_no_sense_is_refused(content: bytes) -> None:
    with pytest.raises(ThriftError):
        ThriftReader(content).read_struct(KNOWN)
