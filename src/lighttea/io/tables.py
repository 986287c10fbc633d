"""Graphs and links from plain tables: TSV, CSV and Parquet, plain, gzip or zstd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import (
    FACT_ROLES,
    LINK_ROLES,
    PRESET,
    TYPE_ROLES,
    Roles,
    advice,
    checked_columns,
    layout_of,
    parse_columns,
)
from lighttea.io.frames import LINE, graph_of_frame
from lighttea.io.lines import (
    digest,
    existing_file,
    read_lines,
    separator_of,
    split_fields,
    split_line,
)
from lighttea.io.parts import PARQUET as _PARQUET
from lighttea.io.parts import parts_of, read_parts
from lighttea.io.presets import NEO4J, looks_like

_FACT_POSITIONS = {
    3: ("head", "relation", "tail"),
    4: ("head", "relation", "tail", "time"),
    5: ("head", "relation", "tail", "begin", "end"),
}
_LINK_POSITIONS = {2: ("left", "right")}
_TYPE_POSITIONS = {2: ("entity", "type")}
_WHOLE_FLOATS = 2**53  # above it floats are no longer exact
# damaged files make polars panic, which is no Exception
PARQUET_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
_LINK_ADVICE = "; links are two columns, or a header that names left and right"
_TYPE_ADVICE = "; types are two columns, or a header that names entity and type"
_NO_TIME_ADVICE = "; a fact without time needs an empty 4th field"


def read_graph(
    path: str | Path, *, columns: Mapping[str, str] | str | None = None, strict: bool = False
) -> Graph:
    """Read a graph from a table of facts, or from `triples_1` / `triples_2` of a dataset folder.

    A folder of Parquet files is one table in parts.

    `columns` maps head, relation, tail, time, begin, end to column names or to positions from 1,
    or is a text such as `head=subj,relation=2,tail=obj` or the name of a preset, `icews`;
    without it the usual names in a header, or 3, 4 or 5 columns without one, are understood.
    A malformed line is an error; in the layouts of publishers only where `strict` is given.
    """
    if isinstance(columns, str):
        columns = parse_columns(columns)
    if parts := parts_of(Path(path)):
        return read_parts(
            Path(path), parts, lambda part: read_graph(part, columns=columns, strict=strict)
        )
    path = existing_file(path)
    if columns and PRESET in columns:
        return _read_preset(path, dict(columns), strict=strict)
    side = path.name.removeprefix("triples_")
    if columns is None and side in ("1", "2") and (path.parent / f"ent_ids_{side}").exists():
        from lighttea.io.benchmark import read_side

        return read_side(path.parent, side)
    wanted = checked_columns(columns or {})
    frame, notes = (
        _from_parquet(path, wanted, FACT_ROLES)
        if path.suffix.lower() in _PARQUET
        else _from_text(path, wanted, FACT_ROLES, _FACT_POSITIONS, _NO_TIME_ADVICE)
    )
    return graph_of_frame(frame, source=str(path), digest=digest(path), notes=notes)


def _read_preset(path: Path, columns: dict[str, str], *, strict: bool) -> Graph:
    """A graph in a publisher's layout; roles beside the preset's name replace its own."""
    preset = columns.pop(PRESET)
    if path.suffix.lower() in _PARQUET:
        raise InputError(
            f"{path}: {preset} is a layout of text files; name the columns of a Parquet table: "
            "--columns head=...,relation=...,tail=...,time=..."
        )
    if preset == NEO4J:
        from lighttea.io.neo4j import read_neo4j

        return read_neo4j(path, columns, strict=strict)
    from lighttea.io.events import read_events

    return read_events(path, preset, columns, strict=strict)


def read_links(path: str | Path) -> pl.DataFrame:
    """Read links: two columns, or a table whose header names left and right."""
    said = "a link needs a left and a right entity; one of them is empty"
    return _couples(existing_file(path), LINK_ROLES, _LINK_POSITIONS, _LINK_ADVICE, said)


def read_types(path: str | Path) -> pl.DataFrame:
    """Read types of entities: two columns, or a table whose header names entity and type."""
    said = "a type needs an entity and a type; one of them is empty"
    return _couples(existing_file(path), TYPE_ROLES, _TYPE_POSITIONS, _TYPE_ADVICE, said)


def _couples(
    path: Path, roles: Roles, positions: Mapping[int, Sequence[str]], width_advice: str, said: str
) -> pl.DataFrame:
    """Two columns, all of them filled, and the line of each row."""
    frame, _ = (
        _from_parquet(path, {}, roles)
        if path.suffix.lower() in _PARQUET
        else _from_text(path, {}, roles, positions, width_advice)
    )
    empty = frame.filter(pl.any_horizontal(_missing(role) for role in roles))
    if len(empty):
        problems = [f"{path}:{line}: {said}" for line in empty[LINE].head(SHOWN_PROBLEMS)]
        raise InputError.of_many(problems, total=len(empty))
    return frame.select(*roles, LINE)


def _from_text(
    path: Path,
    wanted: Mapping[str, str],
    roles: Roles,
    positions: Mapping[int, Sequence[str]],
    width_advice: str,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The columns that are used, under their roles, with line numbers; and remarks."""
    lines = read_lines(path)
    separator = separator_of(lines)
    names = split_line(lines.first, separator)
    layout = layout_of(f"{path}:{lines.first_number}", names, wanted, roles)
    if layout is None and (preset := looks_like(names)):
        width_advice = f"; this looks like {preset}: read it with --columns {preset}"
    fields = split_fields(lines, separator, () if layout else tuple(positions), width_advice)
    if layout is None:
        columns = dict(zip(positions[len(fields)], range(len(fields)), strict=True))
    else:
        columns = dict(layout.columns)
    frame = pl.DataFrame(
        {LINE: lines.number, **{role: fields[number] for role, number in columns.items()}}
    )
    if layout is None or not layout.has_header:
        return frame, _maybe_header(frame, lines.first_number)
    if len(frame) == 1:
        raise InputError(f"{path}: there is a header and nothing below it")
    return frame.slice(1), _ignored(names, columns)


