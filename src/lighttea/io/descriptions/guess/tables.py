"""The tables in files: one in a text file, several in a workbook, a database or a JSON file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.io.descriptions.databases import read_frames
from lighttea.io.descriptions.files import DATABASES, format_of_file, kind_of_file, suffix_of
from lighttea.io.descriptions.json_paths import JsonTable, find_fields, find_lists
from lighttea.io.descriptions.json_rows import read_json_frame
from lighttea.io.descriptions.model import SourceDescription
from lighttea.io.descriptions.rows import Rows
from lighttea.io.descriptions.sheets import read_sheet, sheet_names
from lighttea.io.descriptions.text_tables import read_text_table
from lighttea.io.encodings import EncodingError
from lighttea.io.formats import RDF_FORMATS
from lighttea.io.lines import existing_file
from lighttea.io.parquet.read import read_parquet_table
from lighttea.io.times import parse_instants

LOOKED_AT = 200_000  # rows of each table
_OTHER_ENCODING = "cp1252"
_NAMES_OF_TABLES = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
)


@dataclass(frozen=True)
class Table:
    """A table that a source of a description can name.

    `origin` are the keys of that source; `noun` is what its rows seem to be.
    """

    label: str
    noun: str
    origin: Mapping[str, str | bool]
    frame: pl.DataFrame
    outer_id: str = ""  # the column with the id of the object that a list lies in

    @property
    def is_whole(self) -> bool:
        """Whether all rows were looked at."""
        return len(self.frame) < LOOKED_AT


def find_tables(path: Path, folder: Path) -> list[Table]:
    """Return the tables of a file that have rows and columns; paths are relative to `folder`."""
    existing_file(path)
    shown = Path(os.path.relpath(path, folder)).as_posix()
    suffix = suffix_of(path)
    if format_of_file(path) in (*RDF_FORMATS, "graphml", "description"):
        raise InputError(f"{path}: already a graph; align and inspect read it as it is")
    if suffix in DATABASES:
        tables = list(_of_database(path, shown))
    else:
        kind = kind_of_file(path)
        tables = list(_FINDERS[kind](path, shown))
    full = [table for table in tables if table.frame.width and len(table.frame)]
    if not full:
        raise InputError(f"{path}: no table with rows; expected rows of facts or of entities")
    return [replace(table, frame=table.frame.head(LOOKED_AT)) for table in full]


def _of_text(path: Path, shown: str) -> Iterator[Table]:
    options: dict[str, str | bool] = {}
    try:
        rows = _text_rows(path, options)
    except EncodingError:
        options["encoding"] = _OTHER_ENCODING
        rows = _text_rows(path, options)
    if _is_data(rows.names):
        options["header"] = False
        rows = _text_rows(path, options)
    yield Table(shown, _noun(path), {"file": shown, **options}, _frame(rows))


def _text_rows(path: Path, options: Mapping[str, str | bool]) -> Rows:
    return read_text_table(path, _source(path, options))


def _source(path: Path, options: Mapping[str, str | bool]) -> SourceDescription:
    return SourceDescription(1, "file", {"file": (str(path),), **options}, Path(), None)


def _is_data(names: Sequence[str]) -> bool:
    """Whether a first line looks like a row: it holds numbers or dates, or repeats a value."""
    known = [name for name in names if name]
    is_number = pl.Series(known, dtype=pl.String).cast(pl.Float64, strict=False).is_not_null()
    is_time = [not parse_instants([name]).problems for name in known]
    return bool(is_number.any()) or any(is_time) or len(set(known)) < len(known)


def _frame(rows: Rows) -> pl.DataFrame:
    """Return the columns with distinct names."""
    named = zip(rows.names, rows.columns, strict=True)
    columns = {name: column for name, column in named if list(rows.names).count(name) == 1 and name}
    return pl.DataFrame(columns)


def _of_parquet(path: Path, shown: str) -> Iterator[Table]:
    yield Table(shown, _noun(path), {"file": shown}, read_parquet_table(path))


def _of_workbook(path: Path, shown: str) -> Iterator[Table]:
    names = sheet_names(path)
    for name in names:
        rows = read_sheet(path, _source(path, {"sheet": name}))
        label = f"{shown}, sheet {name}" if len(names) > 1 else shown
        noun = name if len(names) > 1 else _noun(path)
        yield Table(label, noun, {"file": shown, "sheet": name}, _frame(rows))


def _of_json(path: Path, shown: str) -> Iterator[Table]:
    """Yield the records, unless they are one object around lists, and each list of objects."""
    lists = find_lists(path)
    whole = _json_table(path, "")
    if len(whole) > 1 or not lists:
        yield Table(shown, _noun(path), {"file": shown}, whole)
    for each in lists:
        noun = each.replace("[]", "").split(".")[-1]
        frame = _json_table(path, each)
        outer = next((name for name in frame.columns if not name.startswith(".")), "")
        origin = {"file": shown, "each": each}
        yield Table(f"{shown}, {each}", noun, origin, frame, outer_id=outer)


def _json_table(path: Path, each: str) -> pl.DataFrame:
    """Return the fields of each row; those of the list `each` begin with a dot.

    Of the objects that the list lies in, the innermost id is there.
    """
    table = JsonTable(path, each)
    prefixes = table.prefixes()
    fields: dict[str, list[str]] = {prefix: [] for prefix in prefixes}
    for path_of_field in find_fields(table):
        outside = path_of_field.rpartition("[].")[0]
        fields.setdefault(f"{outside}[]." if outside else "", []).append(path_of_field)
    own = prefixes[-1]
    outer = [f for prefix in prefixes[-2:-1] for f in fields[prefix] if f == f"{prefix}id"]
    inner = [f".{f.removeprefix(own)}" if own else f for f in fields[own]]
    return read_json_frame(table, [*outer, *inner], LOOKED_AT)


def _of_database(path: Path, shown: str) -> Iterator[Table]:
    (names,) = (frame["name"].to_list() for frame in read_frames(path, _NAMES_OF_TABLES, shown))
    for name in names:
        quoted = str(name).replace('"', '""')
        query = f'SELECT * FROM "{quoted}"'
        frame = next(read_frames(path, query, shown))
        yield Table(f"{shown}, {name}", str(name), {"database": shown, "sql": query}, frame)


def _noun(path: Path) -> str:
    return path.name.split(".")[0]


_FINDERS = {"text": _of_text, "parquet": _of_parquet, "sheet": _of_workbook, "json": _of_json}
