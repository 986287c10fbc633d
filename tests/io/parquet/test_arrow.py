"""The schema that Arrow notes in a Parquet file is walked before a library does it."""

from __future__ import annotations

import base64
import random
import struct
from pathlib import Path

import pyarrow as pa
import pytest

from lighttea import InputError, read_graph
from lighttea.io.parquet.arrow import DEEPEST, ArrowError, check_schema
from tests.io.parquet.made import parquet_file

TEXT = pa.large_string()


def nested(depth: int) -> pa.DataType:
    kind = TEXT
    for number in range(depth):
        kind = pa.list_(kind) if number % 2 else pa.struct([("a", kind)])
    return kind


def noted(head: pa.DataType, *, key: str = "ARROW:schema") -> bytes:
    """Return a good file of three columns in which Arrow notes another type of the first one."""
    schema = pa.schema([("head", head), ("relation", TEXT), ("tail", TEXT)])
    text = base64.b64encode(schema.serialize().to_pybytes()).decode()
    return parquet_file(footer={5: [{1: "other"}, {1: key, 2: text}]})


def read(place: Path, content: bytes) -> int:
    path = place / "g.parquet"
    path.write_bytes(content)
    return len(read_graph(path).facts)


def test_a_schema_that_fits_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, noted(TEXT)) == 3
    assert read(tmp_path, noted(nested(400), key="of others")) == 3


@pytest.mark.parametrize("depth", [DEEPEST, 400])
def test_a_deep_schema_is_refused(tmp_path: Path, depth: int) -> None:
    """polars walks it by recursion, which ends the process."""
    with pytest.raises(InputError, match=f"its Arrow schema is nested deeper than {DEEPEST}; the"):
        read(tmp_path, noted(nested(depth)))


def test_a_schema_with_many_more_columns_is_refused(tmp_path: Path) -> None:
    wide = pa.struct([(f"a{number}", TEXT) for number in range(200)])
    with pytest.raises(InputError, match="its Arrow schema has many more columns than the file"):
        read(tmp_path, noted(wide))


@pytest.mark.parametrize(("n_children", "problem"), [(2, "many more columns"), (1, "deeper than")])
def test_a_few_bytes_that_stand_for_many_columns_are_refused(n_children: int, problem: str) -> None:
    """Each column has the next one as its only child, or twice: 2^60 columns."""
    with pytest.raises(ArrowError, match=problem):
        check_schema(base64.b64encode(chain(60, n_children)), 3)
    check_schema(base64.b64encode(chain(4, n_children)), 3)


def chain(depth: int, n_children: int) -> bytes:
    """Return a message with a schema of one column, which has columns, and so on."""
    made = struct.pack("<I", 4) + _table(slot=2) + _table(slot=1)
    for number in range(depth):
        n_same = n_children if number else 1  # all point to what stands behind the list
        offsets = [4 * (n_same - own) for own in range(n_same)]
        made += struct.pack(f"<{n_same + 1}I", n_same, *offsets) + _table(slot=5)
    return made + struct.pack("<I", 0)


def _table(slot: int) -> bytes:
    """Return a table that points from one slot to what stands behind it."""
    size = 4 + 2 * (slot + 1)
    slots = struct.pack(f"<{slot + 3}H", size, 8, *[0] * slot, 4) + b"\0" * (-size % 4)
    return struct.pack("<iI", -8, 4 + len(slots)) + slots


@pytest.mark.parametrize(
    "content", [b"", b"\0", b"\0" * 3, b"\xff" * 3, b"\xff" * 400, b"\1" * 9, b"\x7f" * 99]
)
def test_a_schema_that_makes_no_sense_is_refused(content: bytes) -> None:
    with pytest.raises(ArrowError, match="its Arrow schema makes no sense"):
        check_schema(base64.b64encode(content), 3)


def test_changed_schemas_are_walked_or_refused() -> None:
    good = pa.schema([("a", nested(4)), ("b", TEXT)]).serialize().to_pybytes()
    rng = random.Random(5)
    ends = set()
    for _ in range(3_000):
        changed = bytearray(good)
        for _ in range(rng.choice((1, 3))):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        try:
            check_schema(base64.b64encode(changed), 10)
        except ArrowError as error:
            ends.add(str(error))
        else:
            ends.add("walked")
    assert "walked" in ends
    assert len(ends) >= 2
