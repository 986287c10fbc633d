"""Paths into JSON: `person.id` is a field of an object, `names[].text` one of a list's elements.

A table of JSON has one row for each record, or for each element of the list that `each` names;
fields of what that list lies in stay within reach.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from lighttea.io.descriptions.json_stream import Record, read_records

LOOKED_AT = 1_000  # records and rows whose fields are listed


class _Step(NamedTuple):
    """A field of an object, and whether a list is expected there, whose elements are meant."""

    key: str
    is_list: bool


Steps: TypeAlias = tuple[_Step, ...]
Levels: TypeAlias = tuple[Any, ...]  # a record, an element of a list in it, one in that, ...


@dataclass(frozen=True)
class JsonTable:
    """Where rows come from: a file, and the list in its records that is taken apart."""

    path: Path
    each: str = ""

    def records(self, columns: Iterable[str]) -> Iterator[Record]:
        """Yield records; only the list that rows come from is kept where columns allow it."""
        paths = [self.full_path(column) for column in columns]
        outer = next((step.key for step in _steps(self.each)), "")
        is_enough = all(path.startswith(f"{outer}[].") for path in paths)
        return read_records(self.path, outer if is_enough else "")

    def rows(self, record: Any) -> list[Levels]:
        """Return the record and the elements of lists in it that lead to each row."""
        rows: list[Levels] = [(record,)]
        for steps in self._lists():
            rows = [
                (*levels, element) for levels in rows for element in _elements(levels[-1], steps)
            ]
        return rows

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

    def place(self, column: str) -> tuple[int, Steps]:
        """Return the level of `rows` that a column belongs to, and the steps from there."""
        path = self.full_path(column)
        level, prefix = [(n, p) for n, p in enumerate(self.prefixes()) if path.startswith(p)][-1]
        return level, _steps(path[len(prefix) :])

    def fields(self, levels: Levels) -> Iterator[str]:
        """Yield the paths of the fields of a row that hold no objects."""
        prefixes = self.prefixes()
        passed = [prefix.removesuffix("[].") for prefix in prefixes[1:]]
        for prefix, level in zip(prefixes, levels, strict=True):
            yield from _fields(level, prefix, passed)

    def _lists(self) -> list[Steps]:
        """Return the steps from one list that is taken apart to the next."""
        lists: list[Steps] = []
        steps: list[_Step] = []
        all_steps = _steps(self.each)
        for number, step in enumerate(all_steps, 1):
            steps.append(step)
            if step.is_list or number == len(all_steps):
                lists.append(tuple(steps))
                steps = []
        return lists


def find_fields(table: JsonTable) -> list[str]:
    """Return the paths of all fields of the first rows that hold no objects."""
    fields: dict[str, None] = {}
    for record in itertools.islice(read_records(table.path), LOOKED_AT):
        for levels in table.rows(record.content)[:LOOKED_AT]:
            fields.update(dict.fromkeys(table.fields(levels)))
    return list(fields)


def find_lists(path: Path) -> list[str]:
    """Return the paths of the lists of objects in the first records of a file."""
    lists: dict[str, None] = {}
    for record in itertools.islice(read_records(path), LOOKED_AT):
        lists.update(dict.fromkeys(_lists_in(record.content, "")))
    return list(lists)


def value_at(value: Any, steps: Steps) -> Any:
    """Return what lies at the end of the steps; a list where one of them is a list."""
    for number, (key, is_list) in enumerate(steps, 1):
        value = value.get(key) if isinstance(value, dict) else None
        if value is None:
            return None
        if is_list:
            members = value if isinstance(value, list) else [value]
            ends = (value_at(member, steps[number:]) for member in members)
            flat = [v for end in ends for v in (end if isinstance(end, list) else [end])]
            return [v for v in flat if v is not None] or None
    return value


def _steps(path: str) -> Steps:
    """Return the steps of a path such as `persons[].names`."""
    parts = path.split(".") if path else []
    return tuple(_Step(part.removesuffix("[]"), part.endswith("[]")) for part in parts)


def _elements(value: Any, steps: Steps) -> list[Any]:
    """Return the elements of a list; one object counts as a list of one."""
    content = value_at(value, (*steps[:-1], _Step(steps[-1].key, is_list=False)))
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def _fields(value: Any, prefix: str, passed: Sequence[str]) -> Iterator[str]:
    """Yield the paths of fields that hold no objects; `passed` lists have their own rows."""
    for key, content in value.items() if isinstance(value, dict) else ():
        path = f"{prefix}{key}"
        if path in passed or "." in key:
            continue
        if isinstance(content, dict):
            yield from _fields(content, f"{path}.", passed)
        elif _holds_objects(content):
            for member in content[:LOOKED_AT]:
                yield from _fields(member, f"{path}[].", passed)
        else:
            yield path


def _lists_in(value: Any, prefix: str) -> Iterator[str]:
    for key, content in value.items() if isinstance(value, dict) else ():
        path = f"{prefix}{key}"
        if isinstance(content, dict):
            yield from _lists_in(content, f"{path}.")
        elif _holds_objects(content):
            yield path
            for member in content[:LOOKED_AT]:
                yield from _lists_in(member, f"{path}[].")


def _holds_objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(member, dict) for member in value)
