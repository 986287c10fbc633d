"""Graphs, links and types from objects in memory: frames, Arrow tables, rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import (
    FACT_ROLES,
    PRESET,
    ColumnChoice,
    Roles,
    find_layout,
    parse_columns,
)
from lighttea.io.frames import graph_of_frame
from lighttea.io.rows import (
    EXPECTED_ROW,
    column_of,
    frame_of_columns,
    frame_of_mappings,
    frame_of_rows,
    peek,
)
from lighttea.io.tables import frame_of_table, text_column

_ACCEPTED = (
    "a pandas or polars frame, an Arrow table, a DuckDB relation, a graph of rdflib or networkx, a "
    "store of pyoxigraph, or rows: tuples (head, relation, tail), with a time or with a begin and "
    "an end, or mappings from columns to values"
)
_ACCEPTED_TABLES = "a frame, an Arrow table or an iterable of rows"


class ArrowStream(Protocol):
    """Any table that offers the Arrow PyCapsule interface: polars, pyarrow, pandas with it, ..."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with a stream of record batches."""
        ...


TableSource: TypeAlias = ArrowStream | pl.LazyFrame | Iterable[Any]
GraphSource: TypeAlias = Graph | TableSource


def graph_from(
    table: GraphSource,
    *,
    columns: Mapping[str, str] | str | None = None,
    name: str = "table",
    nary: bool = True,
) -> Graph:
    """Return a graph from a frame, an Arrow table, rows, or a graph of another library.

    Frames are those of pandas and polars, Arrow tables everything that offers an Arrow stream, such
    as relations of DuckDB. Columns are found as in a file: by their usual names, or as `columns`
    says. A row is a tuple (head, relation, tail), (head, relation, tail, time) or (head, relation,
    tail, begin, end), or all rows are mappings from names of columns to values.

    Graphs and datasets of rdflib and stores of pyoxigraph are read as RDF files, where `columns`
    maps begin, end and time to predicates, and with `nary=False` only known vocabularies make facts
    of nodes; graphs of networkx by the attributes of their nodes and edges, where `columns` maps
    relation, begin, end and time to those of edges. `name` is what messages call the object. A
    graph of lighttea is returned as it is.
    """
    if isinstance(table, Graph):
        return table
    _refuse_path(table, name, "read_graph")
    if isinstance(columns, str):
        columns = parse_columns(columns)
    if columns and PRESET in columns:
        raise InputError(f"{name}: the preset {columns[PRESET]} is for files; name the columns")
    frame = frame_of_columns(table, name)
    if frame is not None:
        return _graph_of_table(frame, columns, name)
    if read := _READERS.get(_kind_of(table)):
        return read(table, name, columns, nary=nary)
    _refuse_non_rows(table, name)
    first, rows = peek(table)
    if read := _READERS.get(_kind_of(first)):
        return read(rows, name, columns, nary=nary)
    return _graph_of_rows(first, rows, columns, name)


def _graph_of_table(frame: pl.DataFrame, columns: Mapping[str, str] | None, name: str) -> Graph:
    choice = ColumnChoice.of(columns or {})
    facts, notes = frame_of_table(frame, name, choice.columns, FACT_ROLES)
    facts, more_notes = choice.apply(facts, name)
    return graph_of_frame(facts, source=name, notes=(*notes, *more_notes))


def _graph_of_rows(
    first: Any, rows: Iterable[Any], columns: Mapping[str, str] | None, name: str
) -> Graph:
    """Return the graph of mappings or tuples; `first` is the first of them, None without any."""
    if isinstance(first, Mapping):
        return _graph_of_table(frame_of_mappings(rows, name), columns, name)
    if hasattr(first, "tolist"):  # numpy
        first, rows = first.tolist(), (row.tolist() for row in rows)
    if first is not None and (isinstance(first, str) or not isinstance(first, Sequence)):
        raise InputError(
            f"{name}: expected {_ACCEPTED}; found an iterable of {type(first).__name__} "
            f"({first!r:.80})"
        )
    if columns:
        raise InputError(f"{name}: rows have no named columns; each is {EXPECTED_ROW}")
    return _graph_of_table(*frame_of_rows(rows, name), name)


def _kind_of(value: Any) -> str:
    """Return the library that an object belongs to, where its triples are read in a way of its own.

    Nothing is imported: who has such an object has its library.
    """
    if isinstance(value, tuple) and value:
        return "rdflib" if _is_of("rdflib", value[0], ("Identifier", "Graph")) else ""
    return next((library for library, names in _KINDS.items() if _is_of(library, value, names)), "")


def _is_of(library: str, value: Any, names: Sequence[str]) -> bool:
    """Whether an object is of one of these classes of a library, or of one that inherits it."""
    classes = type(value).__mro__
    return any(c.__module__.split(".")[0] == library and c.__name__ in names for c in classes)


def _read_rdflib(graph: Any, name: str, columns: Mapping[str, str] | None, *, nary: bool) -> Graph:
    from lighttea.io.rdf.objects import graph_of_rdflib

    return graph_of_rdflib(graph, name, columns, nary=nary)


def _read_pyoxigraph(
    quads: Any, name: str, columns: Mapping[str, str] | None, *, nary: bool
) -> Graph:
    from lighttea.io.rdf.objects import graph_of_pyoxigraph

    return graph_of_pyoxigraph(quads, name, columns, nary=nary)


