"""Fused graphs carry literals: datatype, language, time; equal ones once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import rdflib

from lighttea.export.quads import value_literal
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from tests.export.worlds import EINSTEIN, made_run

XSD = "http://www.w3.org/2001/XMLSchema#"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
HEIGHT = "https://example.org/right/relation/height"
FUSED = "https://example.org/fused/"
LEFT = [
    (EINSTEIN, LABEL, "Albert Einstein", None, "en", None, None),
    (EINSTEIN, LABEL, "Einstein", None, "de", None, None),
    (EINSTEIN, "born", "1879-03-14", f"{XSD}date", None, None, None),
    ("literals only", LABEL, "Nobody", None, None, None, None),
]
RIGHT = [
    ("a 1", LABEL, "Albert Einstein", None, "en", None, None),  # as the left says it
    ("a 1", LABEL, "Albert Einstein", None, "fr", None, None),
    ("a 1", "height", "1.75", f"{XSD}decimal", None, "1900", "1901-02-03"),
    ("a 1", "height", "1.75", f"{XSD}decimal", None, None, None),
]


@pytest.fixture
def run() -> Run:
    schema = empty_table("attributes_left").schema
    left, right = (pl.DataFrame(rows, schema=schema, orient="row") for rows in (LEFT, RIGHT))
    return replace(made_run(), attributes_left=left, attributes_right=right)


def test_literals_are_a_table_of_the_folder(run: Run, tmp_path: Path) -> None:
    folder = run.export(tmp_path / "fused", format="fused")
    table = pl.read_parquet(folder / "attributes.parquet")
    assert table.columns == [*empty_table("attributes_left").columns, "side", "attribute_name"]
    assert len(table) == len(LEFT) + len(RIGHT) - 1
    own = table.filter(pl.col("entity") == EINSTEIN)
    assert len(own) == len(table) - 1  # those of both members
    sides = {(row["value"], row["language"]): row["side"] for row in own.rows(named=True)}
    assert sides["Albert Einstein", "en"] == "both"
    assert sides["Einstein", "de"] == "left"
    assert sides["Albert Einstein", "fr"] == "right"
    timed = table.filter(pl.col("end") == "1901-02-03").row(0, named=True)
    assert (timed["attribute"], timed["datatype"], timed["begin"]) == (
        HEIGHT,
        f"{XSD}decimal",
        "1900",
    )
    entities = pl.read_parquet(folder / "entities.parquet")
    assert "literals only" in entities["id"].to_list()


@pytest.mark.filterwarnings("ignore:Dataset:DeprecationWarning")  # rdflib, of itself
def test_literals_are_quads_that_rdflib_reads(run: Run, tmp_path: Path) -> None:
    path = run.export(tmp_path / "fused.nq", format="fused")
    read = rdflib.Dataset()
    read.parse(path, format="nquads")
    einstein, label = rdflib.URIRef(EINSTEIN), rdflib.URIRef(LABEL)
    left, right = (read.graph(rdflib.URIRef(f"{FUSED}graph/{side}")) for side in ("left", "right"))
    labels = set(left.objects(einstein, label))
    assert rdflib.Literal("Albert Einstein", lang="en") in labels
    assert rdflib.Literal("Einstein", lang="de") in labels
    assert rdflib.Literal("Albert Einstein") not in labels  # the name is a label already
    assert set(right.objects(einstein, label)) == {rdflib.Literal("Albert Einstein", lang="fr")}
    names = read.graph(rdflib.URIRef(f"{FUSED}graph/names"))
    assert set(names.objects(einstein, label)) == {rdflib.Literal('Einstein, "A."')}
    born = rdflib.URIRef("https://example.org/left/relation/born")
    date = rdflib.Literal("1879-03-14", datatype=rdflib.URIRef(f"{XSD}date"))
    assert set(left.objects(einstein, born)) == {date}
    height = rdflib.Literal("1.75", datatype=rdflib.URIRef(f"{XSD}decimal"))
    statements = list(right.subjects(rdflib.RDF.object, height))
    start = rdflib.URIRef("https://schema.org/startDate")
    begins = [right.value(statement, start) for statement in statements]
    assert sorted(map(str, begins)) == ["1900", "None"]  # one stands beside it without time


@pytest.mark.parametrize(
    ("datatype", "language", "written"),
    [
        (f"{XSD}integer", None, f'"7"^^<{XSD}integer>'),
        (None, "en", '"7"@en'),
        (f"{XSD}integer", "en", '"7"@en'),
        (None, "not a tag", '"7"'),
        ("no iri", None, '"7"'),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", None, '"7"'),
        ("", "", '"7"'),
        (None, None, '"7"'),
    ],
)
def test_values_as_rdf(datatype: str | None, language: str | None, written: str) -> None:
    assert str(value_literal("7", datatype, language)) == written


def with_attribute_names(run: Run) -> Run:
    """The run with names of its attributes, `born` on the left, `height` on the right."""
    names = [
        pl.concat([table, pl.DataFrame([row], schema=table.schema, orient="row")])
        for table, row in (
            (run.names_left, ("relation", "born", "date of birth")),
            (run.names_right, ("relation", "height", "body height")),
        )
    ]
    sides = run.info["input"]
    info = {**run.info, "input": {**sides, "left": {**sides["left"], "name": "Physicists"}}}
    return replace(run, names_left=names[0], names_right=names[1], info=info)


def test_attributes_are_named_in_the_folder(run: Run, tmp_path: Path) -> None:
    folder = with_attribute_names(run).export(tmp_path / "fused", format="fused")
    table = pl.read_parquet(folder / "attributes.parquet")
    named = dict(table.select("attribute", "attribute_name").unique().rows())
    assert named[HEIGHT] == "body height"
    assert named["https://example.org/left/relation/born"] == "date of birth"
    assert named[LABEL] is None


def test_attributes_and_graphs_are_labelled_in_quads(run: Run, tmp_path: Path) -> None:
    path = with_attribute_names(run).export(tmp_path / "fused.nq", format="fused")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert f'<{HEIGHT}> <{LABEL}> "body height" <{FUSED}graph/names> .' in lines
    assert f'<{FUSED}graph/left> <{LABEL}> "Physicists" .' in lines
    assert not any(line.startswith(f"<{FUSED}graph/right> <{LABEL}>") for line in lines)
