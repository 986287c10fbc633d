"""A graph from its description: every source is read, and all of them are put together."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import FACT_ROLES, find_layout
from lighttea.io.descriptions.document import read_document
from lighttea.io.descriptions.fact_tables import graph_of_facts
from lighttea.io.descriptions.kinds import KINDS
from lighttea.io.descriptions.model import (
    Cell,
    EntityRoles,
    FactRoles,
    GraphDescription,
    SourceDescription,
)
from lighttea.io.descriptions.rows import Rows, check_rows
from lighttea.io.descriptions.schema import check_document
from lighttea.io.descriptions.wide_tables import graph_of_entities
from lighttea.io.lines import file_digest
from lighttea.io.parts import MergedGraph


def read_description(path: str | Path, *, strict: bool = False) -> Graph:
    """Return the graph that a TOML file describes."""
    document = read_document(path)
    description = check_document(document, strict=strict)
    return build_graph(description, source=str(document.path), digest=file_digest(document.path))


def build_graph(description: GraphDescription, *, source: str, digest: str = "") -> Graph:
    """Return the graph of all sources; problems of all of them are reported together.

    `digest` is that of the description. The graph has one of description and content, unless a
    source has none.
    """
    whole, problems, n_not_shown = MergedGraph(), [], 0
    notes: dict[str, list[str]] = {}  # and which tables they are about
    for part in description.sources:
        try:
            for graph in read_source(part):
                whole.add(graph)
                for note in graph.notes:
                    notes.setdefault(note, []).append(_short(graph.source, part.folder))
        except InputError as error:
            lines = str(error).splitlines()
            problems += lines[:-1] if error.n_not_shown else lines
            n_not_shown += error.n_not_shown
    if problems:
        raise InputError.of_many(problems, total=len(problems) + n_not_shown)
    if not any(len(graph.facts) or len(graph.attributes) for graph in whole.parts):
        raise InputError(f"{source}: its sources contain neither a fact nor a literal")
    return whole.graph(
        source=source,
        digest=_joint_digest([digest, *(graph.digest for graph in whole.parts)]),
        notes=tuple(f"{_list_places(places)}: {note}" for note, places in notes.items()),
        name=description.name,
    )


def read_source(source: SourceDescription) -> Iterator[Graph]:
    """Yield the graphs of one source."""
    for content in KINDS[source.kind].read(source):
        yield content if isinstance(content, Graph) else graph_of_rows(content, source)


def graph_of_rows(rows: Rows, source: SourceDescription) -> Graph:
    """Return the graph of rows whose columns have the roles of the description, or usual names."""
    check_rows(rows, source)
    roles = source.roles or _usual_roles(rows, source)
    source = replace(source, roles=roles)
    if isinstance(roles, EntityRoles):
        return graph_of_entities(rows, source, roles)
    return graph_of_facts(rows, source, roles)


def _usual_roles(rows: Rows, source: SourceDescription) -> FactRoles:
    """Return the roles of columns that are called by their usual names."""
    layout = find_layout(rows.where, rows.names, {}, FACT_ROLES)
    if layout is None:
        raise InputError(
            f"{source.place(source.kind)}: {rows.where} has no columns head, relation and tail; "
            f"say what its columns are; found {len(rows.names)}: {', '.join(rows.names)}"
        )
    cells = {role: Cell(rows.names[number]) for role, number in layout.columns.items()}
    return FactRoles(cells, {})


def _joint_digest(digests: list[str]) -> str:
    """Return one digest of all; none where one is missing, because then a change is not seen."""
    if not all(digests):
        return ""
    return "sha256:" + hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _short(where: str, folder: Path) -> str:
    """Return what a table is called within the folder of the description."""
    return where.removeprefix(f"{folder}{os.sep}")


def _list_places(places: list[str]) -> str:
    names = list(dict.fromkeys(places))
    return names[0] + f" and {len(names) - 1:,} more" * (len(names) > 1)