def _read_networkx(
    graph: Any,
    name: str,
    columns: Mapping[str, str] | None,
    *,
    nary: bool,
) -> Graph:
    del nary  # of RDF alone
    from lighttea.io.networkx_graphs import graph_of_networkx

    return graph_of_networkx(graph, name, columns)


_KINDS = {
    "rdflib": ("Graph",),
    "pyoxigraph": ("Store", "Dataset", "Quad", "Triple"),
    "networkx": ("Graph",),
}
_READERS = {
    "rdflib": _read_rdflib,
    "pyoxigraph": _read_pyoxigraph,
    "networkx": _read_networkx,
}


def frame_from(table: TableSource, name: str) -> pl.DataFrame:
    """Return a pandas or polars frame, an Arrow table or an iterable of mappings as a frame."""
    _refuse_path(table, name, "read_graph")
    frame = frame_of_columns(table, name)
    if frame is not None:
        return frame
    _refuse_non_rows(table, name, _ACCEPTED_TABLES)
    first, rows = peek(table)
    if not isinstance(first, Mapping):
        raise InputError(f"{name}: rows need names; expected mappings, found {first!r:.200}")
    return frame_of_mappings(rows, name)


def pairs_from(table: TableSource, roles: Roles, *, noun: str) -> pl.DataFrame:
    """Return two text columns, called as the two roles, and `place`: where each row comes from.

    `table` is a pandas or polars frame, an Arrow table or an iterable of couples. Columns are found
    by the names of the roles or by their usual names. Where a frame has the columns `line` and
    `source`, they are the place of a row; elsewhere it is the number of the row. `noun` is what
    messages call a row.
    """
    _refuse_path(table, f"{noun}s", "read_types" if "type" in roles else "read_links")
    frame = frame_of_columns(table, f"{noun}s")
    if frame is None:
        frame = _frame_of_couples(table, roles, noun)
    columns = _pair_columns(frame.columns, roles, noun)
    texts = {role: text_column(f"{noun}s", frame[column]) for role, column in columns.items()}
    pairs = pl.DataFrame({**texts, "place": _places(frame, set(columns.values()), noun)})
    empty = pairs.filter(pl.any_horizontal(pl.col(*roles).fill_null("") == ""))
    if len(empty):
        advice = f"{' and '.join(roles)} must not be empty"
        shown = empty["place"].head(SHOWN_PROBLEMS)
        raise InputError.of_many([f"{place}: {advice}" for place in shown], total=len(empty))
    return pairs


def _pair_columns(names: Sequence[str], roles: Roles, noun: str) -> dict[str, str]:
    """Return the column of each role."""
    if set(roles) <= set(names):
        return {role: role for role in roles}
    layout = find_layout(f"{noun}s", names, {}, roles)
    if layout is None:
        needed = " and ".join(roles)
        raise InputError(f"{noun}s need columns {needed}; found: {', '.join(names)}")
    return {role: names[number] for role, number in layout.columns.items()}


def _places(frame: pl.DataFrame, used: set[str], noun: str) -> pl.Series:
    """Return file and line of each row where the frame has them, else its noun and number."""
    known = {"line", "source"} & set(frame.columns) - used
    number = frame["line"] if "line" in known else pl.int_range(1, len(frame) + 1, eager=True)
    form = "{source}:{line}" if "source" in known else "{noun} at line {line}"
    form = form if known else "{noun} {line}"
    sources = frame["source"] if "source" in known else [""] * len(frame)
    places = [
        form.format(source=source, noun=noun, line=line)
        for source, line in zip(sources, number, strict=True)
    ]
    return pl.Series(places, dtype=pl.String)


def _frame_of_couples(rows: Any, roles: Roles, noun: str) -> pl.DataFrame:
    """Return couples as a frame with a column for each of the two roles."""
    _refuse_non_rows(rows, f"{noun}s", _ACCEPTED_TABLES)
    expected = f"a {noun} is a couple ({', '.join(roles)})"
    cells: list[Sequence[Any]] = []
    problems = []
    for number, row in enumerate(rows, 1):
        couple = row.tolist() if hasattr(row, "tolist") else row
        if isinstance(couple, Sequence) and not isinstance(couple, str) and len(couple) == 2:
            cells.append(couple)
        else:
            problems.append(f"{noun} {number}: {expected}, found {row!r:.200}")
    if problems:
        raise InputError.of_many(problems)
    columns = zip(*cells, strict=True) if cells else ((), ())
    return pl.DataFrame(
        {
            role: column_of(list(values), noun, role)
            for role, values in zip(roles, columns, strict=True)
        }
    )


def _refuse_path(table: Any, name: str, reader: str) -> None:
    if isinstance(table, str | bytes) or hasattr(table, "__fspath__"):
        raise InputError(f"{name}: expected a table, found {table!r}; read a file with {reader}")


def _refuse_non_rows(rows: Any, name: str, accepted: str = _ACCEPTED) -> None:
    if isinstance(rows, Mapping) or not isinstance(rows, Iterable):
        raise InputError(f"{name}: expected {accepted}, found {type(rows).__name__}")
