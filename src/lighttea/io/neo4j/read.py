"""`read_neo4j`: a graph from an export of a Neo4j database: neo4j-admin and apoc CSV, apoc JSON.

A relationship is a fact; nodes are entities, also those without relationships. Entities are called
by their ids; a `name` or `title` of a node is what a person reads. Properties and labels of nodes
are attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import refuse_unknown_roles
from lighttea.io.json.items import OTHER_FORMAT
from lighttea.io.lines import existing_file
from lighttea.io.neo4j.export import Export
from lighttea.io.neo4j.objects import read_objects
from lighttea.io.neo4j.tables import read_rows
from lighttea.io.problems import Problems
from lighttea.io.property_graphs import refuse_ends
from lighttea.io.streams import read_start

_SAMPLE = 1 << 12


def read_neo4j(path: str | Path, columns: Mapping[str, str], *, strict: bool = False) -> Graph:
    """Return the graph of an export; `columns` may name the properties for time, begin and end.

    Malformed lines are left out and counted in the notes; with `strict` they are an error.
    """
    refuse_unknown_roles(columns, literals=False)
    refuse_ends(columns, "neo4j")
    path = existing_file(path)
    problems = Problems(strict=strict, advice=OTHER_FORMAT)
    export = Export(path, problems, columns)
    start = read_start(path, _SAMPLE).removeprefix(b"\xef\xbb\xbf").lstrip()
    (read_objects if start[:1] in (b"{", b"[") else read_rows)(export)
    if not len(export.rows):
        if problems.total:
            raise problems.refusal()
        raise InputError(
            f"{path}: has nodes, but no relationships (which become facts) and no properties "
            "(which become attributes)"
        )
    return export.graph()
