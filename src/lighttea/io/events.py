"""Tables of events (who, what, to whom, when) as their publishers lay them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import place_of, refuse_unknown_roles
from lighttea.io.frames import LINE, graph_of_frame
from lighttea.io.lines import (
    Lines,
    digest,
    even_lines,
    read_lines,
    separator_of,
    shown,
    split_fields,
    split_line,
)
from lighttea.io.presets import EVENT_LAYOUTS, EventLayout, plain_name
from lighttea.io.problems import Problems

_LOOKED_AT = 1_000  # lines, to see how wide a file without header is
_AT_ONCE = 100_000  # lines that are split into all their columns at once


def read_events(
    path: Path, preset: str, columns: Mapping[str, str], *, strict: bool = False
) -> Graph:
    """Read events in the layout of a preset; `columns` replaces some of its columns.

    Events without an actor on either side are no facts: they are left out and counted in the notes.
    So are malformed lines, which a strict reader stops at.
    """
    refuse_unknown_roles(columns)
    layout = EVENT_LAYOUTS[preset]
    problems = Problems(strict=strict)
    lines = read_lines(path, problems)
    separator = "\t" if "\t" in lines.first else separator_of(lines)
    wanted = {**layout.columns, **columns}
    if {"begin", "end"} & columns.keys() and "time" not in columns:
        del wanted["time"]
    names, has_header = _names(lines, separator, preset, layout)
    where = f"{path}:{lines.first_number}"
    places = {role: _place(where, names, column) for role, column in wanted.items()}
    lines = even_lines(lines, separator, len(names), problems)
    frame = pl.concat(_columns(some, separator, places) for some in lines.slices(_AT_ONCE))
    whole, note = _with_both_actors(frame.slice(int(has_header)), layout, wanted)
    if whole.is_empty() and not problems.total:
        raise InputError(f"{path}: no event has both {wanted['head']} and {wanted['tail']}")
    return graph_of_frame(
        whole, source=str(path), digest=digest(path), notes=note, problems=problems
    )


def _names(
    lines: Lines, separator: str, preset: str, layout: EventLayout
) -> tuple[Sequence[str], bool]:
    """The names of the columns, and whether the first line is where they come from."""
    first = split_line(lines.first, separator)
    found = {plain_name(name) for name in first}
    own = [plain_name(column) in found for column in layout.columns.values()]
    if sum(own) >= 2:  # of a header; should one that is needed be missing, it is said later
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
        f"({shown(lines.first)}); name the columns with --columns head=...,relation=...,tail=...,"
        "time=..."
    )


def _columns(lines: Lines, separator: str, places: Mapping[str, int]) -> pl.DataFrame:
    """The columns that are used, of the dozens that there are."""
    fields = split_fields(lines, separator, ())
    return pl.DataFrame({LINE: lines.number, **{role: fields[n] for role, n in places.items()}})


def _usual_width(lines: Lines, separator: str) -> int:
    """The number of fields that most of the first lines have."""
    marks = lines.text.head(_LOOKED_AT).str.count_matches(separator, literal=True)
    return int(marks.mode().max()) + 1  # type: ignore[arg-type]


def _place(where: str, names: Sequence[str], column: str) -> int:
    """A column by its name, case and underscores aside, or by its position from 1."""
    plain = [plain_name(name) for name in names]
    if plain_name(column) in plain:
        return plain.index(plain_name(column))
    return place_of(where, names, column)


def _with_both_actors(
    frame: pl.DataFrame, layout: EventLayout, wanted: Mapping[str, str]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The events with a source and a target, and a remark on how many have not."""
    absent = {
        role: pl.col(role).str.strip_chars().str.to_lowercase().is_in(list(layout.absent))
        for role in ("head", "tail")
    }
    marks = frame.select(**absent)
    without = {wanted[role]: int(marks[role].sum()) for role in absent}
    left_out = int((marks["head"] | marks["tail"]).sum())
    if not left_out:
        return frame, ()
    each = ", ".join(f"{count:,} without {column}" for column, count in without.items())
    note = f"{left_out:,} of {len(frame):,} events left out: {each}"
    return frame.filter(~(marks["head"] | marks["tail"])), (note,)
