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
from lighttea.io.presets import EVENT_LAYOUTS, EventLayout, plain_name
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
    refuse_unknown_roles(columns)
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
    frame = pl.concat(
        _used_columns(portion, separator, places) for portion in lines.slices(_LINES_AT_ONCE)
    )
    whole, note = _with_both_actors(frame.slice(int(has_header)), layout, column_of_role)
    if whole.is_empty() and not problems.total:
        raise InputError(
            f"{path}: no event has both {column_of_role['head']} and {column_of_role['tail']}"
        )
    return graph_of_frame(
        whole, source=str(path), digest=file_digest(path), notes=note, problems=problems
    )


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


def _used_columns(lines: Lines, separator: str, places: Mapping[str, int]) -> pl.DataFrame:
    """Return the columns that have a role, out of dozens."""
    fields = split_fields(lines, separator, ())
    return pl.DataFrame({LINE: lines.number, **{role: fields[n] for role, n in places.items()}})


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
    absent = {
        role: pl.col(role).str.strip_chars().str.to_lowercase().is_in(list(layout.absent))
        for role in ("head", "tail")
    }
    marks = frame.select(**absent)
    n_without = {column_of_role[role]: int(marks[role].sum()) for role in absent}
    left_out = int((marks["head"] | marks["tail"]).sum())
    if not left_out:
        return frame, ()
    counts = ", ".join(f"{count:,} without {column}" for column, count in n_without.items())
    note = f"{left_out:,} of {len(frame):,} events left out: {counts}"
    return frame.filter(~(marks["head"] | marks["tail"])), (note,)
