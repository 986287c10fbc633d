"""The page on formats is true for endpoints: its examples run against one on this machine."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from lighttea import read_graph
from lighttea.io.descriptions.kinds import KINDS
from lighttea.io.sparql.limits import FetchLimits
from tests.io.sparql.endpoint import Service, service_of, serving
from tests.io.sparql.test_read import WIKIBASE

PAGE = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## SPARQL endpoints\n")[2].partition("\n## ")[0]
WIKIDATA = "https://query.wikidata.org/sparql"


def block(language: str, service: Service) -> str:
    (text,) = re.findall(rf"^```{language}\n(.*?)^```", SECTION, flags=re.S | re.M)
    assert WIKIDATA in text
    return str(text).replace(WIKIDATA, service.url)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_examples_run(tmp_path: Path) -> None:
    with serving(service_of(WIKIBASE)) as service:
        names: dict[str, object] = {}
        exec(block("python", service), names)
        for name in ("spouses", "spouses_of_query"):
            assert str(names[name]).startswith("Graph(")
            assert "1999" in str(names[name])
        born = "PREFIX wdt: <http://www.wikidata.org/prop/direct/> SELECT"
        text = block("toml", service).replace("SELECT", born).replace("wdt:P19", "wdt:P26")
        (tmp_path / "graph.toml").write_text(text)
        graph = read_graph(tmp_path / "graph.toml")
    assert "born in" in graph.relations
    assert len(graph.facts) == 2
    assert (tmp_path / "cache").is_dir()


def test_every_setting_is_on_the_page_with_its_default() -> None:
    limits = FetchLimits()
    options = {"query", "predicates", "languages"}
    settings = KINDS["sparql"].options.keys() - options
    assert settings < {field.name for field in fields(FetchLimits)}
    for name in settings:
        (default,) = re.findall(rf"^\| `{name}` \| (.*?) \|", SECTION, flags=re.M)
        if name != "cache":
            assert default == f"{getattr(limits, name):,.0f}"
    assert f"up to {['', '', '', '', '', 'five'][limits.attempts]} times" in SECTION
