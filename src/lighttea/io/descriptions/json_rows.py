"""Sources that are JSON: one row for each record, or for each element of a list in it.

Columns are paths: `person.id` is a field of an object, `names[].text` one of each element of a
list, as a list. `each` names the list whose elements are rows; fields of what it lies in stay
within reach.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from lighttea.config import did_you_mean
from lighttea.errors import InputError
from lighttea.io.descriptions.json_stream import Record, read_records
from lighttea.io.descriptions.model import SourceDescription
from lighttea.io.descriptions.rows import Rows
from lighttea.io.descriptions.values import column_of_values
from lighttea.io.lines import file_digest

_ROWS_AT_ONCE = 200_000
_LOOKED_AT = 1_000  # records whose fields are known when a column is not found
_SHOWN_FIELDS = 20


class _Step(NamedTuple):
    """A field of an object, and whether a list is expected there, whose elements are meant."""

    key: str
    is_list: bool


_Steps: TypeAlias = tuple[_Step, ...]
_Levels: TypeAlias = tuple[Any, ...]  # a record, an element of a list in it, one in that, ...


@dataclass(frozen=True)
class JsonTable:
    """Where rows come from: the lists that are taken apart, outermost first."""

    path: Path
    each: str = ""

    def records(self, columns: Iterable[str]) -> Iterator[Record]:
        """Yield records; only the list that rows come from is kept where columns allow it."""
        paths = [self.full_path(column) for column in columns]
        outer = next((step.key for step in _steps(self.each)), "")
        is_enough = all(path.startswith(f"{outer}[].") for path in paths)
        return read_records(self.path, outer if is_enough else "")

    def rows(self, record: Any) -> Iterator[_Levels]:
        """Yield the record and the elements of lists in it that lead to each row."""
        rows: list[_Levels] = [(record,)]
        for steps in self._lists():
            rows = [
                (*levels, element) for levels in rows for element in _elements(levels[-1], steps)
            ]
        return iter(rows)

    def full_path(self, column: str) -> str:
        """Return the path of a column from the record; a dot stands for the list of rows."""
        return f"{self.prefixes()[-1]}{column[1:]}" if column.startswith(".") else column

    def prefixes(self) -> list[str]:
        """Return how paths of a record and of each list that is taken apart begin."""
        prefixes = [""]
        for steps in self._lists():
            keys = ".".join(step.key for step in steps)
            prefixes.append(f"{prefixes[-1]}{keys}[].")
        return prefixes

    def _lists(self) -> list[_Steps]:
        """Return the steps from one list that is taken apart to the next."""
        lists, steps = [], []
        all_steps = _steps(self.each)
        for number, step in enumerate(all_steps, 1):
            steps.append(step)
            if step.is_list or number == len(all_steps):
                lists.append(tuple(steps))
                steps = []
        return lists


def read_json_rows(path: Path, source: SourceDescription) -> Iterator[Rows]:
    """Yield the rows of a JSON file in portions."""
    table = JsonTable(path, source.options.get("each", ""))
    columns = list(dict.fromkeys(column for _, column in source.columns()))
    yield from _read(table, columns or find_fields(table, of_rows_alone=True), source)


def read_json_frame(table: JsonTable, columns: Sequence[str], n_rows: int) -> pl.DataFrame:
    """Return the first rows of a table with these columns."""
    collected = _Columns(table, columns)
    for record in table.records(columns):
        collected.add(record)
        if len(collected.lines) >= n_rows:
            break
    return collected.frame().head(n_rows)


def find_fields(table: JsonTable, *, of_rows_alone: bool = False) -> list[str]:
    """Return the paths of all fields of the first records that hold no objects."""
    fields: dict[str, None] = {}
    prefixes = table.prefixes()
    for record in itertools.islice(table.records(()), _LOOKED_AT):
        for levels in itertools.islice(table.rows(record.content), _LOOKED_AT):
            for prefix, level in zip(prefixes, levels, strict=True):
                if not of_rows_alone or prefix == prefixes[-1]:
                    passed = [p.removesuffix("[].") for p in prefixes if p]
                    fields.update(dict.fromkeys(_fields(level, prefix, passed)))
    return list(fields)


def find_lists(path: Path) -> list[str]:
    """Return the paths of the lists of objects in the first records of a file."""
    lists: dict[str, None] = {}
    for record in itertools.islice(read_records(path), _LOOKED_AT):
        lists.update(dict.fromkeys(_lists_in(record.content, "")))
    return list(lists)


def _read(table: JsonTable, columns: Sequence[str], source: SourceDescription) -> Iterator[Rows]:
    digest, known = file_digest(table.path), set[str]()
    collected = _Columns(table, columns)
    for record in table.records(columns):
        collected.add(record)
        if len(collected.lines) >= _ROWS_AT_ONCE:
            known |= collected.known()
            yield collected.as_rows(digest)
            collected = _Columns(table, columns)
    _refuse_unknown(table, source, known | collected.known())
    yield collected.as_rows(digest)


@dataclass
class _Columns:
    """Values of rows that were read so far."""

    table: JsonTable
    columns: Sequence[str]
    lines: list[int] = field(default_factory=list)
    values: list[list[Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values = [[] for _ in self.columns]
        self._where = [_place(self.table, column) for column in self.columns]

    def add(self, record: Record) -> None:
        """Add the rows of a record."""
        for levels in self.table.rows(record.content):
            self.lines.append(record.line)
            for values, column, (level, steps) in zip(
                self.values, self.columns, self._where, strict=True
            ):
                value = _value(levels[level], steps)
                if _holds_objects(value):
                    raise InputError(
                        f"{self.table.path}:{record.line}: column {column!r} holds objects; name a "
                        f"field of them, such as {_example(column, value)!r}"
                    )
                values.append(value)

    def known(self) -> set[str]:
        """Return the columns that have a value."""
        pairs = zip(self.columns, self.values, strict=True)
        return {column for column, values in pairs if any(v is not None for v in values)}

    def frame(self) -> pl.DataFrame:
        """Return the rows as a frame."""
        pairs = zip(self.columns, self.values, strict=True)
        return pl.DataFrame({column: column_of_values(values) for column, values in pairs})

    def as_rows(self, digest: str) -> Rows:
        """Return the rows with their lines."""
        columns = [column_of_values(values) for values in self.values]
        lines = pl.Series(self.lines, dtype=pl.Int64)
        return Rows(str(self.table.path), list(self.columns), columns, lines, digest)


def _place(table: JsonTable, column: str) -> tuple[int, _Steps]:
    """Return the level that a column belongs to, and the steps from there."""
    path = table.full_path(column)
    levels = [(n, p) for n, p in enumerate(table.prefixes()) if path.startswith(p)]
    level, prefix = levels[-1]
    return level, _steps(path[len(prefix) :])


def _steps(path: str) -> _Steps:
    """Return the steps of a path such as `persons[].names`."""
    parts = path.split(".") if path else []
    return tuple(_Step(part.removesuffix("[]"), part.endswith("[]")) for part in parts)


def _elements(value: Any, steps: _Steps) -> list[Any]:
    """Return the elements of a list; one object counts as a list of one."""
    content = _value(value, (*steps[:-1], _Step(steps[-1].key, is_list=False)))
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def _value(value: Any, steps: _Steps) -> Any:
    """Return what lies at the end of the steps; a list where one of them is a list."""
    for number, (key, is_list) in enumerate(steps, 1):
        value = value.get(key) if isinstance(value, dict) else None
        if value is None:
            return None
        if is_list:
            members = value if isinstance(value, list) else [value]
            ends = (_value(member, steps[number:]) for member in members)
            flat = [v for end in ends for v in (end if isinstance(end, list) else [end])]
            return [v for v in flat if v is not None] or None
    return value


def _holds_objects(value: Any) -> bool:
    members = value if isinstance(value, list) else (value,)
    return any(isinstance(member, dict | list) for member in members)


def _example(column: str, value: Any) -> str:
    """Return the path of a field of an object, or of objects in a list."""
    member = value[0] if isinstance(value, list) else value
    keys = list(member) if isinstance(member, dict) else []
    is_list = isinstance(value, list) and not column.endswith("[]")
    return f"{column}{'[]' * is_list}.{keys[0] if keys else 'id'}"


def _fields(value: Any, prefix: str, passed: Sequence[str]) -> Iterator[str]:
    """Yield the paths of fields that hold no objects; `passed` lists have their own rows."""
    for key, content in value.items() if isinstance(value, dict) else ():
        path = f"{prefix}{key}"
        if path in passed or "." in key:
            continue
        if isinstance(content, dict):
            yield from _fields(content, f"{path}.", passed)
        elif isinstance(content, list) and any(isinstance(member, dict) for member in content):
            for member in content[:_LOOKED_AT]:
                yield from _fields(member, f"{path}[].", passed)
        else:
            yield path


def _lists_in(value: Any, prefix: str) -> Iterator[str]:
    for key, content in value.items() if isinstance(value, dict) else ():
        path = f"{prefix}{key}"
        if isinstance(content, dict):
            yield from _lists_in(content, f"{path}.")
        elif isinstance(content, list) and any(isinstance(member, dict) for member in content):
            yield path
            for member in content[:_LOOKED_AT]:
                yield from _lists_in(member, f"{path}[].")


def _refuse_unknown(table: JsonTable, source: SourceDescription, known: set[str]) -> None:
    """Raise an error for columns that no row has."""
    missing = [(key, column) for key, column in source.columns() if column not in known]
    if not missing:
        return
    fields = find_fields(table)
    problems = []
    for key, column in missing:
        path = table.full_path(column)
        if path not in fields:
            shown = ", ".join(fields[:_SHOWN_FIELDS]) + ", ..." * (len(fields) > _SHOWN_FIELDS)
            problems.append(
                f"{source.place(key)}: {table.path} has no field {path!r}"
                f"{did_you_mean(path, fields)}; found {len(fields)}: {shown or 'none'}"
            )
    if problems:
        raise InputError.of_many(list(dict.fromkeys(problems)))
