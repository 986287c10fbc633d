"""Sources that are JSON: rows of records, or of the elements of a list in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.config import did_you_mean
from lighttea.errors import InputError
from lighttea.io.descriptions.json_paths import LOOKED_AT, JsonTable, Steps, find_fields, value_at
from lighttea.io.descriptions.json_stream import Record
from lighttea.io.descriptions.model import SourceDescription
from lighttea.io.descriptions.rows import Rows
from lighttea.io.descriptions.values import column_of_values
from lighttea.io.lines import file_digest

_ROWS_AT_ONCE = 200_000
_SHOWN_FIELDS = 20


def read_json_rows(path: Path, source: SourceDescription) -> Iterator[Rows]:
    """Yield the rows of a JSON file in portions; the last has a note on fields without a role."""
    table, digest = JsonTable(path, source.options.get("each", "")), file_digest(path)
    columns = list(dict.fromkeys(column for _, column in source.columns()))
    collected = _Columns(table, columns or _plain_fields(table))
    for record in table.records(collected.columns):
        if len(collected.lines) >= _ROWS_AT_ONCE:
            yield collected.as_rows(digest)
            collected.start_again()
        collected.add(record)
    _refuse_unknown(collected, source)
    yield collected.as_rows(digest, _note_unused(collected))


def read_json_frame(table: JsonTable, columns: Sequence[str], n_rows: int) -> pl.DataFrame:
    """Return the first rows of a table with these columns."""
    collected = _Columns(table, columns)
    for record in table.records(columns):
        collected.add(record)
        if len(collected.lines) >= n_rows:
            break
    pairs = zip(columns, collected.as_rows("").columns, strict=True)
    return pl.DataFrame(dict(pairs)).head(n_rows)


@dataclass
class _Columns:
    """Values of rows that were read so far, and what is known of all rows."""

    table: JsonTable
    columns: Sequence[str]
    lines: list[int] = field(default_factory=list)
    values: list[list[Any]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)  # columns with a value
    fields: dict[str, None] = field(default_factory=dict)  # paths in the first rows
    places: Sequence[tuple[int, Steps]] = ()

    def __post_init__(self) -> None:
        self.places = [self.table.place(column) for column in self.columns]
        self.start_again()

    def start_again(self) -> None:
        """Forget the rows."""
        self.lines, self.values = [], [[] for _ in self.columns]

    def add(self, record: Record) -> None:
        """Add the rows of a record."""
        for levels in self.table.rows(record.content):
            if len(self.lines) < LOOKED_AT:
                self.fields.update(dict.fromkeys(self.table.fields(levels)))
            self.lines.append(record.line)
            for values, column, (level, steps) in zip(
                self.values, self.columns, self.places, strict=True
            ):
                value = value_at(levels[level], steps)
                if isinstance(value, dict | list):
                    self._refuse_objects(value, column, record.line)
                values.append(value)

    def as_rows(self, digest: str, notes: tuple[str, ...] = ()) -> Rows:
        """Return the rows with their lines."""
        columns = [column_of_values(values) for values in self.values]
        pairs = zip(self.columns, columns, strict=True)
        self.known |= {name for name, column in pairs if column.null_count() < len(column)}
        lines = pl.Series(self.lines, dtype=pl.Int64)
        return Rows(str(self.table.path), list(self.columns), columns, lines, digest, notes)

    def _refuse_objects(self, value: dict[str, Any] | list[Any], column: str, line: int) -> None:
        members: Iterable[Any] = value if isinstance(value, list) else (value,)
        inner = next((member for member in members if isinstance(member, dict | list)), None)
        if inner is None:
            return
        marked = "[]" * (isinstance(value, list) and not column.endswith("[]"))
        example = f"{column}{marked}.{next(iter(inner), 'id')}"
        what = "lists in lists"
        if isinstance(inner, dict):
            what = f"objects; name a field of them, such as {example!r}"
        raise InputError(f"{self.table.path}:{line}: column {column!r} holds {what}")


def _plain_fields(table: JsonTable) -> list[str]:
    """Return the fields of the rows themselves, as columns."""
    own = table.prefixes()[-1]
    inner = (path.removeprefix(own) for path in find_fields(table) if path.startswith(own))
    return [f".{path}" if own else path for path in inner if "[]" not in path]


def _refuse_unknown(collected: _Columns, source: SourceDescription) -> None:
    """Raise an error for columns that no row has."""
    collected.as_rows("")
    table, fields = collected.table, list(collected.fields)
    problems = []
    for key, column in source.columns():
        path = table.full_path(column)
        if column not in collected.known and path.removesuffix("[]") not in fields:
            shown = ", ".join(fields[:_SHOWN_FIELDS]) + ", ..." * (len(fields) > _SHOWN_FIELDS)
            problems.append(
                f"{source.place(key)}: {table.path} has no field {path!r}"
                f"; found {len(fields)}: {shown or 'none'}{did_you_mean(path, fields)}"
            )
    if problems:
        raise InputError.of_many(list(dict.fromkeys(problems)))


def _note_unused(collected: _Columns) -> tuple[str, ...]:
    """Return a note on the fields of the rows themselves that have no role."""
    table = collected.table
    own = table.prefixes()[-1]
    used = {table.full_path(column).removesuffix("[]") for column in collected.columns}
    unused = [path for path in collected.fields if path.startswith(own) and path not in used]
    return (f"unused fields: {', '.join(unused)}",) if unused else ()
