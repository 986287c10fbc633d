"""Sources that are queries to a database file: SQLite, or DuckDB where it is installed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.errors import EngineUnavailable, InputError
from lighttea.io.descriptions.model import SourceDescription
from lighttea.io.descriptions.rows import Rows
from lighttea.io.descriptions.values import column_of_values
from lighttea.io.lines import existing_file, file_digest

_SQLITE = b"SQLite format 3\0"
_DUCKDB = b"DUCK"  # behind a checksum of 8 bytes
_ALONE = {"enable_external_access": "false"}  # a query reads and writes no other file
_ROWS_AT_ONCE = 200_000


def read_query(source: SourceDescription) -> Iterator[Rows]:
    """Yield the rows that a query gives, in portions; the database is opened to be read only."""
    try:
        path = existing_file(source.folder / source.options["database"])
    except InputError as error:
        raise InputError(f"{source.place('database')}: {error}") from None
    digest, line = file_digest(path), 1
    for frame in read_frames(path, str(source.options["sql"]), source.place("sql")):
        yield Rows.of_frame(frame, str(path), digest=digest, first_line=line)
        line += len(frame)


def read_frames(path: Path, query: str, place: str) -> Iterator[pl.DataFrame]:
    """Yield what a query gives, at least one frame; errors begin with `place`."""
    library, connection = _connect(path)
    try:
        with closing(connection):
            cursor = connection.execute(query)
            if not cursor.description:
                raise InputError(f"{place}: the query returns no rows; expected SELECT ...")
            names = [column[0] for column in cursor.description]
            _refuse_repeated(names, place)
            rows = cursor.fetchmany(_ROWS_AT_ONCE)
            yield _frame(names, rows)
            while rows := cursor.fetchmany(_ROWS_AT_ONCE):
                yield _frame(names, rows)
    except library.Error as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{place}: {path}: {reason}") from None
    except (sqlite3.Warning, OverflowError, ValueError) as error:
        raise InputError(f"{place}: {path}: {error}") from None


def _connect(path: Path) -> tuple[Any, Any]:
    """Return the library of a database, and a connection that reads only."""
    if _is_duckdb(path):
        duckdb = _import_duckdb()
        try:
            return duckdb, duckdb.connect(str(path), read_only=True, config=_ALONE)
        except duckdb.Error as error:
            raise InputError(f"{path}: cannot be opened: {str(error).splitlines()[0]}") from None
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    connection.text_factory = lambda content: content.decode("utf-8", "replace")
    return sqlite3, connection


def _is_duckdb(path: Path) -> bool:
    """Whether a file is a database of DuckDB; raise an error where it is none of SQLite either."""
    with path.open("rb") as file:
        start = file.read(16)
    if start in (_SQLITE, b""):
        return False
    if start[8:12] == _DUCKDB:
        return True
    raise InputError(f"{path}: neither a SQLite nor a DuckDB database")


def _import_duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise EngineUnavailable(
            "reading a DuckDB database needs a library: pip install 'lighttea[duckdb]'"
        ) from None
    return duckdb


def _frame(names: list[str], rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    return pl.DataFrame(
        {name: column_of_values([row[n] for row in rows]) for n, name in enumerate(names)}
    )


def _refuse_repeated(names: list[str], place: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{place}: the query returns two columns {name!r}; rename one with AS")
