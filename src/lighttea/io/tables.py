"""Graphs and links from plain tables: TSV, CSV and Parquet, plain, gzip or zstd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.graph.facts import Graph
from lighttea.io.frames import LINE, graph_of_frame
from lighttea.io.lines import check_widths, digest, existing_file, read_lines, split_line

ROLES: Mapping[str, tuple[str, ...]] = {
    "head": ("head", "subject", "s", "source"),
    "relation": ("relation", "predicate", "p"),
    "tail": ("tail", "object", "o", "target"),
    "begin": ("begin", "start", "from"),
    "end": ("end", "to", "until"),
    "time": ("time", "date", "timestamp"),
}
LINK_ROLES: Mapping[str, tuple[str, ...]] = {
    "left": ("left", "source", "subject", "subject_id"),
    "right": ("right", "target", "object", "object_id"),
}
_POSITIONS = {
    3: ("head", "relation", "tail"),
    4: ("head", "relation", "tail", "time"),
    5: ("head", "relation", "tail", "begin", "end"),
}
_PARQUET = (".parquet", ".pq")
_NO_TIME_ADVICE = "; a fact without time needs an empty 4th field"


def read_graph(path: str | Path, *, columns: Mapping[str, str] | None = None) -> Graph:
    """Read a graph from a table of facts, or from `triples_1` / `triples_2` of a dataset folder.

    `columns` maps head, relation, tail, time, begin, end to column names or to positions from 1;
    without it the usual names in a header, or 3, 4 or 5 columns without one, are understood.
    """
    path = existing_file(path)
    if (
        path.name in ("triples_1", "triples_2")
        and (path.parent / f"ent_ids_{path.name[-1]}").exists()
    ):
        from lighttea.io.benchmark import read_side

        return read_side(path.parent, path.name[-1])
    wanted = _checked_columns(columns or {})
    frame, notes = (
        _from_parquet(path, wanted, ROLES)
        if path.suffix.lower() in _PARQUET
        else _from_text(path, wanted, ROLES, _POSITIONS, _NO_TIME_ADVICE)
    )
    return graph_of_frame(frame, source=str(path), digest=digest(path), notes=notes)


def read_links(path: str | Path) -> pl.DataFrame:
    """Read links: two columns, or a table whose header names left and right."""
    path = existing_file(path)
    frame, _ = (
        _from_parquet(path, {}, LINK_ROLES)
        if path.suffix.lower() in _PARQUET
        else _from_text(path, {}, LINK_ROLES, {2: ("left", "right")}, "")
    )
    empty = frame.filter(_missing("left") | _missing("right"))
    if len(empty):
        problems = [
            f"{path}:{line}: a link needs a left and a right entity; one of them is empty"
            for line in empty[LINE].head(SHOWN_PROBLEMS)
        ]
        raise InputError.of_many(problems, total=len(empty))
    return frame.select("left", "right", LINE)


def parse_columns(text: str) -> dict[str, str]:
    """`head=subj,relation=3` as a mapping."""
    parts = [part.partition("=") for part in text.split(",") if part.strip()]
    wrong = [name for name, sign, column in parts if not sign or not column.strip()]
    if wrong:
        raise InputError(f"columns: expected role=column, found {wrong[0]!r} in {text!r}")
    return {role.strip(): column.strip() for role, _, column in parts}


def _checked_columns(columns: Mapping[str, str]) -> Mapping[str, str]:
    for role in columns.keys() - ROLES.keys():
        raise InputError(f"columns: {role!r} is not a role; known: {', '.join(ROLES)}")
    missing = [role for role in ("head", "relation", "tail") if role not in columns]
    if columns and missing:
        raise InputError(
            f"columns: {', '.join(missing)} not given; head, relation, tail are needed"
        )
    return {role: str(column) for role, column in columns.items()}


def _from_text(
    path: Path,
    wanted: Mapping[str, str],
    roles: Mapping[str, tuple[str, ...]],
    positions: Mapping[int, Sequence[str]],
    advice: str,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    lines = read_lines(path)
    separator = _separator(path, lines.first)
    names = split_line(lines.first, separator)
    named = _by_name(path, names, wanted, roles)
    by_position = wanted and all(column.isdigit() for column in wanted.values())
    free = named is not None or bool(by_position)
    width = check_widths(lines, separator, () if free else tuple(positions), advice)
    if separator != "\t":
        _refuse_open_quotes(lines.frame, path)
    if wanted and named is None and not by_position:
        raise InputError(
            f"{path}: the header has no column {_first_absent(wanted, names)!r}; found: "
            f"{', '.join(names)}"
        )
    frame = pl.read_csv(
        path,
        separator=separator,
        has_header=False,
        quote_char=None if separator == "\t" else '"',
        infer_schema=False,
        row_index_name=LINE,
        row_index_offset=1,
        skip_rows=0,
    )
    table = frame.columns[1:]
    if named is not None:
        first = int(lines.frame["number"][0])
        frame = frame.filter(pl.col(LINE) > first)
        used = {role: table[number] for role, number in named.items()}
    elif by_position:
        used = {role: _at(path, table, column) for role, column in wanted.items()}
    else:
        used = dict(zip(positions[width], table, strict=True))
    ignored = [n for n, column in zip(names, table, strict=True) if column not in used.values()]
    frame = frame.filter(pl.any_horizontal(pl.col(table).is_not_null()))
    if frame.is_empty():
        raise InputError(f"{path}: there is a header and nothing below it")
    return _renamed(frame, used), _ignored_note(ignored if named is not None else [])


def _from_parquet(
    path: Path, wanted: Mapping[str, str], roles: Mapping[str, tuple[str, ...]]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path}: cannot be read as Parquet: {error}") from None
    named = _by_name(path, frame.columns, wanted, roles)
    if named is None:
        needed = " and ".join(list(roles)[:3] if roles is ROLES else list(roles))
        raise InputError(
            f"{path}: no columns for {needed}; found: {', '.join(frame.columns)}; name them with "
            "--columns head=...,relation=...,tail=..."
        )
    if frame.is_empty():
        raise InputError(f"{path}: the table has no rows")
    used = {role: frame.columns[number] for role, number in named.items()}
    ignored = [name for name in frame.columns if name not in used.values()]
    return _renamed(frame.with_row_index(LINE, offset=1), used), _ignored_note(ignored)


def _by_name(
    path: Path,
    names: Sequence[str],
    wanted: Mapping[str, str],
    roles: Mapping[str, tuple[str, ...]],
) -> dict[str, int] | None:
    """The column number of each role where the names are a header, else None."""
    if wanted:
        found = {r: names.index(column) for r, column in wanted.items() if column in names}
        return found if len(found) == len(wanted) else None
    folded = [name.strip().lower() for name in names]
    found = {}
    for role, known in roles.items():
        matches = [number for number, name in enumerate(folded) if name in known]
        if len(matches) > 1:
            both = " and ".join(repr(names[number]) for number in matches)
            raise InputError(f"{path}:1: {both} both mean {role}; choose one with --columns")
        if matches:
            found[role] = matches[0]
    needed = list(roles)[:3] if roles is ROLES else list(roles)
    if all(role in found for role in needed):
        return found
    if len(found) >= 2:
        missing = ", ".join(role for role in needed if role not in found)
        raise InputError(
            f"{path}:1: the header {names} has no column for {missing}; name the columns with "
            "--columns head=...,relation=...,tail=..."
        )
    return None


def _renamed(frame: pl.DataFrame, used: Mapping[str, str]) -> pl.DataFrame:
    return frame.select(LINE, *(_text(frame, column).alias(role) for role, column in used.items()))


def _text(frame: pl.DataFrame, column: str) -> pl.Expr:
    """Any column as text, dates in ISO form."""
    kind = frame.schema[column]
    if kind.is_temporal():
        return pl.col(column).dt.to_string("%Y-%m-%d" if kind == pl.Date else "%Y-%m-%dT%H:%M:%S")
    return pl.col(column).cast(pl.String)


def _separator(path: Path, line: str) -> str:
    for separator in ("\t", ",", ";"):
        if separator in line:
            return separator
    raise InputError(f'{path}:1: no tab, comma or semicolon between fields ("{line[:80]}")')


def _refuse_open_quotes(frame: pl.DataFrame, path: Path) -> None:
    odd = frame.filter(pl.col("text").str.count_matches('"', literal=True) % 2 == 1)
    if len(odd):
        raise InputError.of_many(
            [
                f"{path}:{number}: a quoted field that is not closed on its line; quoted fields "
                "over several lines are not read"
                for number in odd["number"].head(SHOWN_PROBLEMS)
            ],
            total=len(odd),
        )


def _at(path: Path, table: Sequence[str], column: str) -> str:
    number = int(column)
    if not 1 <= number <= len(table):
        raise InputError(f"{path}: there is no column {number}; the table has {len(table)}")
    return table[number - 1]


def _first_absent(wanted: Mapping[str, str], names: Sequence[str]) -> str:
    return next(column for column in wanted.values() if column not in names)


def _ignored_note(names: Sequence[str]) -> tuple[str, ...]:
    return (f"columns not used: {', '.join(names)}",) if names else ()


def _missing(column: str) -> pl.Expr:
    return pl.col(column).is_null() | (pl.col(column) == "")
