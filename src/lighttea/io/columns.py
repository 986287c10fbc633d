"""Which column of a table is what: usual names, names given, positions given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lighttea.errors import InputError
from lighttea.io.presets import PRESETS, looks_like

Roles = Mapping[str, tuple[str, ...]]

FACT_ROLES: Roles = {
    "head": ("head", "subject", "s", "source"),
    "relation": ("relation", "predicate", "p"),
    "tail": ("tail", "object", "o", "target"),
    "begin": ("begin", "start", "from"),
    "end": ("end", "to", "until"),
    "time": ("time", "date", "timestamp"),
}
LINK_ROLES: Roles = {
    "left": ("left", "source", "subject", "subject_id"),
    "right": ("right", "target", "object", "object_id"),
}
TYPE_ROLES: Roles = {
    "entity": ("entity", "id", "subject", "s"),
    "type": ("type", "class", "object", "o"),
}
PRESET = "preset"  # the key of a named layout among the columns that are wanted
_NEEDED = {"head", "relation", "tail", "left", "right", "entity", "type"}


@dataclass(frozen=True)
class Layout:
    """The column number of each role, and whether the names come from a header line."""

    columns: Mapping[str, int]
    has_header: bool


def parse_columns(text: str) -> dict[str, str]:
    """`head=subj,relation=3`, or the name of a preset, as a mapping; roles may follow a preset."""
    wanted: dict[str, str] = {}
    for part in filter(str.strip, text.split(",")):
        role, sign, column = (piece.strip() for piece in part.partition("="))
        if not sign and not wanted and role.lower() in PRESETS:
            wanted[PRESET] = role.lower()
            continue
        if not sign or not column:
            raise InputError(
                f"columns: expected role=column or first a preset ({', '.join(PRESETS)}), "
                f"found {part.strip()!r} in {text!r}"
            )
        if role in wanted:
            raise InputError(f"columns: {role} is given twice in {text!r}")
        wanted[role] = column
    return wanted


def checked_columns(wanted: Mapping[str, str]) -> dict[str, str]:
    """The wanted columns of facts, if they name known roles and the three that are needed."""
    refuse_unknown_roles(wanted)
    missing = [role for role in ("head", "relation", "tail") if role not in wanted]
    if wanted and missing:
        raise InputError(
            f"columns: {', '.join(missing)} not given; head, relation and tail are needed"
        )
    return {role: str(column) for role, column in wanted.items()}


def refuse_unknown_roles(wanted: Mapping[str, str]) -> None:
    """A role that no fact has is a slip of the pen."""
    for role in sorted(wanted.keys() - FACT_ROLES.keys()):
        raise InputError(f"columns: {role!r} is not a role; known: {', '.join(FACT_ROLES)}")


def layout_of(
    where: str, names: Sequence[str], wanted: Mapping[str, str], roles: Roles
) -> Layout | None:
    """Find the roles among the names of a first line or of a table; None: no header was found."""
    if not wanted:
        known = _known_names(where, names, roles)
        return Layout(known, has_header=True) if known else None
    columns = {role: place_of(where, names, column) for role, column in wanted.items()}
    if len(set(columns.values())) < len(columns):
        raise InputError(f"{where}: columns {dict(wanted)} name one column for two roles")
    named = any(column in names for column in wanted.values())
    return Layout(columns, has_header=named or _is_usual_header(names, roles))


def advice(roles: Roles, names: Sequence[str] = ()) -> str:
    """What to do when no roles were found among these names."""
    if roles is FACT_ROLES:
        if preset := looks_like(names):
            return f"this looks like {preset}: read it with --columns {preset}"
        return "name the columns with --columns head=...,relation=...,tail=..."
    return f"call the columns {' and '.join(roles)}"


def place_of(where: str, names: Sequence[str], column: str) -> int:
    """A column by its name or else by its position from 1."""
    if column in names:
        return names.index(column)
    if column.isdecimal() and 1 <= int(column) <= len(names):
        return int(column) - 1
    raise InputError(
        f"{where}: there is no column {column!r}; found {len(names)}: {', '.join(names)}"
    )


def _known_names(where: str, names: Sequence[str], roles: Roles) -> dict[str, int] | None:
    found: dict[str, int] = {}
    for role, usual in roles.items():
        matches = [n for n, name in enumerate(names) if name.strip().lower() in usual]
        if len(matches) > 1:
            both = " and ".join(repr(names[number]) for number in matches)
            raise InputError(f"{where}: {both} both mean {role}; choose one: {advice(roles)}")
        if matches:
            found[role] = matches[0]
    missing = [role for role in roles if role in _NEEDED and role not in found]
    if not missing:
        return found
    if len(found) >= 2:
        raise InputError(
            f"{where}: the header {list(names)} has no column for {', '.join(missing)}; "
            f"{advice(roles, names)}"
        )
    return None


def _is_usual_header(names: Sequence[str], roles: Roles) -> bool:
    """Whether at least two of the names are usual ones: then the line is no fact."""
    usual = {name for synonyms in roles.values() for name in synonyms}
    return sum(name.strip().lower() in usual for name in names) >= 2
