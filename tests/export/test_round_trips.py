"""What is exported as a graph is read again to the same facts, times and literals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import lighttea
from lighttea.export.fused import FusedGraph, fuse
from lighttea.export.iris import Namespaces
from lighttea.export.links import links_to_export
from lighttea.export.options import ExportOptions
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from tests.export.worlds import EINSTEIN, made_run
from tests.worlds import fact_frame

XSD = "http://www.w3.org/2001/XMLSchema#"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
FORMS = ["fused", "fused.nq"]


@pytest.fixture
def run() -> Run:
    """Facts of all kinds of times, told twice, at other times, and without time beside one."""
    made = made_run()
    left = fact_frame(
        *made.facts_left.rows(),
        (EINSTEIN, "won", "prize", None, None),  # beside 1921 and, on the right, 1922
        (EINSTEIN, "born", EINSTEIN, "1879-03-14", "1879-03-14"),
        (EINSTEIN, "worked", "prize", None, "-0044-03"),
        (EINSTEIN, "worked", "prize", "1900-01-02T03:04:05", None),
        (EINSTEIN, "worked", "_:b0", None, None),
    )
    right = fact_frame(
        *made.facts_right.rows(),
        ("a 1", "award received", "1", "1921", "1921"),  # as the left says it
        ("a 1", "award received", "2", None, None),
    )
    literals = [
        (EINSTEIN, LABEL, "Albert Einstein", None, "en", None, None),
        (EINSTEIN, "born", "1879-03-14", f"{XSD}date", None, None, None),
        (EINSTEIN, "since", "1900", None, None, None, None),
        (EINSTEIN, "height", "1.75", f"{XSD}decimal", None, "1900", "1901-02-03"),
        (EINSTEIN, "height", "1.75", f"{XSD}decimal", None, None, None),
        ("literals only", "note", 'line\nbreak "quoted"', None, None, "1999", None),
    ]
    mirrored = [("a 1", *literals[0][1:]), ("a 1", LABEL, "Einstein", None, "fr", None, None)]
    schema = empty_table("attributes_left").schema
    return replace(
        made,
        facts_left=left,
        facts_right=right,
        attributes_left=pl.DataFrame(literals, schema=schema, orient="row"),
        attributes_right=pl.DataFrame(mirrored, schema=schema, orient="row"),
    )


def fused_of(run: Run) -> FusedGraph:
    options = ExportOptions()
    namespaces = Namespaces(options.left_namespace, options.right_namespace)
    return fuse(run, links_to_export(run, options, "fused"), namespaces)


def literal_set(frame: pl.DataFrame) -> set[tuple[str | None, ...]]:
    """Literals as text; a plain string has no datatype, one with a language its language."""
    kind = pl.when(pl.col("datatype").str.contains("(?:#string|#langString)$"))
    plain = frame.with_columns(kind.then(None).otherwise("datatype").alias("datatype"))
    columns = ("entity", "attribute", "value", "datatype", "language", "begin", "end")
    return set(plain.select(columns).iter_rows())


@pytest.mark.parametrize("name", FORMS)
def test_a_fused_graph_is_read_again(run: Run, tmp_path: Path, name: str) -> None:
    graph = lighttea.read_graph(run.export(tmp_path / name, format="fused"))
    fused = fused_of(run)
    facts = fused.facts.select("head", "relation", "tail", "begin", "end")
    assert set(frame_of_graph(graph).iter_rows()) == set(facts.iter_rows())
    assert literal_set(frame_of_attributes(graph)) == literal_set(fused.attributes)
    stated = {*facts["head"], *facts["tail"], *fused.attributes["entity"]}
    assert set(graph.entities) == stated
    assert set(graph.relations) == set(facts["relation"])


@pytest.mark.parametrize("name", FORMS)
def test_both_sides_of_a_conflict_are_kept(tmp_path: Path, name: str) -> None:
    run = made_run()
    fused = fused_of(run)
    assert len(fused.disputed) == 2
    graph = lighttea.read_graph(run.export(tmp_path / name, format="fused"))
    disputed = fused.disputed.select("head", "relation", "tail", "begin", "end")
    assert set(disputed.iter_rows()) <= set(frame_of_graph(graph).iter_rows())


@pytest.mark.parametrize("name", FORMS)
def test_names_come_back_and_are_no_literals(run: Run, tmp_path: Path, name: str) -> None:
    graph = lighttea.read_graph(run.export(tmp_path / name, format="fused"))
    assert graph.entity_names["https://example.org/left/prize"] == "Nobel Prize"
    assert graph.relation_names["https://example.org/left/relation/won"] == "has won"
    assert "Nobel Prize" not in graph.attributes.texts


def test_a_fused_graph_that_another_tool_wrote_anew_keeps_its_facts(
    run: Run, tmp_path: Path
) -> None:
    """Quads in another order and format; dates among the literals are then dates of entities."""
    from pyoxigraph import Quad, RdfFormat, parse, serialize

    path = run.export(tmp_path / "fused.nq", format="fused")
    quads: list[Quad] = sorted(parse(path=str(path)), key=str, reverse=True)
    again = tmp_path / "again.trig"
    serialize(quads, str(again), format=RdfFormat.TRIG)
    facts = fused_of(run).facts.select("head", "relation", "tail", "begin", "end")
    found = set(frame_of_graph(lighttea.read_graph(again)).iter_rows())
    assert set(facts.iter_rows()) <= found


def test_the_notes_say_what_a_fused_graph_holds_besides(run: Run, tmp_path: Path) -> None:
    graph = lighttea.read_graph(run.export(tmp_path / "fused.nq", format="fused"))
    assert any("links, names and conflicts of a fused graph ignored" in n for n in graph.notes)
    assert graph.recognised["rdf:Statement"] > 0


def test_a_damaged_folder_is_refused(run: Run, tmp_path: Path) -> None:
    folder = run.export(tmp_path / "fused", format="fused")
    (folder / "attributes.parquet").write_bytes(b"PAR1")
    with pytest.raises(lighttea.InputError, match="cannot be read as a table of a fused graph"):
        lighttea.read_graph(folder)
    (folder / "attributes.parquet").unlink()
    with pytest.raises(lighttea.InputError, match=r"attributes\.parquet: cannot be read"):
        lighttea.read_graph(folder)


def test_links_as_same_as_are_links_again(run: Run, tmp_path: Path) -> None:
    path = run.export(tmp_path / "links.nt", format="sameas")
    links = lighttea.read_links(path)
    expected = links_to_export(run, ExportOptions(), "sameas")
    names = Namespaces(ExportOptions().left_namespace, ExportOptions().right_namespace)
    assert set(links.select("left", "right").iter_rows()) == {
        (names.entity("left", left), names.entity("right", right))
        for left, right in expected.select("left", "right").iter_rows()
    }
    plain = tmp_path / "plain.nt"
    plain.write_text("<http://ex/a> <http://ex/r> <http://ex/b> .\n")
    with pytest.raises(lighttea.InputError, match="no links; found 1 facts; expected owl:sameAs"):
        lighttea.read_links(plain)


def test_both_forms_are_the_same_graph(run: Run, tmp_path: Path) -> None:
    quads, tables = (
        lighttea.read_graph(run.export(tmp_path / name, format="fused")) for name in FORMS[::-1]
    )
    assert (len(quads.facts), len(quads.attributes)) == (len(tables.facts), len(tables.attributes))
    assert sorted(quads.entities) == sorted(tables.entities)
    assert dict(quads.relation_names) == dict(tables.relation_names)
