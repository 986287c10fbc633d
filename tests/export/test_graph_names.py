"""A graph is called as its author likes; fused literals still say whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lighttea
from lighttea.export.fused import FusedGraph, fuse_attributes
from lighttea.export.options import ExportOptions
from lighttea.export.quads import write_quads
from lighttea.results.schema import empty_table

FUSED = "https://example.org/fused/graph/of/"


class Iris:
    """Every entity and relation has one IRI, whatever the graph."""

    def entity(self, side: str, name: str) -> str:
        del side
        return f"https://example.org/{name}"

    def relation(self, side: str, name: str) -> str:
        return self.entity(side, name)


def fuse_values(values: Sequence[tuple[str, Sequence[str]]]) -> FusedGraph:
    """Return the literals of graphs as one graph: the values that each graph has."""
    empty = empty_table("attributes_left")
    entities = pl.DataFrame(
        [("https://example.org/x", graph, "x") for graph, _ in values],
        schema=["entity", "side", "id"],
        orient="row",
    ).with_columns(
        iri="entity", name=pl.lit(None, pl.String), confidence=pl.lit(1.0), fdr=pl.lit(None)
    )
    tables = []
    for graph, texts in values:
        rows: list[Any] = [("x", "born", text, None, None, None, None) for text in texts]
        literals = pl.DataFrame(rows, schema=empty.schema, orient="row")
        tables.append((graph, literals, empty_table("names_left")))
    attributes = fuse_attributes(tables, entities, Iris())
    facts = pl.DataFrame(schema=dict.fromkeys(FACT, pl.String))
    relations = pl.DataFrame(schema=dict.fromkeys(RELATION, pl.String))
    return FusedGraph(entities, relations, facts, facts, attributes)


FACT = ("head", "relation", "tail", "begin", "end", "side")
RELATION = ("relation", "side", "id", "turned", "name")
CONFUSING = [
    ("a", ["only a", "a and b", "all"]),
    ("b", ["a and b", "all"]),
    ("a, b", ["only a, b", "all"]),
]
SLASHED = [("a\\", ["both"]), ("b", ["both"]), ("a\\, b", ["alone"])]


@pytest.mark.parametrize("values", [CONFUSING, SLASHED, SLASHED[::-1], CONFUSING[::-1]])
def test_literals_of_one_graph_and_of_several_are_told_apart(
    values: Sequence[tuple[str, Sequence[str]]],
) -> None:
    sides = fuse_values(values).attributes.select("value", "side")
    different = {
        tuple(graph for graph, others in values if text in others)
        for _, texts in values
        for text in texts
    }
    assert sides["side"].n_unique() == len(different)


def test_ordinary_names_stand_as_they_are() -> None:
    values = [("north", ["n", "all"]), ("south", ["all"]), ("west", ["w", "all"])]
    sides = fuse_values(values).attributes.select("value", "side").rows()
    assert sorted(sides) == [("all", "north, south, west"), ("n", "north"), ("w", "west")]


def test_two_graphs_that_are_called_both_and_otherwise() -> None:
    values = [("both", ["one", "common"]), ("other", ["common"])]
    sides = dict(fuse_values(values).attributes.select("value", "side").rows())
    assert sides == {"one": "both", "common": "both, other"}


@pytest.mark.parametrize("values", [CONFUSING, SLASHED, CONFUSING[::-1]])
def test_quads_put_a_literal_into_a_graph_that_has_it(
    tmp_path: Path, values: Sequence[tuple[str, Sequence[str]]]
) -> None:
    path = tmp_path / "fused.nq"
    sources = {graph: {"name": graph} for graph, _ in values}
    write_quads(fuse_values(values), path, ExportOptions(), sources, Iris())
    read = lighttea.read_graph(path)
    assert len(read.attributes) == len({text for _, texts in values for text in texts})
    named = {f"{FUSED}{quoted(graph)}": graph for graph, _ in values}
    texts_of = dict(values)
    for line in path.read_text(encoding="utf-8").splitlines():
        if "/born>" in line:
            text, place = line.split('"')[1], line.rpartition("<")[2].removesuffix("> .")
            assert text in texts_of[named[place]]


def quoted(graph: str) -> str:
    return graph.replace("\\", "%5C").replace(",", "%2C").replace(" ", "%20")
