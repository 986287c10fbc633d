"""SPARQL endpoints as sources of a description."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lighttea import Graph, graph_from_sources, read_graph
from lighttea.cli import run_command
from lighttea.errors import FetchError, InputError
from lighttea.io.descriptions.sources import Source
from lighttea.io.frames import frame_of_graph
from tests.io.sparql.endpoint import Fault, Service, service_of, serving

DATA = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Ada :worksFor :Post ; rdfs:label "Ada"@en ; :since "1999-01-01T00:00:00Z"^^xsd:dateTime .
:Ben :worksFor :Post ; rdfs:label "Ben"@en .
"""
EX = "http://example.org/"
WORKS = "SELECT ?who ?firm ?since { ?who <http://example.org/worksFor> ?firm"
WORKS += " OPTIONAL { ?who <http://example.org/since> ?since } }"


@pytest.fixture
def service() -> Iterator[Service]:
    with serving(service_of(DATA)) as service:
        yield service


def describe(folder: Path, service: Service, *lines: str) -> Path:
    path = folder / "graph.toml"
    source = ["[[source]]", f'sparql = "{service.url}"', 'cache = "kept"', *lines]
    path.write_text("\n".join(source))
    return path


def rows(graph: Graph) -> list[tuple[str | None, ...]]:
    return sorted(
        tuple(c and c.removeprefix(EX) for c in row) for row in frame_of_graph(graph).rows()
    )


def test_the_rows_of_a_query_have_the_roles_of_the_description(
    service: Service, tmp_path: Path
) -> None:
    path = describe(
        tmp_path,
        service,
        f"query = '''{WORKS}'''",
        'head = "who"',
        'relation = { value = "worksFor" }',
        'tail = "firm"',
        'begin = "since"',
        "page_size = 1",
    )
    graph = read_graph(path)
    assert rows(graph) == [
        ("Ada", "worksFor", "Post", "1999-01-01", None),
        ("Ben", "worksFor", "Post", None, None),
    ]
    assert len(service.queries) == 3
    assert any("2 rows from http://127.0.0.1" in note for note in graph.notes)
    assert graph.digest
    assert (tmp_path / "kept").is_dir()


def test_a_query_with_the_usual_names_needs_no_roles(service: Service, tmp_path: Path) -> None:
    path = describe(tmp_path, service, 'query = "SELECT * { ?head ?relation ?tail }"')
    graph = read_graph(path)
    assert ("Ada", "worksFor", "Post", None, None) in rows(graph)
    assert graph.entity_names == {f"{EX}Ada": "Ada", f"{EX}Ben": "Ben"}


def test_predicates_bring_names(service: Service, tmp_path: Path) -> None:
    graph = read_graph(describe(tmp_path, service, f'predicates = ["{EX}worksFor"]'))
    assert [row[0] for row in rows(graph)] == ["Ada", "Ben"]
    assert graph.entity_names == {f"{EX}Ada": "Ada", f"{EX}Ben": "Ben"}


def test_an_endpoint_is_a_source_in_python_too(service: Service, tmp_path: Path) -> None:
    source: Source = {
        "sparql": service.url,
        "predicates": [f"{EX}worksFor"],
        "page_size": 1,
        "cache": tmp_path,
    }
    frame: Source = {"frame": [{"head": f"{EX}Ada", "relation": "knows", "tail": f"{EX}Ben"}]}
    graph = graph_from_sources([source, frame], name="both")
    assert len(graph.facts) == 3
    assert len(graph.entities) == 3


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "give either a query or predicates with it"),
        (['query = "x"', 'predicates = ["x:y"]'], "give either a query or predicates"),
        (['predicates = ["x:y"]', 'head = "s"', 'relation = "p"', 'tail = "o"'], "no roles"),
        (
            ['query = "x"', 'languages = ["en"]'],
            "needs predicates; with a query, filter in the query",
        ),
        (['query = "x"', 'page_size = "many"'], "expected a number, found 'many'"),
        (['query = "x"', "page_size = 1.5"], "expected a number, found 1.5"),
        (['query = "x"', "page_size = 0"], "page_size must be > 0; got 0"),
        (['query = "x"', "max_age_hours = true"], "expected a number, found True"),
        (['query = "x"', 'sheet = "y"'], "does not apply to sparql"),
    ],
)
def test_wrong_descriptions_are_refused(
    service: Service, tmp_path: Path, lines: list[str], said: str
) -> None:
    path = describe(tmp_path, service, *lines)
    with pytest.raises(InputError) as caught:
        read_graph(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert not service.queries


def test_the_command_shows_pages_and_goes_on_after_a_failure(
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LIGHTTEA_PROGRESS", "lines")
    path = describe(tmp_path, service, f'predicates = ["{EX}worksFor"]', "page_size = 1")
    service.faults = [None, Fault(403)]
    assert run_command(["inspect", str(path)]) == FetchError.exit_code
    first = capsys.readouterr().err
    assert f"{service.url}: asking for facts of {EX}worksFor\n{service.url}: 1 rows" in first
    assert "the server answers 403 Forbidden" in first
    assert "Traceback" not in first
    assert run_command(["inspect", str(path), "--json", "-"]) == 0
    second = capsys.readouterr()
    assert f"{service.url}: 1 rows" not in second.err.partition("labels")[0]
    assert json.loads(second.out)["facts"] == 2
