"""Files of RDF, and graphs as plain rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lighttea.graph.facts import Graph
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes

Put = Callable[..., Path]
Row = tuple[str, str, str, str | None, str | None]

PREFIXES = """\
@prefix : <http://ex/> .
@prefix schema: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""


def facts_of(graph: Graph) -> list[Row]:
    """The facts in order of their text, without the namespace of the examples."""
    rows = frame_of_graph(graph).rows()
    short = [tuple(x and x.replace("http://ex/", "") for x in row) for row in rows]
    return sorted(short, key=str)


def literals_of(graph: Graph) -> list[tuple[str | None, ...]]:
    """The literals in order of their text, without the namespaces of the examples."""
    rows = frame_of_attributes(graph).rows()
    short = [
        tuple(x and re.sub(r"http://(ex/|www.w3.org/.*#)", "", x) for x in row) for row in rows
    ]
    return sorted(short, key=str)


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def write(content: str | bytes, name: str = "graph.ttl", *, prefixes: bool = True) -> Path:
        path = tmp_path / name
        if isinstance(content, str):
            is_turtle = name.endswith((".ttl", ".trig")) and prefixes
            content = ((PREFIXES if is_turtle else "") + content).encode()
        path.write_bytes(content)
        return path

    return write
