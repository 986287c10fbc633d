"""`graph_from_sources`: a graph from several tables, described in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.descriptions.read import build_graph
from lighttea.io.descriptions.schema import check_description
from lighttea.io.objects import TableSource


class Constant(TypedDict):
    """A value for all rows."""

    value: str | int | float


ColumnOrConstant: TypeAlias = str | int | Constant
Times: TypeAlias = ColumnOrConstant | Mapping[str, ColumnOrConstant]


class Source(TypedDict, total=False):
    """One source of a graph, as a `[[source]]` of a description file has it.

    A source has a `file`, a `sql` with its `database`, a `sparql` with a `query` or `predicates`,
    or a `frame`. It is a table of facts (`head`, `relation`, `tail`), a table of entities
    (`entity`), or, without any of these, a whole graph.
    """

    file: str | Path | Sequence[str]
    format: str
    separator: str
    encoding: str
    sheet: str
    header: bool
    each: str
    sql: str
    database: str | Path
    sparql: str
    query: str
    predicates: Sequence[str]
    languages: Sequence[str]
    page_size: int
    max_rows: int
    timeout_s: float
    max_age_hours: float
    cache: str | Path
    frame: TableSource

    head: ColumnOrConstant
    relation: ColumnOrConstant
    tail: ColumnOrConstant
    value: ColumnOrConstant
    datatype: ColumnOrConstant
    language: ColumnOrConstant

    entity: str | int
    attributes: Sequence[str] | Mapping[str, str]
    links: Sequence[str] | Mapping[str, str]
    dates: Sequence[str] | Mapping[str, str]

    names: str | Sequence[str] | Mapping[str, str | Sequence[str]]
    time: Times
    begin: Times
    end: Times
    prefix: str | Mapping[str, str]
    split: Mapping[str, str]
    missing: str | Sequence[str]
    date_format: str | Sequence[str]


def graph_from_sources(
    sources: Sequence[Source],
    *,
    name: str = "",
    missing: str | Sequence[str] = (),
    date_format: str | Sequence[str] = (),
    folder: str | Path = ".",
) -> Graph:
    """Return one graph of several sources: files, queries, frames.

    Each source is a mapping with the keys of a `[[source]]` in a description file; `frame` in place
    of `file` takes a pandas or polars frame, an Arrow table or an iterable of mappings. `missing`
    and `date_format` hold for the sources that do not have their own. Paths are relative to
    `folder`. `name` is what the graph is called.
    """
    if isinstance(sources, Mapping) or not isinstance(sources, Sequence):
        raise InputError(f"sources: expected a list of sources, found {type(sources).__name__}")
    content = {
        "name": name,
        "missing": missing,
        "date_format": date_format,
        "source": [_with_plain_paths(source) for source in sources],
    }
    given = {key: value for key, value in content.items() if value not in ("", ())}
    description = check_description(given, folder=Path(folder), place=_place)
    return build_graph(description, source=name or "sources")


def _with_plain_paths(source: Any) -> Any:
    """Return a source whose paths are texts, as in a file."""
    if not isinstance(source, Mapping):
        return source
    return {
        key: str(value)
        if key in ("file", "database", "cache") and isinstance(value, Path)
        else value
        for key, value in source.items()
    }


def _place(number: int, key: str) -> str:
    return f"source {number}: {key}" if number else key
