"""How tables hang together: which column is an id, which refers to the id of another table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lighttea.errors import InputError
from lighttea.io.cells import CellRules
from lighttea.io.columns import FACT_ROLES, find_layout
from lighttea.io.descriptions.guess.profiles import Column, profile_column
from lighttea.io.descriptions.guess.tables import Table

_CONTAINED = 0.98  # share of the values that have to be ids of the other table
_BEGIN = re.compile(r"start|begin|from|since|found|debut|born|birth|first|entry", re.IGNORECASE)
_END = re.compile(r"end|until|to$|final|last|died|death|stop|exit|dissol", re.IGNORECASE)
_GIVEN = re.compile(r"first.?name|given.?name|name.?first|forename", re.IGNORECASE)
_FAMILY = re.compile(r"last.?name|family.?name|name.?last|surname", re.IGNORECASE)
_NAME = re.compile(r"(^|[^a-z])(name|title|label)$|[a-z](Name|Title|Label)$", re.IGNORECASE)


@dataclass(frozen=True)
class Guess:
    """A table with what its columns seem to be."""

    table: Table
    columns: Sequence[Column]
    entity: Column | None  # the id of each row
    usual: Mapping[str, str]  # columns by role, where they are called by usual names
    references: dict[str, Guess] = field(default_factory=dict)  # column -> table whose id it holds

    @property
    def names(self) -> list[str]:
        """Columns of one readable name."""
        texts = [c for c in self.columns if not (c.is_number or c.is_time or c.is_list)]
        parts = [
            next((c.name for c in texts if form.search(c.name)), "") for form in (_GIVEN, _FAMILY)
        ]
        if all(parts):
            return parts
        return [c.name for c in texts if _NAME.search(c.name) and c is not self.entity][:1]

    def times(self) -> dict[str, Column]:
        """Return the columns of begin and end, or of a point in time, of a fact."""
        times = [c for c in self.columns if c.is_time]
        begin = next((c for c in times if _BEGIN.search(c.name)), None)
        end = next((c for c in times if _END.search(c.name) and c is not begin), None)
        pair = {"begin": begin, "end": end}
        if begin or end:
            return {role: column for role, column in pair.items() if column}
        return {"time": times[0]} if times else {}


def guess_structure(tables: Sequence[Table], rules: CellRules) -> list[Guess]:
    """Return what each table seems to be, with references between them."""
    guesses = [_guess(table, rules) for table in tables]
    for guess in guesses:
        for column in guess.columns:
            target = _find_target(guess, column, guesses)
            if target is not None:
                guess.references[column.name] = target
    return guesses


def _guess(table: Table, rules: CellRules) -> Guess:
    columns = [profile_column(column, rules) for column in table.frame.get_columns()]
    try:
        layout = find_layout(table.label, table.frame.columns, {}, FACT_ROLES)
    except InputError:  # some usual names, but not all that are needed
        layout = None
    usual = {r: table.frame.columns[n] for r, n in layout.columns.items()} if layout else {}
    entity = None if table.outer_id else _find_id(columns)
    return Guess(table, columns, entity, usual)


def _find_id(columns: Sequence[Column]) -> Column | None:
    """Return the first unique column that is called an id, or the first column if it is unique."""
    unique = [c for c in columns if c.is_unique and not c.is_time and c.n_rows > 1]
    called = [c for c in unique if c.is_called_id or c.name.lower() == "id"]
    if called:
        return called[0]
    return unique[0] if unique and unique[0] is columns[0] else None


def _find_target(guess: Guess, column: Column, guesses: Sequence[Guess]) -> Guess | None:
    """Return the table whose ids a column holds."""
    if column is guess.entity or column.is_time or column.values.is_empty():
        return None
    for target in guesses:
        if target.entity is None or not (_is_related(column, target) or not column.is_number):
            continue
        if target is guess and not _is_related(column, target):
            continue
        n_contained = int(column.values.is_in(target.entity.values.implode()).sum())
        if n_contained >= _CONTAINED * len(column.values):
            return target
    return None


def _is_related(column: Column, target: Guess) -> bool:
    """Whether a column is called by the id of a table, or by the table."""
    own, noun = bare(column.name), bare(target.table.noun)
    key = bare(target.entity.name) if target.entity else ""
    singular = re.sub(r"(ie)?s$", "", noun)
    return (len(key) > 2 and own.endswith(key)) or (len(singular) > 2 and singular[:5] in own)


def bare(name: str) -> str:
    """Return a name without case and signs, the last part of a path."""
    return re.sub(r"[\W_]", "", name.rsplit(".", maxsplit=1)[-1]).lower()
