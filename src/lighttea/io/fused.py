"""Fused graphs as `export` writes them: a folder of Parquet tables, read as one graph again."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import FACT_ROLES
from lighttea.io.frames import graph_of_frame
from lighttea.io.lines import file_digest
from lighttea.io.parquet.read import PARQUET_ERRORS, decode_parquet, reason_of
from lighttea.io.tables import frame_of_table

_TABLES = ("facts", "attributes", "entities", "relations")
_TIMES = ["begin", "end"]
_FACT = ["head", "relation", "tail"]
_VALUE = ["value", "datatype", "language"]


def is_fused_folder(folder: Path) -> bool:
    """Return whether a folder holds a fused graph."""
    try:
        return all((folder / name).is_file() for name in ("fused.json", "facts.parquet"))
    except (OSError, ValueError):  # not a possible file name; the reader reports it
        return False


def read_fused(folder: Path) -> Graph:
    """Return the fused graph: the facts and literals of both sides, each once, and the names."""
    tables = {name: _read_table(folder / f"{name}.parquet") for name in _TABLES}
    facts = tables["facts"].select(*_FACT, *_TIMES)
    literals = tables["attributes"].rename({"entity": "head", "attribute": "relation"})
    literals = literals.select("head", "relation", *_VALUE, *_TIMES)
    rows = pl.concat([facts, literals], how="diagonal").unique(maintain_order=True)
    frame, notes = frame_of_table(rows, str(folder), {}, FACT_ROLES)
    graph = graph_of_frame(frame, source=str(folder), digest=_digest(folder), notes=notes)
    return replace(
        graph,
        entity_names=_names(tables["entities"], "entity"),
        relation_names=_names(tables["relations"], "relation"),
    )


def _read_table(path: Path) -> pl.DataFrame:
    """Return one of the tables."""
    try:
        return decode_parquet(path, is_limited=True)
    except (OSError, *PARQUET_ERRORS) as error:
        raise InputError(
            f"{path}: cannot be read as a table of a fused graph: {reason_of(error)}; export it "
            "again"
        ) from None


def _names(table: pl.DataFrame, key: str) -> dict[str, str]:
    """Return the first name of each entity or relation that has one, left before right."""
    named = table.select(key, "name", "side").drop_nulls().sort("side", maintain_order=True)
    named = named.unique(key, keep="first", maintain_order=True)
    return dict(named.select(key, "name").iter_rows())


def _digest(folder: Path) -> str:
    """Return the sha256 of the tables' own."""
    digests = "".join(file_digest(folder / f"{name}.parquet") for name in _TABLES)
    return "sha256:" + hashlib.sha256(digests.encode()).hexdigest()
