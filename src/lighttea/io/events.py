"""Tables of events (actor, event type, recipient, date) in the layouts of their publishers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import find_column, refuse_unknown_roles
from lighttea.io.frames import LINE, graph_of_frame
from lighttea.io.lines import (
    Lines,
    file_digest,
    find_separator,
    keep_lines_of_width,
    quote_line,
    read_lines,
    split_fields,
    split_line,
)
from lighttea.io.literals import with_literals
from lighttea.io.presets import EVENT_LAYOUTS, LISTS, EventLayout, plain_name
from lighttea.io.problems import Problems

_SAMPLED_LINES = 1_000  # to find the number of columns of a file without header
_LINES_AT_ONCE = 100_000  # split into all their columns together


def read_events(
    path: Path, preset: str, columns: Mapping[str, str], *, strict: bool = False
) -> Graph:
    """Read events in the layout of a preset; `columns` replaces some of its columns.

    Events without a source or a target are left out and counted in the notes. So are malformed
    lines, which are an error with `strict`.
    """
    refuse_unknown_roles(columns, literals=False)
    layout = EVENT_LAYOUTS[preset]
    problems = Problems(strict=strict)
    lines = read_lines(path, problems)
    separator = "\t" if "\t" in lines.first else find_separator(lines)
    column_of_role = {**layout.columns, **columns}
    if {"begin", "end"} & columns.keys() and "time" not in columns:
        del column_of_role["time"]
    names, has_header = _column_names(lines, separator, preset, layout)
    where = f"{path}:{lines.first_number}"
    places = {
        role: _find_event_column(where, names, column) for role, column in column_of_role.items()
    }
    lines = keep_lines_of_width(lines, separator, len(names), problems)
    actors = _actor_columns(names, layout, set(places.values()))
    parts: list[pl.DataFrame] = []
    literals: list[pl.DataFrame] = []
    for portion in lines.slices(_LINES_AT_ONCE):
        fields = split_fields(portion, separator, ())
        used = {role: fields[n] for role, n in places.items()}
        rows = pl.DataFrame({LINE: portion.number, **used}).slice(int(has_header and not parts))
        literals.append(_actor_literals(fields, rows, actors, layout))
        parts.append(rows)
    whole, note = _with_both_actors(pl.concat(parts), layout, column_of_role)
    if whole.is_empty() and not problems.total:
        raise InputError(
            f"{path}: no event has both {column_of_role['head']} and {column_of_role['tail']}"
        )
    graph = graph_of_frame(
        whole, source=str(path), digest=file_digest(path), notes=note, problems=problems
    )
    return with_literals(graph, pl.concat(literals).unique(maintain_order=True))


def _column_names(
    lines: Lines, separator: str, preset: str, layout: EventLayout
) -> tuple[Sequence[str], bool]:
    """Return the names of the columns, and whether they are from the first line."""
    first = split_line(lines.first, separator)
    plain_names = {plain_name(name) for name in first}
    is_usual = [plain_name(column) in plain_names for column in layout.columns.values()]
    if sum(is_usual) >= 2:  # a header; a needed column that is missing is reported later
        return first, True
    width = _usual_width(lines, separator)  # the first line may be a wrong one
    for names in layout.headerless:
        if len(names) == width:
            return names, False
    widths = " or ".join(str(len(names)) for names in layout.headerless)
    without = f", or no header and {widths} columns" * bool(widths)
    raise InputError(
        f"{lines.path}:{lines.first_number}: not the layout of {preset}: expected a header with "
        f"{', '.join(layout.columns.values())}{without}; found {len(first)} columns "
        f"({quote_line(lines.first)}); name the columns with --columns "
        "head=...,relation=...,tail=...,time=..."
    )


def _actor_columns(
    names: Sequence[str], layout: EventLayout, used: set[int]
) -> list[tuple[str, str, int]]:
    """Return attribute, role of the actor and column of all that is said of actors.

    Columns that have a role already are not among them.
    """
    places = {plain_name(name): n for n, name in enumerate(names)}
    columns = (
        (attribute, role, places.get(plain_name(column)))
        for attribute, both in layout.actors.items()
        for role, column in zip(("head", "tail"), both, strict=True)
    )
    return [(name, role, n) for name, role, n in columns if n is not None and n not in used]


def _actor_literals(
    fields: Sequence[pl.Series],
    rows: pl.DataFrame,
    actors: Sequence[tuple[str, str, int]],
    layout: EventLayout,
) -> pl.DataFrame:
    """Return the distinct literals of the actors: entity, attribute, value."""
    parts = []
    for attribute, role, number in actors:
        pairs = pl.DataFrame({"entity": rows[role], "value": fields[number].tail(len(rows))})
        pairs = pairs.unique(maintain_order=True)
        if attribute in LISTS:
            members = pl.col("value").str.replace_all(";", ",").str.split(",")
            pairs = pairs.with_columns(members).explode("value")
        known = pairs.filter(~_is_absent("value", layout)).unique(maintain_order=True)
        text = pl.col("value").str.strip_chars()
        parts.append(known.select("entity", pl.lit(attribute).alias("attribute"), text))
    schema = dict.fromkeys(("entity", "attribute", "value"), pl.String)
    return pl.concat(parts) if parts else pl.DataFrame(schema=schema)


def _usual_width(lines: Lines, separator: str) -> int:
    """Return the number of fields that most of the first lines have."""
    marks = lines.text.head(_SAMPLED_LINES).str.count_matches(separator, literal=True)
    return int(marks.mode().max()) + 1  # type: ignore[arg-type]


def _find_event_column(where: str, names: Sequence[str], column: str) -> int:
    """Return the place of a column, by name without case and underscores, or by position from 1."""
    plain = [plain_name(name) for name in names]
    if plain_name(column) in plain:
        return plain.index(plain_name(column))
    return find_column(where, names, column)


def _with_both_actors(
    frame: pl.DataFrame, layout: EventLayout, column_of_role: Mapping[str, str]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the events with a source and a target, and a note on how many lack one."""
    absent = {role: _is_absent(role, layout) for role in ("head", "tail")}
    marks = frame.select(**absent)
    n_without = {column_of_role[role]: int(marks[role].sum()) for role in absent}
    left_out = int((marks["head"] | marks["tail"]).sum())
    if not left_out:
        return frame, ()
    counts = ", ".join(f"{count:,} without {column}" for column, count in n_without.items())
    note = f"{left_out:,} of {len(frame):,} events left out: {counts}"
    return frame.filter(~(marks["head"] | marks["tail"])), (note,)


def _is_absent(column: str, layout: EventLayout) -> pl.Expr:
    """Whether a cell says nothing."""
    return pl.col(column).str.strip_chars().str.to_lowercase().is_in(list(layout.absent))
