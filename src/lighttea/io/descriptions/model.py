"""A description of a graph, read and checked: sources, and the roles of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lighttea.io.cells import CellRules

TIMES = ("time", "begin", "end")


@dataclass(frozen=True)
class Cell:
    """Where a value comes from: a column, or a constant for all rows."""

    column: str = ""
    constant: str | None = None


@dataclass(frozen=True)
class FactRoles:
    """A table of facts: one row, one fact or one literal."""

    cells: Mapping[str, Cell]  # by role: head, relation, tail, time, value, ...
    names: Mapping[str, tuple[str, ...]]  # columns of readable names of head, relation and tail

    def columns(self) -> Iterator[tuple[str, str]]:
        """Yield each key with a column that it names."""
        yield from ((role, cell.column) for role, cell in self.cells.items() if cell.column)
        yield from (("names", c) for columns in self.names.values() for c in columns)


@dataclass(frozen=True)
class EntityRoles:
    """A wide table: one row, one entity; columns are attributes, links and dates of it."""

    entity: str
    names: tuple[str, ...]  # columns of one readable name
    attributes: Mapping[str, str]  # name of the attribute by column
    links: Mapping[str, str]  # relation by column
    dates: Mapping[str, str]  # relation of the entity with itself by column
    times: Mapping[str, Mapping[str, Cell]]  # time, begin, end -> relation or attribute -> cell

    def columns(self) -> Iterator[tuple[str, str]]:
        """Yield each key with a column that it names."""
        yield "entity", self.entity
        yield from (("names", column) for column in self.names)
        for key in ("attributes", "links", "dates"):
            yield from ((key, column) for column in getattr(self, key))
        for key, cells in self.times.items():
            yield from ((key, cell.column) for cell in cells.values() if cell.column)


@dataclass(frozen=True)
class SourceDescription:
    """One source of a graph: where its rows come from and what their columns mean.

    `options` are the keys that belong to its kind, as they were written: `file`, `sheet`, `sql`,
    `database`, ... Paths in them are relative to `folder`.
    """

    number: int  # from 1
    kind: str
    options: Mapping[str, Any]
    folder: Path
    roles: FactRoles | EntityRoles | None  # None: a whole graph, or the usual names of columns
    prefixes: Mapping[str, str] = field(default_factory=dict)  # by role or column; "" for all
    splits: Mapping[str, str] = field(default_factory=dict)  # separator of values by column
    rules: CellRules = field(default_factory=CellRules)
    places: Mapping[str, str] = field(default_factory=dict)  # where each key stands
    strict: bool = False  # stop at malformed lines of a whole graph

    def place(self, key: str) -> str:
        """Return where a key stands, for messages: file, line and key, or number and key."""
        return self.places.get(key, f"source {self.number}: {key}")

    def columns(self) -> list[tuple[str, str]]:
        """Return each key with a column that it names; none where roles are not given."""
        return list(self.roles.columns()) if self.roles else []


@dataclass(frozen=True)
class GraphDescription:
    """A graph as its description tells it."""

    name: str
    sources: tuple[SourceDescription, ...]