def _from_parquet(
    path: Path, wanted: Mapping[str, str], roles: Roles
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    try:
        table = pl.read_parquet(path)
    except (*PARQUET_ERRORS, OSError) as error:
        said = str(error).splitlines()[0]
        raise InputError(
            f"{path}: cannot be read as Parquet: {said}; the file is damaged or no Parquet"
        ) from None
    return frame_of_table(table, str(path), wanted, roles)


def frame_of_table(
    table: pl.DataFrame, where: str, wanted: Mapping[str, str], roles: Roles
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The columns of a typed table that are used, as text under their roles; and remarks."""
    layout = layout_of(where, table.columns, wanted, roles)
    if layout is None:
        found, todo = ", ".join(table.columns), advice(roles, table.columns)
        raise InputError(f"{where}: columns not understood; found: {found}; {todo}")
    if table.is_empty():
        raise InputError(f"{where}: the table has no rows")
    used = {role: table.to_series(number) for role, number in layout.columns.items()}
    texts = {role: text_column(where, column) for role, column in used.items()}
    frame = pl.DataFrame(texts).with_row_index(LINE, offset=1)
    days = [column.name for column in used.values() if _holds_days(column)]
    notes = (f"every time in {', '.join(days)} is at midnight; taken as days",) if days else ()
    return frame, (*_ignored(table.columns, layout.columns), *notes)


def _holds_days(column: pl.Series) -> bool:
    """Whether times of no zone are all at midnight: a frame's way to write days."""
    kind = column.dtype
    if not isinstance(kind, pl.Datetime) or kind.time_zone or column.null_count() == len(column):
        return False
    return bool((column.dt.date().cast(kind) == column).all())


def text_column(where: str, column: pl.Series) -> pl.Series:
    """A column as text: dates in ISO form, times with a zone in UTC, whole floats without point."""
    kind = column.dtype
    if kind == pl.Date or _holds_days(column):
        return column.dt.to_string("%Y-%m-%d")
    if isinstance(kind, pl.Datetime):
        in_utc = column.dt.convert_time_zone("UTC") if kind.time_zone else column
        return in_utc.dt.to_string("%Y-%m-%dT%H:%M:%S")
    if kind.is_float():
        column = column.fill_nan(None)
        known = column.drop_nulls()
        if ((known == known.floor()) & (known.abs() < _WHOLE_FLOATS)).all():
            column = column.cast(pl.Int64)
    if kind.is_numeric() or kind in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        return column.cast(pl.String)
    raise InputError(
        f"{where}: column {column.name!r} holds {kind}; expected text, numbers or dates"
    )


def _maybe_header(frame: pl.DataFrame, line: int) -> tuple[str, ...]:
    """A remark where the first line's relation stands nowhere else, as a header's would not."""
    if len(frame) < 20 or "relation" not in frame.columns:
        return ()
    if (frame["relation"] == frame["relation"][0]).sum() > 1 or frame["relation"].n_unique() > len(
        frame
    ) / 2:
        return ()
    names = ", ".join(str(value) for value in frame.row(0)[1:])
    return (
        f"line {line} ({names}) was read as a fact; if it is a header, name its columns with "
        "--columns",
    )


def _ignored(names: Sequence[str], columns: Mapping[str, int]) -> tuple[str, ...]:
    unused = [name for number, name in enumerate(names) if number not in columns.values()]
    return (f"columns not used: {', '.join(unused)}",) if unused else ()


def _missing(column: str) -> pl.Expr:
    return pl.col(column).is_null() | (pl.col(column) == "")
