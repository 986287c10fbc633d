"""Exports with names that mean harm are read by other libraries to the same values."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import rdflib
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea.errors import ConfigError
from lighttea.export.iris import Namespaces
from lighttea.export.options import ExportOptions
from lighttea.export.write import export_run
from lighttea.results.run import Run
from tests.export.worlds import made_run
from tests.fuzzing import examples

NAMESPACES = Namespaces("https://example.org/left/", "https://example.org/right/")
OWL = "http://www.w3.org/2002/07/owl#sameAs"
LABEL = rdflib.RDFS.label
HARM = [
    '"> <http://x/y> <http://x/z> .\n<http://x/a',
    "a\x1b[2J\u202e\ud7ff\U0001f511",
    "' || yaml: [!!python/object:os.system] #",
    "\\u0022 \\ \x00 \x7f \x85 \u2028",
    "=cmd|' /C calc'!A0",
    "<script>alert(1)</script>",
    "http://example.org/a b",
    "urn:x:{}",
    "-1",
    "NaN",
]
TEXTS = st.sampled_from(HARM) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n"), min_size=1
)
IDS = TEXTS | TEXTS.map(lambda text: f"http://example.org/{text}")


def hostile_run(left: list[str], right: list[str], names: list[str]) -> Run:
    """A run whose links and names are these."""
    n = min(len(left), len(right), len(names))
    left, right, names = left[:n], right[:n], names[:n]
    run = made_run(*((a, b, 0.95) for a, b in zip(left, right, strict=True)))
    kinds = ["entity"] * n
    own = {"kind": kinds, "id": left, "name": names}
    other = {"kind": kinds, "id": right, "name": names}
    schema = dict.fromkeys(own, pl.String)
    frames: dict[str, Any] = {
        "names_left": pl.DataFrame(own, schema=schema),
        "names_right": pl.DataFrame(other, schema=schema),
        "seeds": run.seeds.clear(),
    }
    return replace(run, **frames)


def on_one_line(names: Iterable[str]) -> set[str]:
    """Names as they are exported: a line break is a space."""
    return {re.sub(r"[\t\r\n]+", " ", name) for name in names}


def exported(run: Run, folder: Path, form: Any, name: str, **options: Any) -> str:
    export_run(run, folder / name, form=form, options=ExportOptions(**options), overwrite=True)
    return (folder / name).read_bytes().decode()


Lists = st.lists(IDS, min_size=1, max_size=4, unique=True)


@examples(60)
@given(Lists, Lists, st.lists(TEXTS, min_size=4, max_size=4))
@example(HARM, HARM, HARM)
def test_links_are_read_again_by_others(
    tmp_path_factory: pytest.TempPathFactory, left: list[str], right: list[str], names: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("out")
    run = hostile_run(left, right, names)
    pairs = set(run.links.select("left", "right").rows())
    _check_triples(exported(run, folder, "sameas", "links.nt"), pairs, run)
    _check_sssom(exported(run, folder, "sssom", "links.sssom.tsv"), pairs)
    rows = [json.loads(line) for line in exported(run, folder, "jsonl", "l.jsonl").split("\n")[:-1]]
    assert {(row["left"], row["right"]) for row in rows} == pairs
    frame = pl.read_parquet(_written(run, folder, "parquet", "links.parquet"))
    assert set(frame.select("left", "right").rows()) == pairs
    table = exported(run, folder, "tsv", "links.tsv").split("\n")[1:-1]
    assert {tuple(row.split("\t")[:2]) for row in table} == {
        tuple(text.replace("\n", "\\n") for text in pair) for pair in pairs
    }


def _written(run: Run, folder: Path, form: Any, name: str) -> Path:
    export_run(run, folder / name, form=form, options=ExportOptions(), overwrite=True)
    return folder / name


def _check_triples(text: str, pairs: set[tuple[str, str]], run: Run) -> None:
    graph = rdflib.Graph().parse(data=text, format="nt")
    same = {(str(s), str(o)) for s, o in graph.subject_objects(rdflib.URIRef(OWL))}
    expected = {(NAMESPACES.entity("left", a), NAMESPACES.entity("right", b)) for a, b in pairs}
    assert same == expected
    labels = {str(text) for text in graph.objects(None, LABEL)}
    assert labels == on_one_line(run.names_left["name"].to_list())
    assert {str(p) for p in graph.predicates()} <= {OWL, str(LABEL)}


def _check_sssom(text: str, pairs: set[tuple[str, str]]) -> None:
    lines = text.split("\n")
    head = [line[1:] for line in lines if line.startswith("#")]
    metadata = yaml.safe_load("\n".join(head))
    assert isinstance(metadata["curie_map"], dict)
    body = "\n".join(line for line in lines if not line.startswith("#"))
    rows = list(csv.DictReader(io.StringIO(body, newline=""), delimiter="\t"))
    assert {row["predicate_id"] for row in rows} == {"owl:sameAs"}

    def iri(curie: str) -> str:
        prefix, _, local = curie.partition(":")
        return str(metadata["curie_map"][prefix]) + local

    found = {(iri(row["subject_id"]), iri(row["object_id"])) for row in rows}
    expected = {(NAMESPACES.entity("left", a), NAMESPACES.entity("right", b)) for a, b in pairs}
    assert found == expected


@pytest.mark.filterwarnings("ignore:Dataset:DeprecationWarning")  # rdflib, of itself
@examples(40)
@given(Lists, Lists, st.lists(TEXTS, min_size=4, max_size=4))
@example(HARM, HARM, HARM)
def test_fused_graphs_are_read_again_by_others(
    tmp_path_factory: pytest.TempPathFactory, left: list[str], right: list[str], names: list[str]
) -> None:
    run = hostile_run(left, right, names)
    text = exported(run, tmp_path_factory.mktemp("out"), "fused", "fused.nq")
    dataset = rdflib.Dataset().parse(data=text, format="nquads")
    labels = {str(value) for _, _, value, _ in dataset.quads((None, LABEL, None, None))}
    assert on_one_line(run.names_left["name"].to_list()) <= on_one_line(labels)


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"]


def test_tables_for_spreadsheets_hold_no_formula(tmp_path: Path) -> None:
    run = hostile_run([*FORMULAS, "a=b"], [f"{n}" for n in range(8)], ["@x"] * 8)
    text = exported(run, tmp_path, "tsv", "safe.tsv", spreadsheet_safe=True)
    rows = [line.split("\t") for line in text.split("\n")[1:-1]]
    assert {len(row) for row in rows} == {10 if "alarms" in text else 9}
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    assert [row[0] for row in rows[:2]] == ["'=1+1", "'+1"]
    assert rows[-1][0] == "a=b"
    exact = exported(run, tmp_path, "tsv", "exact.tsv").split("\n")[1:-1]
    assert [row.split("\t")[0] for row in exact][:4] == FORMULAS[:4]


def test_only_tables_can_be_safe_for_spreadsheets(tmp_path: Path) -> None:
    for form in ("parquet", "jsonl", "sameas", "sssom", "fused"):
        with pytest.raises(ConfigError, match="spreadsheet_safe goes with the format tsv alone"):
            exported(made_run(), tmp_path, form, "x", spreadsheet_safe=True)
