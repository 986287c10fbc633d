"""Graphs and links from plain tables: TSV, CSV and Parquet, plain or packed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import (
    CLUSTER_ROLES,
    FACT_ROLES,
    LINK_ROLES,
    PRESET,
    TYPE_ROLES,
    ColumnChoice,
    Roles,
    advice,
    find_layout,
    parse_columns,
)
from lighttea.io.frames import LINE, graph_of_frame
from lighttea.io.lines import (
    existing_file,
    file_digest,
    find_separator,
    read_lines,
    split_fields,
    split_line,
)
from lighttea.io.literals import XSD
from lighttea.io.parquet.read import read_parquet_table
from lighttea.io.parts import PARQUET as _PARQUET
from lighttea.io.parts import find_parts, read_parts
from lighttea.io.presets import NEO4J, recognise_preset

_FACT_POSITIONS = {
    3: ("head", "relation", "tail"),
    4: ("head", "relation", "tail", "time"),
    5: ("head", "relation", "tail", "begin", "end"),
}
_LINK_POSITIONS = {2: ("left", "right")}
_TYPE_POSITIONS = {2: ("entity", "type")}
_WHOLE_FLOATS = 2**53  # above it floats are no longer exact
_LINK_ADVICE = "; links are two columns, or a header that names left and right"
_TYPE_ADVICE = "; types are two columns, or a header that names entity and type"
_NO_TIME_ADVICE = (
    "; a fact without time needs an empty 4th field; `columns` names the columns of facts, and "
    "`lighttea describe` begins a description of any other table"
)


def read_graph(
    path: str | Path, *, columns: Mapping[str, str] | str | None = None, strict: bool = False
) -> Graph:
    """Return the graph of a table of facts, or of `triples_1`, `triples_2` ... of a dataset folder.

    A folder of Parquet files is one table in parts.

    `columns` maps head, relation, tail, time, begin, end, value, datatype and language to column
    names, to positions from 1 or to constants in quotes, or is a text such as
    `head=subj,relation='knows',tail=3` or the name of a preset, `icews`; without it the usual names
    in a header, or 3, 4 or 5 columns without one, are understood. `missing` and `date_format` among
    them say what stands for no value and how dates are written.
    A malformed line is an error; in the layouts of publishers only with `strict`.
    """
    if isinstance(columns, str):
        columns = parse_columns(columns)
    if parts := find_parts(Path(path)):
        return read_parts(
            Path(path), parts, lambda part: read_graph(part, columns=columns, strict=strict)
        )
    path = existing_file(path)
    if columns and PRESET in columns:
        return _read_preset(path, dict(columns), strict=strict)
    side = path.name.removeprefix("triples_")
    if columns is None and side.isdecimal() and (path.parent / f"ent_ids_{side}").exists():
        from lighttea.io.benchmark import read_side

        return read_side(path.parent, side)
    choice = ColumnChoice.of(columns or {})
    frame, notes = (
        _read_parquet(path, choice.columns, FACT_ROLES)
        if path.suffix.lower() in _PARQUET
        else _read_text(path, choice.columns, FACT_ROLES, _FACT_POSITIONS, _NO_TIME_ADVICE)
    )
    frame, more_notes = choice.apply(frame, str(path))
    return graph_of_frame(
        frame, source=str(path), digest=file_digest(path), notes=(*notes, *more_notes)
    )


def _read_preset(path: Path, columns: dict[str, str], *, strict: bool) -> Graph:
    """Return a graph in a publisher's layout; given roles replace those of the preset."""
    preset = columns.pop(PRESET)
    if path.suffix.lower() in _PARQUET:
        raise InputError(
            f"{path}: {preset} is a layout of text files; name the columns of a Parquet table: "
            '`columns="head=...,relation=...,tail=...,time=..."`'
        )
    if preset == NEO4J:
        from lighttea.io.neo4j.read import read_neo4j

        return read_neo4j(path, columns, strict=strict)
    from lighttea.io.events import read_events

    return read_events(path, preset, columns, strict=strict)


def read_links(path: str | Path) -> pl.DataFrame:
    """Return links from two columns, or from a table whose header names left and right.

    In RDF they are owl:sameAs, skos:exactMatch and skos:closeMatch.
    """
    from lighttea.io.formats import RDF_FORMATS
    from lighttea.io.graphs import recognise_format

    if (form := recognise_format(path)) in RDF_FORMATS:
        from lighttea.io.rdf.links import read_rdf_links

        return read_rdf_links(existing_file(path), form)
    problem = "a link needs a left and a right entity; one of them is empty"
    return _read_pairs(existing_file(path), LINK_ROLES, _LINK_POSITIONS, _LINK_ADVICE, problem)


def read_types(path: str | Path) -> pl.DataFrame:
    """Return types of entities from two columns, or from a table with entity and type."""
    problem = "a type needs an entity and a type; one of them is empty"
    return _read_pairs(existing_file(path), TYPE_ROLES, _TYPE_POSITIONS, _TYPE_ADVICE, problem)


def read_clusters(path: str | Path) -> pl.DataFrame:
    """Return cluster, graph and entity from a table with these columns.

    A file without them is one of links: see `read_links`.
    """
    file = existing_file(path)
    if file.suffix.lower() in _PARQUET:
        names = read_parquet_table(file).columns
    else:
        lines = read_lines(file)
        names = split_line(lines.first, find_separator(lines))
    if not set(CLUSTER_ROLES) <= {name.strip().casefold() for name in names}:
        return read_links(file)
    problem = "a member of a cluster needs a cluster, a graph and an entity; one of them is empty"
    return _read_pairs(file, CLUSTER_ROLES, {}, "", problem)


