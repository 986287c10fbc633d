"""Rows of a source before their columns have roles."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from lighttea.config import did_you_mean
from lighttea.errors import InputError
from lighttea.io.descriptions.model import SourceDescription

_SHOWN_NAMES = 20


@dataclass(frozen=True)
class Rows:
    """Columns of one table, and where it comes from.

    `where` is what messages call the table: a file, a database, a service. `lines` are the numbers
    of its rows there. `digest` is that of its content.
    """

    where: str
    names: Sequence[str]
    columns: Sequence[pl.Series]  # texts, numbers, dates, or lists of texts
    lines: pl.Series
    digest: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of_frame(
        cls,
        frame: pl.DataFrame,
        where: str,
        *,
        digest: str = "",
        first_line: int = 1,
        notes: tuple[str, ...] = (),
    ) -> Rows:
        """Return the rows of a frame, numbered from `first_line`."""
        lines = pl.int_range(first_line, first_line + len(frame), eager=True)
        return cls(where, frame.columns, frame.get_columns(), lines, digest, notes)

    def __len__(self) -> int:
        return len(self.lines)

    def column(self, name: str) -> pl.Series:
        """Return a column by its name, or by its position from 1."""
        place = self.names.index(name) if name in self.names else int(name) - 1
        return self.columns[place].alias(name)


def check_rows(rows: Rows, source: SourceDescription) -> None:
    """Raise an error for columns that the description names and the table does not have."""
    problems = []
    for key, column in source.columns():
        if rows.names.count(column) > 1:
            problems.append(
                f"{source.place(key)}: {rows.where} has {rows.names.count(column)} columns "
                f"{column!r}; rename one, or set header = false and give positions"
            )
        elif column not in rows.names and not _is_position(column, len(rows.names)):
            hint = did_you_mean(column, rows.names)
            if key == "relation":
                hint += f"; a constant is {{ value = {json.dumps(column, ensure_ascii=False)} }}"
            problems.append(
                f"{source.place(key)}: {rows.where} has no column {column!r}"
                f"{_listed(rows.names)}{hint}"
            )
    if problems:
        raise InputError.of_many(list(dict.fromkeys(problems)))


def _is_position(column: str, n_columns: int) -> bool:
    return column.isdecimal() and 1 <= int(column) <= n_columns


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN_NAMES]) + ", ..." * (len(names) > _SHOWN_NAMES)
    return f"; found {len(names)}: {shown}"
