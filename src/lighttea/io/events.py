"""Tables of events (actor, event type, recipient, date) in the layouts of their publishers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import find_column, refuse_unknown_roles
from lighttea.io.frames import LINE
from lighttea.io.graph_rows import GraphRows
from lighttea.io.lines import (
    Lines,
    existing_file,
    find_separator,
    keep_lines_of_width,
    quote_line,
    split_fields,
    split_line,
)
from lighttea.io.portions import read_portions
from lighttea.io.presets import EVENT_LAYOUTS, LISTS, EventLayout, plain_name
from lighttea.io.problems import Problems

_SAMPLED_LINES = 1_000  # to find the number of columns of a file without header


def read_events(
    path: Path, preset: str, columns: Mapping[str, str], *, strict: bool = False
) -> Graph:
    """Read events in the layout of a preset; `columns` replaces some of its columns.

    Events without a source or a target are left out and counted in the notes. So are malformed
    lines, which are an error with `strict`.
    """
    refuse_unknown_roles(columns, literals=False)
    problems = Problems(strict=strict)
    rows = GraphRows(existing_file(path), problems)
    events: _Events | None = None
    for portion in read_portions(path, problems):
        if events is None:
            events = _Events.of(portion, preset, columns)
        events.add(portion, rows)
    if events is None:
        raise InputError(f"{path}: the file is empty; expected one line per row")
    if 2 * problems.total > events.n_lines + problems.total:
        raise problems.error()
    if events.n_events == events.n_left_out and not problems.total:
        raise InputError(f"{path}: no event has both {events.names_of_ends}")
    if events.literals is not None:
        rows.add_literal_frame(events.literals)
    rows.notes += events.notes()
    return rows.graph(only_of_facts=True)


@dataclass
class _Events:
    """The columns of a file of events, and what was counted in it so far."""

    separator: str
    names: Sequence[str]
    has_header: bool
    layout: EventLayout
    column_of_role: Mapping[str, str]
    places: Mapping[str, int]
    actors: Sequence[tuple[str, str, int]]
    literals: pl.DataFrame | None = None  # distinct ones of actors
    n_lines: int = 0
    n_events: int = 0
    n_left_out: int = 0
    n_without: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, lines: Lines, preset: str, columns: Mapping[str, str]) -> _Events:
        """Return the columns by the first lines; `columns` replaces some of the preset's."""
        layout = EVENT_LAYOUTS[preset]
        separator = "\t" if "\t" in lines.first else find_separator(lines)
        column_of_role = {**layout.columns, **columns}
        if {"begin", "end"} & columns.keys() and "time" not in columns:
            del column_of_role["time"]
        names, has_header = _column_names(lines, separator, preset, layout)
        where = f"{lines.path}:{lines.first_number}"
        places = {
            role: _find_event_column(where, names, column)
            for role, column in column_of_role.items()
        }
        actors = _actor_columns(names, layout, set(places.values()))
        return cls(separator, names, has_header, layout, column_of_role, places, actors)

    @property
    def names_of_ends(self) -> str:
        """What the columns of the two actors are called."""
        return f"{self.column_of_role['head']} and {self.column_of_role['tail']}"

    def add(self, lines: Lines, rows: GraphRows) -> None:
        """Add the events of some lines; those without a source or a target are only counted."""
        kept = keep_lines_of_width(lines, self.separator, len(self.names), rows.problems)
        rows.problems.give_up(found_any=len(kept.text) > 0 or self.n_lines > 0)
        is_first, self.n_lines = not self.n_lines, self.n_lines + len(kept.text)
        if not len(kept.text):
            return
        fields = split_fields(kept, self.separator, ())
        used = {role: fields[n] for role, n in self.places.items()}
        events = pl.DataFrame({LINE: kept.number, **used}).slice(int(self.has_header and is_first))
        whole = self._with_both_actors(events)
        rows.add_frame(whole)
        literals = _actor_literals(fields, events, self.actors, self.layout)
        if self.literals is not None:
            literals = literals.join(
                self.literals, on=literals.columns, how="anti", maintain_order="left"
            )
        literals = literals.unique(maintain_order=True)
        self.literals = literals if self.literals is None else self.literals.vstack(literals)

    def notes(self) -> list[str]:
        """Return a note on the events without a source or a target."""
        if not self.n_left_out:
            return []
        columns = (self.column_of_role[role] for role in ("head", "tail"))
        counts = ", ".join(f"{self.n_without[column]:,} without {column}" for column in columns)
        return [f"{self.n_left_out:,} of {self.n_events:,} events left out: {counts}"]

    def _with_both_actors(self, events: pl.DataFrame) -> pl.DataFrame:
        """Return the events with a source and a target; the others are counted."""
        marks = events.select(**{role: _is_absent(role, self.layout) for role in ("head", "tail")})
        lacks_one = marks["head"] | marks["tail"]
        self.n_events += len(events)
        self.n_left_out += int(lacks_one.sum())
        for role in marks.columns:
            self.n_without[self.column_of_role[role]] += int(marks[role].sum())
        return events.filter(~lacks_one) if lacks_one.any() else events


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
        f"({quote_line(lines.first)}); name the columns: "
        '`columns="head=...,relation=...,tail=...,time=..."`'
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


def _is_absent(column: str, layout: EventLayout) -> pl.Expr:
    """Whether a cell says nothing."""
    return pl.col(column).str.strip_chars().str.to_lowercase().is_in(list(layout.absent))