def _read_pairs(
    path: Path,
    roles: Roles,
    positions: Mapping[int, Sequence[str]],
    width_advice: str,
    problem: str,
) -> pl.DataFrame:
    """Return the columns of the roles without empty cells, and the line of each row."""
    frame, _ = (
        _read_parquet(path, {}, roles)
        if path.suffix.lower() in _PARQUET
        else _read_text(path, {}, roles, positions, width_advice)
    )
    empty = frame.filter(pl.any_horizontal(_is_missing(role) for role in roles))
    if len(empty):
        problems = [f"{path}:{line}: {problem}" for line in empty[LINE].head(SHOWN_PROBLEMS)]
        raise InputError.of_many(problems, total=len(empty))
    return frame.select(*roles, LINE)


def _read_text(
    path: Path,
    given: Mapping[str, str],
    roles: Roles,
    positions: Mapping[int, Sequence[str]],
    width_advice: str,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the used columns by role, with line numbers, and notes."""
    lines = read_lines(path)
    separator = find_separator(lines)
    names = split_line(lines.first, separator)
    layout = find_layout(f"{path}:{lines.first_number}", names, given, roles)
    if layout is None and (preset := recognise_preset(names)):
        width_advice = f"; this looks like {preset}: read it with `columns='{preset}'`"
    fields = split_fields(lines, separator, () if layout else tuple(positions), width_advice)
    if layout is None:
        columns = dict(zip(positions[len(fields)], range(len(fields)), strict=True))
    else:
        columns = dict(layout.columns)
    frame = pl.DataFrame(
        {LINE: lines.number, **{role: fields[number] for role, number in columns.items()}}
    )
    if layout is None or not layout.has_header:
        return frame, _note_possible_header(frame, lines.first_number)
    if len(frame) == 1:
        raise InputError(f"{path}: nothing below the header")
    return frame.slice(1), _note_unused_columns(names, columns)


def _read_parquet(
    path: Path, given: Mapping[str, str], roles: Roles
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    return frame_of_table(read_parquet_table(path), str(path), given, roles)


def frame_of_table(
    table: pl.DataFrame, where: str, given: Mapping[str, str], roles: Roles
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the used columns of a typed table as text, by role, and notes."""
    layout = find_layout(where, table.columns, given, roles)
    if layout is None:
        names, remedy = ", ".join(table.columns), advice(roles, table.columns)
        raise InputError(f"{where}: columns not understood; found: {names}; {remedy}")
    if table.is_empty():
        raise InputError(f"{where}: the table has no rows")
    used = {role: table.to_series(number) for role, number in layout.columns.items()}
    if "value" in used and "datatype" not in used:
        used |= _datatypes(used["value"])
    texts = {
        role: value_column(where, column) if role == "value" else text_column(where, column)
        for role, column in used.items()
    }
    frame = pl.DataFrame(texts).with_row_index(LINE, offset=1)
    days = [column.name for column in used.values() if _holds_days(column)]
    notes = (f"all times in {', '.join(days)} are at midnight; read as days",) if days else ()
    return frame, (*_note_unused_columns(table.columns, layout.columns), *notes)


def _holds_days(column: pl.Series) -> bool:
    """Whether a column has times without zone, all at midnight: days, as frames write them."""
    kind = column.dtype
    if not isinstance(kind, pl.Datetime) or kind.time_zone or column.null_count() == len(column):
        return False
    return bool((column.dt.date().cast(kind) == column).all())


def _datatypes(values: pl.Series) -> dict[str, pl.Series]:
    """Return a column of datatypes where the type of the values says it."""
    datatype = datatype_of(values)
    return {"datatype": pl.Series("datatype", [datatype] * len(values))} if datatype else {}


def datatype_of(values: pl.Series) -> str:
    """Return the datatype that the type of a column says; empty for texts."""
    kind = values.dtype
    if kind == pl.Date or _holds_days(values):
        return f"{XSD}date"
    if isinstance(kind, pl.Datetime):
        return f"{XSD}dateTime"
    if kind.is_numeric():
        name = "integer" if kind.is_integer() else "decimal" if kind.is_decimal() else "double"
        return XSD + name
    return f"{XSD}boolean" if kind == pl.Boolean else ""


def value_column(where: str, column: pl.Series) -> pl.Series:
    """Return a column of literals as text, booleans included."""
    if column.dtype == pl.Boolean:
        return column.cast(pl.String)
    return text_column(where, column)


def text_column(where: str, column: pl.Series) -> pl.Series:
    """Return a column as text: dates in ISO form, zoned times in UTC, whole floats as integers."""
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


def _note_possible_header(frame: pl.DataFrame, line: int) -> tuple[str, ...]:
    """Return a note where the first line may be a header: its relation occurs nowhere else."""
    if len(frame) < 20 or "relation" not in frame.columns:
        return ()
    if (frame["relation"] == frame["relation"][0]).sum() > 1 or frame["relation"].n_unique() > len(
        frame
    ) / 2:
        return ()
    names = ", ".join(str(value) for value in frame.row(0)[1:])
    return (
        f"line {line} ({names}) was read as a fact; if it is a header, name its columns with "
        "`columns`",
    )


def _note_unused_columns(names: Sequence[str], columns: Mapping[str, int]) -> tuple[str, ...]:
    unused = [name for number, name in enumerate(names) if number not in columns.values()]
    return (f"unused columns: {', '.join(unused)}",) if unused else ()


def _is_missing(column: str) -> pl.Expr:
    return pl.col(column).is_null() | (pl.col(column) == "")
