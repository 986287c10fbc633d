"""The tables of a run folder, read and compared with their declarations and with each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import polars as pl

from lighttea.io.parquet.read import PARQUET_ERRORS, decode_parquet, reason_of
from lighttea.literals.table import ID
from lighttea.results.manifest import DIGEST_ON_OPENING, Manifest, WrittenFile
from lighttea.results.schema import FILES, TABLES, Table, empty_table

Tables: TypeAlias = dict[str, pl.DataFrame]


def read_tables(
    folder: Path, manifest: Manifest | None, declared: Sequence[Table] = TABLES
) -> tuple[Tables, dict[str, str]]:
    """Return the tables that are sound, and what is wrong with the other files, by file."""
    tables: Tables = {}
    problems: dict[str, str] = {}
    for table in declared:
        problem = find_difference(folder, table.file, manifest, needed=not table.later)
        if problem is None and (folder / table.file).exists():
            written = manifest.files[table.file] if manifest else None
            frame, problem = _read_table(folder / table.file, table, written)
            if frame is not None:
                tables[table.name] = frame
        if problem is not None:
            problems[table.file] = problem
    is_compared = manifest is not None and all(map(_is_digested, manifest.files.values()))
    if not problems and not is_compared and declared is TABLES:
        problems = dict(_contradictions(tables))
    return tables, problems


def _is_digested(written: WrittenFile | None) -> bool:
    """Return whether the digest of a file is compared when a run is opened."""
    return written is not None and written.bytes <= DIGEST_ON_OPENING


def find_difference(
    folder: Path, name: str, manifest: Manifest | None, *, needed: bool, digest: bool | None = None
) -> str | None:
    """Return how a file differs from what was written; None where it does not.

    Digests of large files are left out unless `digest` asks for them.
    """
    path, written = folder / name, manifest.files.get(name) if manifest else None
    try:
        if not path.exists():
            missing = needed or written is not None
            return "the file is missing" if missing else None
        if not path.is_file():
            return "expected a file, found something else"
        if manifest is not None and written is None:
            return f"the file is not in the list {FILES}: it is not of this run"
        if written is None:
            return None
        return written.differs(path, digest=_is_digested(written) if digest is None else digest)
    except OSError as error:
        return f"it cannot be read: {error.strerror or error}"


def _read_table(
    path: Path, table: Table, written: WrittenFile | None
) -> tuple[pl.DataFrame | None, str | None]:
    """Return a table, or what is wrong with it: its columns, their types, rows and values."""
    try:
        frame = decode_parquet(path)
        if problem := _wrong_columns(frame.schema, table):
            return None, problem
        n_rows = None if written is None else written.rows_at(path)
        if n_rows is not None and n_rows != len(frame):
            return None, f"expected {n_rows:,} rows, found {len(frame):,}"
        problem = next(_wrong_values(frame, table), None)
        return (None, problem) if problem else (_filled(frame, table), None)
    except (OSError, ValueError, *PARQUET_ERRORS) as error:
        return None, f"it is no readable Parquet file ({reason_of(error)})"


def _wrong_columns(schema: Mapping[str, pl.DataType], table: Table) -> str | None:
    """Return what is wrong with the columns; None where they are as declared, in this order."""
    declared = {column.name: column for column in table.columns}
    missing = [c.name for c in table.columns if not c.optional and c.name not in schema]
    if missing:
        return f"expected a column {missing[0]}, found {', '.join(schema) or 'none'}"
    for name, dtype in schema.items():
        if name in declared and dtype != declared[name].dtype:
            return f"expected {declared[name].type} in the column {name}, found {dtype}"
    there = [name for name in declared if name in schema]
    if list(schema)[: len(there)] != there:
        return f"expected the columns {', '.join(there)} first, found {', '.join(schema)}"
    return None


def _wrong_values(frame: pl.DataFrame, table: Table) -> Iterator[str]:
    """Yield what is wrong with the values: empty cells, what is not a number."""
    for column in table.columns:
        if column.name not in frame.columns or column.nullable:
            continue
        values = frame[column.name]
        if values.null_count():
            yield f"the column {column.name} has {values.null_count():,} empty cells"
        elif column.finite and not values.is_finite().all():
            yield f"the column {column.name} has values that are no numbers"


def _filled(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Return the table with the columns that earlier versions did not write."""
    return frame.with_columns(
        pl.lit(column.default, column.dtype).alias(column.name)
        for column in table.columns
        if column.filled and column.name not in frame.columns
    )


def _contradictions(tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the tables that name entities or attributes which the others don't know."""
    for side in ("left", "right"):
        known = _entities(tables, side)
        for name in ("links", "candidates"):
            if n_unknown := _count_unknown(tables[name][side], known):
                entities = "entity" if n_unknown == 1 else "entities"
                yield (
                    f"{name}.parquet",
                    f"it names {n_unknown:,} {side} {entities} that no fact, literal or seed knows",
                )
        matches = tables.get("attribute_matches", empty_table("attribute_matches"))
        literals = tables.get(f"attributes_{side}", empty_table(f"attributes_{side}"))
        attributes = pl.concat([literals["attribute"], pl.Series([ID])])
        if n_unknown := _count_unknown(matches[side], attributes):
            yield (
                "attribute_matches.parquet",
                f"it names {n_unknown:,} {side} attributes that no literal has",
            )


def _count_unknown(ids: pl.Series, known: pl.Series) -> int:
    """Return how many different ids are not known."""
    distinct = ids.unique().to_frame("id")
    return len(distinct.join(known.unique().to_frame("id"), on="id", how="anti"))


def _entities(tables: Tables, side: str) -> pl.Series:
    """Return all entities of a side that facts, literals, seeds or evidence name."""
    facts = tables[f"facts_{side}"]
    named = [facts["head"], facts["tail"], tables["seeds"][side], tables["evidence_links"][side]]
    if f"attributes_{side}" in tables:
        named.append(tables[f"attributes_{side}"]["entity"])
    return pl.concat([series.unique() for series in named]).unique()
