"""Small good Parquet files of many forms: codecs, encodings, page versions, nested columns."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.mutator import mutate

CODECS = ("none", "snappy", "gzip", "brotli", "zstd", "lz4")
ENCODINGS = {"head": "DELTA_BYTE_ARRAY", "tail": "DELTA_LENGTH_BYTE_ARRAY", "time": "PLAIN"}

COUNTS = (  # as Thrift and Parquet write them: -1, 1, the largest of 32 and of 64 bits
    *(b"\x00", b"\x01", b"\x02", b"\x7f", b"\x80\x01", b"\xff\xff\xff\xff\x0f"),
    *(b"\xfe\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\x80\x80\x80\x80\x80\x01"),
    *(b"\xff\xff\xff\x7f", b"\xff" * 4, b"\0" * 4),
)


def _facts(n_rows: int) -> dict[str, list[Any]]:
    """Return the columns of some facts."""
    return {
        "head": [f"e{number % 7}" for number in range(n_rows)],
        "relation": ["knows" if number % 3 else "met" for number in range(n_rows)],
        "tail": [f"entity number {number % 5}" for number in range(n_rows)],
        "time": [f"{1990 + number % 9}" for number in range(n_rows)],
    }


def _more(n_rows: int) -> dict[str, list[Any]]:
    """Return columns of other types, some cells empty."""
    made: dict[str, list[Any]] = {
        "number": [number * 1_000_003 for number in range(n_rows)],
        "small": [number % 2 == 0 for number in range(n_rows)],
        "float": [number / 7 for number in range(n_rows)],
        "day": [date(1999, 1, 1 + number % 28) for number in range(n_rows)],
        "moment": [datetime(2001, 2, 3, number % 24, tzinfo=UTC) for number in range(n_rows)],
        "price": [Decimal(number).scaleb(-2) for number in range(n_rows)],
        "bytes": [b"\0\xff" * (number % 4) for number in range(n_rows)],
        "names": [["Ann", None, "Ben"][: number % 4] for number in range(n_rows)],
        "place": [{"town": f"t{number % 3}", "codes": [number]} for number in range(n_rows)],
    }
    return {
        name: [None if (at + place) % 6 == 5 else cell for at, cell in enumerate(cells)]
        for place, (name, cells) in enumerate(made.items())
    }


def _of_arrow(columns: dict[str, list[Any]], **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def _of_polars(columns: dict[str, list[Any]], **options: Any) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file, **options)
    return file.getvalue()


def delta_content() -> bytes:
    """Return a file with delta encodings, which hold counts of their own."""
    options = {"use_dictionary": False, "compression": "none"}
    return _of_arrow(_facts(12), **options, column_encoding=ENCODINGS)


@cache
def parquet_contents() -> list[bytes]:
    """Return files that lighttea reads, each in another form."""
    facts, wide = _facts(12), _facts(12) | _more(12)
    return [
        _of_polars(_facts(2)),
        *(_of_arrow(facts, compression=codec) for codec in CODECS),
        *(
            _of_arrow(wide, data_page_version=version, compression=codec)
            for version in ("1.0", "2.0")
            for codec in ("none", "snappy", "zstd")
        ),
        _of_arrow(wide, use_dictionary=False, compression="none"),
        delta_content(),
        _of_arrow(wide, write_page_index=True, row_group_size=5, data_page_size=16),
        *(_of_polars(wide, compression=codec) for codec in ("uncompressed", "snappy", "lz4")),
        _of_polars(wide, row_group_size=5, data_page_size=16, statistics=False),
    ]


def change_parquet(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Change a file anywhere, or a few bytes in place: heads and counts are what breaks most."""
    if rng.random() < 0.3:
        return mutate(content, rng, others)
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        place = rng.randrange(len(changed))
        piece = rng.choice(COUNTS) if rng.random() < 0.3 else rng.randbytes(1)
        length = rng.choice((0, 1, len(piece), len(piece)))
        changed[place : place + length] = piece
    return bytes(changed)
