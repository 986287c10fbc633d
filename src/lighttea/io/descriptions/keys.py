"""Keys of a description, read one by one: what they must hold, and what is wrong with them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lighttea.config import did_you_mean
from lighttea.io.descriptions.model import Cell

_COLUMN = 'a column, such as "playerID"'
_CONSTANT = 'a constant, such as { value = "played for" }'


@dataclass
class KeyReader:
    """One table of a description; problems of all its keys are collected."""

    table: Mapping[str, Any]
    place: Callable[[str], str]  # of a key, for messages
    problems: list[str] = field(default_factory=list)

    def refuse_unknown(self, known: Iterable[str], what: str) -> None:
        """Note the keys that are not known."""
        listed = list(known)
        for key in self.table:
            if key not in listed:
                self.add(key, f"is not a key of {what}{did_you_mean(key, listed)}")

    def add(self, key: str, problem: str) -> None:
        """Note a problem of a key."""
        self.problems.append(f"{self.place(key)} {problem}")

    def wrong(self, key: str, expected: str) -> None:
        """Note a value of the wrong kind."""
        self.add(key, f"must be {expected}; found {self.table[key]!r:.80}")

    def text(self, key: str) -> str:
        """Return a text; empty where it is not given."""
        value = self.table.get(key, "")
        if isinstance(value, str) and (value.strip() or key not in self.table):
            return value
        self.wrong(key, "a text in quotes")
        return ""

    def texts(self, key: str) -> tuple[str, ...]:
        """Return one text or a list of texts."""
        value = self.table.get(key, ())
        texts = [value] if isinstance(value, str) else value
        if isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts):
            return tuple(texts)
        self.wrong(key, "a text, or a list of texts")
        return ()

    def yes_or_no(self, key: str) -> bool:
        """Return true or false."""
        value = self.table[key]
        if not isinstance(value, bool):
            self.wrong(key, "true or false")
        return bool(value)

    def cell(self, key: str) -> Cell | None:
        """Return a column or a constant; None where it is not given."""
        if key not in self.table:
            return None
        cell = _cell_of(self.table[key])
        if cell is None:
            self.wrong(key, f"{_COLUMN}, or {_CONSTANT}")
        return cell

    def cells(self, key: str) -> dict[str, Cell]:
        """Return columns or constants by name."""
        value = self.table.get(key, {})
        table = value if isinstance(value, dict) else {"": None}
        cells = {name: _cell_of(cell) for name, cell in table.items()}
        known = {name: cell for name, cell in cells.items() if cell is not None}
        if len(known) < len(cells):
            self.wrong(
                key, 'a table from relations to columns, such as { "born in" = "birthDate" }'
            )
        return known

    def column(self, key: str) -> str:
        """Return a column; empty where it is not given."""
        if key not in self.table:
            return ""
        column = _column_of(self.table[key])
        if not column:
            self.wrong(key, _COLUMN)
        return column

    def columns(self, key: str) -> tuple[str, ...]:
        """Return one column or a list of columns."""
        value = self.table.get(key, [])
        columns = [_column_of(c) for c in (value if isinstance(value, list | tuple) else [value])]
        if not all(columns):
            self.wrong(key, "a column, or a list of columns")
        return self._without_repeated(key, columns)

    def named_columns(self, key: str) -> dict[str, str]:
        """Return what columns are called, from a list of columns or a table."""
        value = self.table.get(key, {})
        if isinstance(value, dict):
            if all(isinstance(name, str) and name.strip() for name in value.values()):
                return dict(value)
            self.wrong(key, 'a table from columns to names, such as { birthCity = "born in" }')
            return {}
        return {column: column.removeprefix(".") for column in self.columns(key)}

    def texts_by_name(self, key: str, example: str) -> dict[str, str]:
        """Return a table of texts."""
        value = self.table.get(key, {})
        if isinstance(value, dict) and all(isinstance(t, str) and t for t in value.values()):
            return dict(value)
        self.wrong(key, f"a table such as {example}")
        return {}

    def _without_repeated(self, key: str, columns: list[str]) -> tuple[str, ...]:
        for column in sorted({c for c in columns if c and columns.count(c) > 1}):
            self.add(key, f"names the column {column!r} twice")
        return tuple(dict.fromkeys(filter(None, columns)))


def _column_of(value: object) -> str:
    """Return a column by name or position; empty where it is neither."""
    if isinstance(value, str):
        return value
    is_position = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return str(value) if is_position else ""


def _cell_of(value: object) -> Cell | None:
    """Return a column or a constant; None where a value is neither."""
    if isinstance(value, dict):
        constant = value.get("value")
        if set(value) != {"value"} or isinstance(constant, bool):
            return None
        plain = isinstance(constant, str | int | float | datetime.date) and str(constant).strip()
        return Cell(constant=str(constant)) if plain else None
    column = _column_of(value)
    return Cell(column) if column else None
