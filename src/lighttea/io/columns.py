"""Which column of a table has which role: by usual names, given names or given positions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from lighttea.config import did_you_mean
from lighttea.errors import InputError
from lighttea.io.cells import CellRules, read_formats
from lighttea.io.presets import PRESETS, recognise_preset
from lighttea.io.problems import Problems

Roles = Mapping[str, tuple[str, ...]]

FACT_ROLES: Roles = {
    "head": ("head", "subject", "s", "source"),
    "relation": ("relation", "predicate", "p"),
    "tail": ("tail", "object", "o", "target"),
    "begin": ("begin", "start", "from"),
    "end": ("end", "to", "until"),
    "time": ("time", "date", "timestamp"),
    "value": ("value", "literal"),
    "datatype": ("datatype",),
    "language": ("language", "lang"),
}
# names that count where none of the above is there, `_`, `-` and blanks aside
FURTHER_NAMES: Roles = {
    "begin": ("valid_from", "start_date"),
    "end": ("valid_to", "valid_until", "end_date"),
}
_OF_VALUES = ("datatype", "language")  # roles that say nothing without a value
LINK_ROLES: Roles = {
    "left": ("left", "source", "subject", "subject_id"),
    "right": ("right", "target", "object", "object_id"),
}
TYPE_ROLES: Roles = {
    "entity": ("entity", "id", "subject", "s"),
    "type": ("type", "class", "object", "o"),
}
CLUSTER_ROLES: Roles = {"cluster": ("cluster",), "graph": ("graph",), "entity": ("entity",)}
PRESET = "preset"  # the key of a named layout among the given columns
_CELL_RULES = ("missing", "date_format")  # keys among the given columns that are no roles
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_PARTS = re.compile(r"""(?:=\s*'[^']*'|=\s*"[^"]*"|[^,])+""")  # a comma in quotes parts nothing
_NEEDED = {"head", "relation", "tail", "left", "right", "entity", "type", "cluster", "graph"}


@dataclass(frozen=True)
class Layout:
    """The column number of each role, and whether the names come from a header line."""

    columns: Mapping[str, int]
    has_header: bool


