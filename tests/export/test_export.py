"""Every format, read back by another tool."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
import rdflib
import yaml

import lighttea
from lighttea.errors import ConfigError, InputError, OutputError
from lighttea.export.options import FORMATS, ExportFormat
from lighttea.export.write import export_run
from lighttea.results.run import Run
from tests.conftest import CANNOT
from tests.export.worlds import EINSTEIN, made_run
from tests.run_folders import forget_list, load_earlier
from tests.worlds import World

LEFT, RIGHT = "https://example.org/left/", "https://example.org/right/"
OWL_SAME = rdflib.URIRef("http://www.w3.org/2002/07/owl#sameAs")
CLOSE = rdflib.URIRef("http://www.w3.org/2004/02/skos/core#closeMatch")
ODD = LEFT + "Ballon%20d%22Or%5C%3C%C3%A9%3E"


@pytest.fixture
def run() -> Run:
    return made_run()


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_tsv_is_read_by_csv_and_as_links(run: Run, tmp_path: Path) -> None:
    path = run.export(tmp_path / "x.tsv", format="tsv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [row["origin"] for row in rows] == ["seed", "link", "link", "link"]
    assert rows[0]["confidence"] == "1.0"
    assert rows[0]["right_name"] == "Nobel Prize"
    assert (rows[1]["left"], rows[1]["left_name"]) == (EINSTEIN, "Albert Einstein")
    assert rows[3]["left"] == 'Ballon d"Or\\<é>'
    links = lighttea.read_links(path)
    assert links.select("left", "right").rows()[1:] == run.links.select("left", "right").rows()


def test_jsonl_and_parquet_hold_the_same(run: Run, tmp_path: Path) -> None:
    path = run.export(tmp_path / "x.jsonl", format="jsonl", min_confidence=0.6)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["right"] for row in rows] == ["1", "a 1", "2"]
    assert rows[1]["confidence"] == pytest.approx(0.95)
    assert rows[0]["score"] is None
    frame = pl.read_parquet(
        run.export(tmp_path / "x.parquet", format="parquet", min_confidence=0.6)
    )
    assert frame.columns == list(rows[0])
    assert frame["left"].to_list() == [row["left"] for row in rows]


def test_parquet_is_read_by_pyarrow_and_pandas(run: Run, tmp_path: Path) -> None:
    path = run.export(tmp_path / "x.parquet", format="parquet")
    table = pq.read_table(path)
    assert table.column("left").to_pylist()[1] == EINSTEIN
    assert table.column("confidence").to_pylist() == pytest.approx([1.0, 0.95, 0.6, 0.3])
    assert table.column("right_name").to_pylist()[:2] == ["Nobel Prize", 'Einstein, "A."']
    assert pd.read_parquet(path)["left_name"].tolist()[1] == "Albert Einstein"
    folder = run.export(tmp_path / "fused", format="fused")
    conflicts = pq.read_table(folder / "conflicts.parquet")
    assert conflicts.column("left_times").to_pylist() == [["1921/1921"]]
    for name in ("entities", "relations", "facts"):
        assert pq.read_table(folder / f"{name}.parquet").num_rows > 0
    run.save(tmp_path / "run")
    assert pq.read_table(tmp_path / "run" / "links.parquet").num_rows == len(run.links)


def test_links_only_leaves_the_seeds_out(run: Run, tmp_path: Path) -> None:
    path = run.export(tmp_path / "x.parquet", format="parquet", links_only=True)
    assert pl.read_parquet(path)["origin"].to_list() == ["link"] * 3


def test_sameas_is_read_by_rdflib(run: Run, tmp_path: Path) -> None:
    path = run.export(tmp_path / "x.nt", format="sameas")
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# owl:sameAs from confidence 0.9 on, skos:closeMatch from 0.5 on")
    graph = rdflib.Graph().parse(path, format="nt")
    assert {(str(s), str(o)) for s, o in graph.subject_objects(OWL_SAME)} == {
        (EINSTEIN, RIGHT + "a%201"),
        (LEFT + "prize", RIGHT + "1"),
    }
    assert {(str(s), str(o)) for s, o in graph.subject_objects(CLOSE)} == {
        (LEFT + "_%3Ab0", RIGHT + "2")
    }
    labels = {str(s): str(o) for s, o in graph.subject_objects(rdflib.RDFS.label)}
    assert labels[RIGHT + "a%201"] == 'Einstein, "A."'


def test_the_two_thresholds_and_the_namespaces_are_free(run: Run, tmp_path: Path) -> None:
    path = run.export(
        tmp_path / "x.nt",
        format="sameas",
        min_confidence=0.2,
        sure_confidence=0.5,
        left_namespace="https://l.org/#",
        right_namespace="urn:right:",
    )
    graph = rdflib.Graph().parse(path, format="nt")
    assert len(list(graph.subject_objects(OWL_SAME))) == 3
    ((one, other),) = graph.subject_objects(CLOSE)
    assert (str(one), str(other)) == (ODD.replace(LEFT, "https://l.org/#"), "urn:right:3")


def test_links_above_the_fdr_are_left_out_and_seeds_stay(run: Run, tmp_path: Path) -> None:
    assert run.links["fdr"].to_list() == pytest.approx([0.05, 0.225, 1.15 / 3])
    path = run.export(tmp_path / "x.jsonl", format="jsonl", max_fdr=0.3)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert rows[0]["fdr"] is None
    assert [row["fdr"] for row in rows[1:]] == pytest.approx([0.05, 0.225])
    assert list(rows[0])[4:6] == ["margin", "fdr"]
    path = run.export(tmp_path / "x.nt", format="sameas", max_fdr=0.1)
    first, *triples = path.read_text(encoding="utf-8").splitlines()
    assert "on, fdr up to 0.1; made by" in first
    assert sum("sameAs" in line or "closeMatch" in line for line in triples) == 2
    folder = run.export(tmp_path / "fused", format="fused", max_fdr=0.3)
    entities = pl.read_parquet(folder / "entities.parquet")
    fdr = dict(entities.filter(side="left").select("id", "fdr").rows())
    assert fdr[EINSTEIN] == pytest.approx(0.05)
    assert (fdr["prize"], fdr['Ballon d"Or\\<é>']) == (None, None)
    assert json.loads((folder / "fused.json").read_text(encoding="utf-8"))["max_fdr"] == 0.3


def test_a_run_without_fdr_is_exported_whole_or_not_at_all(run: Run, tmp_path: Path) -> None:
    plain = replace(run, links=run.links.with_columns(fdr=pl.lit(None, pl.Float32)))
    frame = pl.read_parquet(plain.export(tmp_path / "x.parquet", format="parquet"))
    assert frame["fdr"].null_count() == len(frame) == 4
    with pytest.raises(ConfigError, match="the links of this run have no fdr"):
        plain.export(tmp_path / "y.parquet", format="parquet", max_fdr=0.1)
    assert names_in(tmp_path) == ["x.parquet"]


def test_a_left_entity_with_two_links_is_nobody_for_sure(tmp_path: Path) -> None:
    run = made_run(("x", "2", 0.95), ("x", "3", 0.92), ("y", "2", 0.95))
    graph = rdflib.Graph().parse(run.export(tmp_path / "x.nt", format="sameas", links_only=True))
    assert {str(s) for s in graph.subjects(OWL_SAME)} == {LEFT + "y"}
    assert len(list(graph.subject_objects(CLOSE))) == 2


def read_sssom(path: Path) -> tuple[dict[str, Any], list[dict[str, str]]]:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    head = "".join(line[1:] for line in lines if line.startswith("#"))
    rows = csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t")
    return yaml.safe_load(head), list(rows)


def test_sssom_has_what_the_standard_asks_for(run: Run, tmp_path: Path) -> None:
    metadata, rows = read_sssom(run.export(tmp_path / "x.sssom.tsv", format="sssom"))
    assert metadata["mapping_set_id"].startswith("https://w3id.org/sssom/mappings/")
    assert metadata["license"] == "https://w3id.org/sssom/license/unspecified"
    assert (metadata["mapping_tool"], metadata["mapping_tool_version"]) == ("lighttea", "0.1.0")
    assert [row["mapping_justification"] for row in rows] == [
        "semapv:UnspecifiedMatching",
        "semapv:StructuralMatching",
        "semapv:StructuralMatching",
    ]
    assert rows[1] == {
        "subject_id": "wd:Q937",
        "subject_label": "Albert Einstein",
        "predicate_id": "owl:sameAs",
        "object_id": "right:a%201",
        "object_label": 'Einstein, "A."',
        "mapping_justification": "semapv:StructuralMatching",
        "confidence": "0.95",
        "other": "fdr: 0.05",
    }
    assert rows[0]["other"] == ""  # a seed
    assert rows[2]["predicate_id"] == "skos:closeMatch"
    used = {row[c].split(":")[0] for row in rows for c in row if c.endswith(("_id", "ification"))}
    assert used <= set(metadata["curie_map"])
    assert metadata["curie_map"]["left"] == LEFT


def test_the_same_links_have_the_same_mapping_set_id(run: Run, tmp_path: Path) -> None:
    ids = [
        read_sssom(run.export(tmp_path / name, format="sssom", min_confidence=low))[0][
            "mapping_set_id"
        ]
        for name, low in (("a", 0.5), ("b", 0.5), ("c", 0.1))
    ]
    assert ids[0] == ids[1] != ids[2]
    given = run.export(
        *(tmp_path / "d",),
        format="sssom",
        mapping_set_id="https://x.org/set",
        license="https://creativecommons.org/licenses/by/4.0/",
    )
    metadata, _ = read_sssom(given)
    assert metadata["mapping_set_id"] == "https://x.org/set"
    assert metadata["license"].endswith("by/4.0/")


def test_links_that_names_helped_to_find_are_composite(run: Run, tmp_path: Path) -> None:
    named = replace(run, info={**run.info, "config": {"literals": True}})
    _, rows = read_sssom(named.export(tmp_path / "x.sssom.tsv", format="sssom"))
    assert [row["mapping_justification"] for row in rows] == [
        "semapv:UnspecifiedMatching",
        "semapv:CompositeMatching",
        "semapv:CompositeMatching",
    ]


def reviewed(*rows: tuple[str, str, str, str]) -> pl.DataFrame:
    """Reviews of pairs: left, right, verdict and reviewer, all of one day."""
    frame = pl.DataFrame(rows, schema=["left", "right", "verdict", "reviewer"], orient="row")
    return frame.with_columns(at=pl.lit("2025-03-04T05:06:07+00:00"))


def export_reviewed(run: Run, path: Path, reviews: pl.DataFrame) -> Path:
    export_run(run, path, form="sssom", reviews=reviews)
    return path


def test_sssom_says_who_reviewed_a_link_and_when(tmp_path: Path) -> None:
    run = made_run(*((name, name, 0.6) for name in ("a", "b", "c", "d", "e")))
    reviews = reviewed(
        ("a", "a", "accept", "Anna | Example"),
        ("b", "b", "accept", ""),
        ("c", "c", "reject", "Anna Example"),
        ("d", "x", "accept", "Anna Example"),
    )
    metadata, rows = read_sssom(export_reviewed(run, tmp_path / "x.sssom.tsv", reviews))
    found = {row["subject_id"]: row for row in rows if row["subject_id"] != "left:seed"}
    accepted = found["left:a"]
    assert accepted["predicate_id"] == "owl:sameAs"  # whatever its confidence
    assert accepted["mapping_justification"] == "semapv:StructuralMatching"
    assert (accepted["reviewer_label"], accepted["review_date"]) == (
        "Anna / Example",
        "2025-03-04",
    )
    assert (accepted["author_label"], accepted["mapping_date"]) == ("", "")
    nameless = found["left:b"]
    assert (nameless["reviewer_label"], nameless["review_date"]) == ("", "")  # both or neither
    rejected = found["left:c"]
    assert rejected["predicate_modifier"] == "Not"
    assert rejected["mapping_justification"] == "semapv:ManualMappingCuration"
    assert (rejected["author_label"], rejected["mapping_date"]) == ("Anna Example", "2025-03-04")
    assert rejected["confidence"] == ""
    chosen = found["left:d"]
    assert chosen["object_id"] == "right:x"  # and the link of the run is gone
    assert chosen["mapping_justification"] == "semapv:ManualMappingCuration"
    assert chosen["author_label"] == "Anna Example"
    assert found["left:e"]["predicate_id"] == "skos:closeMatch"
    assert metadata["sssom_version"] == "1.1"
    assert metadata["mapping_set_description"].endswith(
        "1 left out, where a reviewer chose another pair"
    )


def test_a_seed_that_was_accepted_in_a_review_says_so(run: Run, tmp_path: Path) -> None:
    left, right = run.seeds.row(0)
    reviews = reviewed((left, right, "accept", "Anna Example"))
    _, rows = read_sssom(export_reviewed(run, tmp_path / "x.sssom.tsv", reviews))
    assert rows[0]["mapping_justification"] == "semapv:ManualMappingCuration"
    assert rows[0]["author_label"] == "Anna Example"


def test_sssom_without_reviews_has_no_columns_for_them(run: Run, tmp_path: Path) -> None:
    plain = run.export(tmp_path / "a", format="sssom").read_text(encoding="utf-8")
    assert "reviewer" not in plain
    assert export_reviewed(run, tmp_path / "b", reviewed()).read_text(encoding="utf-8") == plain


@pytest.mark.parametrize("low", [0.0, 0.5])
def test_sssom_py_accepts_the_mapping_set(run: Run, tmp_path: Path, low: float) -> None:
    """sssom-py brings seventy packages and a pytest plugin that takes over logging, so it is not
    part of the dev extra: `make sssom-test` puts its command on the path."""
    command = shutil.which("sssom")
    if command is None:
        pytest.skip(f"{CANNOT}there is no sssom command on the path (make sssom-test has one)")
    path = run.export(tmp_path / "x.sssom.tsv", format="sssom", min_confidence=low)
    done = subprocess.run([command, "validate", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "error" not in (done.stdout + done.stderr).lower()
    parsed = subprocess.run(
        [command, "parse", path, "--output", tmp_path / "again.tsv"], check=False
    )
    assert parsed.returncode == 0
    assert len(read_sssom(tmp_path / "again.tsv")[1]) == (4 if low == 0 else 3)


def test_a_fused_graph_in_parquet(run: Run, tmp_path: Path) -> None:
    folder = run.export(tmp_path / "fused", format="fused")
    tables = {
        name: pl.read_parquet(folder / f"{name}.parquet")
        for name in ("entities", "relations", "facts", "conflicts")
    }
    one = tables["entities"].filter(entity=EINSTEIN)
    assert one["id"].to_list() == [EINSTEIN, "a 1"]
    assert one["name"].to_list() == ["Albert Einstein", 'Einstein, "A."']
    assert tables["entities"]["entity"].n_unique() == 5  # 4 + 4 entities, 3 links
    relations = {(row["side"], row["id"]): row for row in tables["relations"].rows(named=True)}
    assert relations["right", "award received"]["relation"] == LEFT + "relation/won"
    assert relations["right", "has member"]["turned"]
    assert relations["right", "nominated for"]["relation"] == RIGHT + "relation/nominated%20for"
    turned = tables["facts"].filter(source_relation="has member").row(0, named=True)
    assert (turned["head"], turned["tail"]) == (EINSTEIN, LEFT + "_%3Ab0")
    assert (turned["source_head"], turned["source_tail"]) == ("2", "a 1")
    assert (turned["begin"], turned["end"], turned["side"]) == ("1913", "1933", "right")
    assert len(tables["facts"]) == 9
    about = json.loads((folder / "fused.json").read_text(encoding="utf-8"))
    assert (about["links"], about["facts"], about["min_confidence"]) == (3, 9, 0.5)
    assert names_in(tmp_path) == ["fused"]


def test_conflicts_are_same_facts_at_other_times(run: Run, tmp_path: Path) -> None:
    """1925 and a day of it agree, an open end agrees with any; 1921 and 1922 do not."""
    folder = run.export(tmp_path / "fused", format="fused")
    (row,) = pl.read_parquet(folder / "conflicts.parquet").rows(named=True)
    assert (row["head_name"], row["relation_name"]) == ("Albert Einstein", "has won")
    assert row["tail_name"] == "Nobel Prize"
    assert (row["left_times"], row["right_times"]) == (["1921/1921"], ["1922/1922"])


@pytest.mark.filterwarnings("ignore:Dataset:DeprecationWarning")  # rdflib, of itself
def test_a_fused_graph_in_nquads_is_read_by_rdflib(run: Run, tmp_path: Path) -> None:
    path = run.export(tmp_path / "fused.nq", format="fused")
    base = "https://example.org/fused/"
    read = rdflib.Dataset()
    read.parse(data=path.read_text(encoding="utf-8"), format="nquads")
    left, right, names, links, conflicts = (
        read.graph(rdflib.URIRef(f"{base}graph/{name}"))
        for name in ("left", "right", "names", "links", "conflicts")
    )
    einstein, won = rdflib.URIRef(EINSTEIN), rdflib.URIRef(LEFT + "relation/won")
    prize = rdflib.URIRef(LEFT + "prize")
    for graph in (left, right):
        assert (einstein, won, prize) in graph
    start = rdflib.URIRef("https://schema.org/startDate")
    times = {}
    for name, graph in (("left", left), ("right", right)):
        for one in graph.subjects(rdflib.RDF.object, prize):
            if (one, rdflib.RDF.predicate, won) in graph and (
                one,
                rdflib.RDF.subject,
                einstein,
            ) in graph:
                times[name] = graph.value(one, start)
    assert {name: str(time) for name, time in times.items()} == {"left": "1921", "right": "1922"}
    assert times["left"] == rdflib.Literal("1921", datatype=rdflib.XSD.gYear)
    assert (einstein, OWL_SAME, rdflib.URIRef(RIGHT + "a%201")) in links
    assert (rdflib.URIRef(LEFT + "_%3Ab0"), CLOSE, rdflib.URIRef(RIGHT + "2")) in links
    member, inverse = rdflib.URIRef(LEFT + "relation/memberOf"), rdflib.OWL.inverseOf
    assert (member, inverse, rdflib.URIRef(RIGHT + "relation/has%20member")) in links
    assert (won, rdflib.RDFS.label, rdflib.Literal("has won")) in names
    disputed = list(conflicts.objects(None, rdflib.URIRef(f"{base}statement")))
    assert len(disputed) == 2
    assert {str(graph.value(one, start)) for one in disputed for graph in (left, right)} - {
        "None"
    } == {"1921", "1922"}


@pytest.mark.parametrize(
    ("time", "kind"),
    [
        ("1921", "gYear"),
        ("-0044", "gYear"),
        ("1921-03", "gYearMonth"),
        ("-0044-03-15", "date"),
        ("1921-03-01", "date"),
        ("1921-03-01T10:00:00", "dateTime"),
    ],
)
def test_times_are_as_exact_as_they_are_known(time: str, kind: str) -> None:
    from lighttea.export.quads import time_literal

    assert time_literal(time).datatype.value.endswith("#" + kind)


def test_entities_that_links_join_indirectly_are_one(tmp_path: Path) -> None:
    run = made_run(("x", "2", 0.9), ("y", "2", 0.95), ("y", "3", 0.9))
    folder = run.export(tmp_path / "fused", format="fused")
    entities = pl.read_parquet(folder / "entities.parquet")
    one = entities.filter(entity=LEFT + "y")  # the surest left member gives the id
    assert set(one["id"]) == {"x", "y", "2", "3"}


@pytest.mark.parametrize("form", FORMATS)
def test_a_real_run_and_an_earlier_one_export(
    world: World, tmp_path: Path, form: ExportFormat
) -> None:
    run = lighttea.align(
        world.left, world.right, seeds=world.seeds, dim=16, top_k=10, rounds=1, threads=1
    )
    folder = run.save(tmp_path / "run")
    for side in ("left", "right"):
        (folder / f"names_{side}.parquet").unlink()  # as earlier versions wrote it
    out = load_earlier(forget_list(folder)).export(tmp_path / "out", format=form)
    assert out.exists()
    assert names_in(tmp_path) == ["out", "run"]


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_is_replaced_unasked(run: Run, tmp_path: Path, form: ExportFormat) -> None:
    out = run.export(tmp_path / "out", format=form)
    with pytest.raises(InputError, match="overwrite=True"):
        run.export(out, format=form)
    run.export(out, format=form, overwrite=True)
    assert names_in(tmp_path) == ["out"]


def test_other_folders_and_files_are_never_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    (tmp_path / "file").write_text("x")
    for form in FORMATS:
        with pytest.raises(InputError, match="choose another"):
            run.export(tmp_path / "mine", format=form, overwrite=True)
    with pytest.raises(InputError, match="choose another"):
        run.export(tmp_path / "file", format="fused", overwrite=True)
    with pytest.raises(OutputError, match="file/x"):
        run.export(tmp_path / "file" / "x", format="tsv")


def test_a_failed_export_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: pl.DataFrame, path: Path, **_: Any) -> None:
        Path(path).write_text("half")
        raise OSError(28, "No space left on device")

    run.export(tmp_path / "out", format="jsonl")
    before = (tmp_path / "out").read_bytes()
    monkeypatch.setattr(pl.DataFrame, "write_ndjson", full)
    with pytest.raises(OutputError, match="No space left"):
        run.export(tmp_path / "out", format="jsonl", overwrite=True)
    assert (tmp_path / "out").read_bytes() == before
    assert names_in(tmp_path) == ["out"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"format": "ssom"},
            "format must be tsv, parquet, jsonl, sameas, sssom or fused; got 'ssom'",
        ),
        ({"format": "tsv", "linksonly": True}, "there is no setting 'linksonly'; did you mean"),
        ({"format": "tsv", "min_confidence": 1.5}, "min_confidence must be <= 1"),
        ({"format": "sameas", "left_namespace": "mine"}, "left_namespace must be an absolute IRI"),
        ({"format": "sameas", "left_namespace": RIGHT}, "must differ"),
        ({"format": "sssom", "license": "CC BY"}, "license must be an absolute IRI"),
    ],
)
def test_wrong_options_are_said(
    run: Run, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        run.export(tmp_path / "x", **options)
    assert said in str(caught.value)
    assert names_in(tmp_path) == []