@dataclass(frozen=True)
class ColumnChoice:
    """Given columns by role, constants in place of columns, and what cells mean.

    In what a user gives, a value in quotes is a constant: `relation='played for'`.
    """

    columns: Mapping[str, str]
    constants: Mapping[str, str]
    rules: CellRules

    @classmethod
    def of(cls, given: Mapping[str, str]) -> ColumnChoice:
        """Return what was given, checked."""
        rules = {key: str(given[key]).split("|") for key in _CELL_RULES if key in given}
        rest = {role: str(column) for role, column in given.items() if role not in rules}
        checked = check_columns(rest)
        constants = {r: c[1:-1] for r, c in checked.items() if _QUOTED.fullmatch(c)}
        for role in constants.keys() & {"value", "datatype", "language"}:
            raise InputError(f"columns: {role} must be a column, not a constant")
        return cls(
            {role: column for role, column in checked.items() if role not in constants},
            constants,
            CellRules(
                tuple(mark.strip() for mark in rules.get("missing", ())),
                read_formats(rules.get("date_format", ())),
            ),
        )

    def apply(self, frame: pl.DataFrame, where: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
        """Return the rows with constants, without missing values, with times in a usual form.

        Where marks of missing values are given, rows without a head, a relation or a tail are left
        out, and notes say how many.
        """
        constants = [pl.lit(text).alias(role) for role, text in self.constants.items()]
        whole, notes = self._without_missing(frame.with_columns(constants))
        if not self.rules.date_formats:
            return whole, notes
        problems = Problems(strict=True)
        times = [
            self.rules.iso_times(
                whole[role].alias(self.columns.get(role, role)), whole["line"], where, problems
            ).alias(role)
            for role in ("time", "begin", "end")
            if role in whole.columns
        ]
        problems.check()
        return whole.with_columns(times), notes

    def _without_missing(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
        if not self.rules.missing:
            return frame, ()
        roles = [role for role in frame.columns if role in FACT_ROLES]
        bare = frame.with_columns(self.rules.without_missing(frame[role]) for role in roles)
        needed = [pl.col(role).is_not_null() for role in ("head", "relation")]
        last = [pl.col(role).is_not_null() for role in ("tail", "value") if role in roles]
        kept = bare.filter(*needed, pl.any_horizontal(last))
        n_left_out = len(bare) - len(kept)
        note = f"{n_left_out:,} rows without head, relation or tail left out"
        return kept, (note,) * bool(n_left_out)


def parse_columns(text: str) -> dict[str, str]:
    """Return `head=subj,relation=3`, or a preset's name and roles behind it, as a mapping."""
    given: dict[str, str] = {}
    for part in filter(str.strip, _PARTS.findall(text)):
        role, sign, column = (piece.strip() for piece in part.partition("="))
        if not sign and not given and role.lower() in PRESETS:
            given[PRESET] = role.lower()
            continue
        if not sign or not column:
            raise InputError(
                f"columns: expected role=column or first a preset ({', '.join(PRESETS)}), "
                f"found {part.strip()!r} in {text!r}"
            )
        if role in given:
            raise InputError(f"columns: {role} is given twice in {text!r}")
        given[role] = column
    return given


def check_columns(given: Mapping[str, str]) -> dict[str, str]:
    """Return the given columns; raise an error for unknown roles or missing needed ones."""
    refuse_unknown_roles(given)
    missing = [role for role in ("head", "relation", "tail") if not _is_given(role, given)]
    if given and missing:
        raise InputError(
            f"columns: {', '.join(missing)} missing; give head, relation and tail, or a value in "
            "place of the tail"
        )
    for role in _OF_VALUES:
        if role in given and "value" not in given:
            raise InputError(f"columns: {role} describes a value; name the column of values too")
    return {role: str(column) for role, column in given.items()}


def _is_given(role: str, given: Mapping[str, object]) -> bool:
    """Whether a role has a column; a value stands in for a tail."""
    return role in given or (role == "tail" and "value" in given)


def refuse_unknown_roles(given: Mapping[str, str], *, literals: bool = True) -> None:
    """Raise an error for a role that facts, or literals where there can be some, do not have."""
    roles = [r for r in FACT_ROLES if literals or r not in ("value", *_OF_VALUES)]
    for role in sorted(given.keys() - set(roles)):
        raise InputError(f"columns: {role!r} is not a role; choose from {', '.join(roles)}")


def find_layout(
    where: str, names: Sequence[str], given: Mapping[str, str], roles: Roles
) -> Layout | None:
    """Return the column of each role among the names of a table; None where there is no header."""
    if not given:
        usual = _find_usual_names(where, names, roles)
        return Layout(usual, has_header=True) if usual else None
    columns = {role: find_column(where, names, column, role) for role, column in given.items()}
    if len(set(columns.values())) < len(columns):
        raise InputError(f"{where}: columns {dict(given)} name one column for two roles")
    named = any(column in names for column in given.values())
    return Layout(columns, has_header=named or _is_usual_header(names, roles))


def advice(roles: Roles, names: Sequence[str] = ()) -> str:
    """Return what a user can do where no roles were found among these names."""
    if roles is FACT_ROLES:
        if preset := recognise_preset(names):
            return f"this looks like {preset}: read it with `columns='{preset}'`"
        return 'name the columns: `columns="head=...,relation=...,tail=..."`'
    return f"call the columns {' and '.join(roles)}"


def find_column(where: str, names: Sequence[str], column: str, role: str = "") -> int:
    """Return the place of a column, given by name or by position from 1.

    A `role` may be said where a user may have meant a constant.
    """
    if column in names:
        return names.index(column)
    if column.isdecimal() and 1 <= int(column) <= len(names):
        return int(column) - 1
    hint = did_you_mean(column, names)
    if role == "relation" and not hint and "'" not in column:
        hint = f"; put a constant in quotes: '{column}'"
    raise InputError(
        f"{where}: there is no column {column!r}; found {len(names)}: {', '.join(names)}{hint}"
    )


def _find_usual_names(where: str, names: Sequence[str], roles: Roles) -> dict[str, int] | None:
    columns: dict[str, int] = {}
    for role, usual in roles.items():
        matches = [n for n, name in enumerate(names) if name.strip().lower() in usual]
        if not matches and roles is FACT_ROLES:
            matches = _find_further_name(names, role)
        if len(matches) > 1:
            both = " and ".join(repr(names[number]) for number in matches)
            raise InputError(f"{where}: {both} both mean {role}; choose one: {advice(roles)}")
        if matches:
            columns[role] = matches[0]
    missing = [role for role in roles if role in _NEEDED and not _is_given(role, columns)]
    if not missing:
        return {
            role: number
            for role, number in columns.items()
            if role not in _OF_VALUES or "value" in columns
        }
    if len(columns) >= 2:
        raise InputError(
            f"{where}: the header {list(names)} has no column for {', '.join(missing)}; "
            f"{advice(roles, names)}"
        )
    return None


def _find_further_name(names: Sequence[str], role: str) -> list[int]:
    """Return the one column that a further name of a role means; none where there are several."""
    bare = {_bare_name(name) for name in FURTHER_NAMES.get(role, ())}
    matches = [n for n, name in enumerate(names) if _bare_name(name) in bare]
    return matches if len(matches) == 1 else []


def _bare_name(name: str) -> str:
    """Return a name without case, blanks, `_` and `-`."""
    return re.sub(r"[\s_-]", "", name).lower()


def _is_usual_header(names: Sequence[str], roles: Roles) -> bool:
    """Whether at least two names are usual ones; then the line is a header, not a fact."""
    usual = {name for synonyms in roles.values() for name in synonyms}
    n_further = sum(len(_find_further_name(names, role)) for role in FURTHER_NAMES)
    further = n_further if roles is FACT_ROLES else 0
    return sum(name.strip().lower() in usual for name in names) + further >= 2
