from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode

from lighttea.export.iris import Curies, Namespaces, is_iri

SPACES = Namespaces("https://l.example/", "https://r.example/")


@pytest.mark.parametrize(
    ("name", "iri"),
    [
        ("http://x.org/a", "http://x.org/a"),
        ("urn:isbn:0451450523", "urn:isbn:0451450523"),
        ("http://x.org/é#1", "http://x.org/é#1"),
        ("Q42", "https://l.example/Q42"),
        ("Category:Rivers", "https://l.example/Category%3ARivers"),
        ("_:b0", "https://l.example/_%3Ab0"),
        ("http://x.org/a b", "https://l.example/http%3A%2F%2Fx.org%2Fa%20b"),
        ("http://x.org/%zz", "https://l.example/http%3A%2F%2Fx.org%2F%25zz"),
        ("a/b%2Fc", "https://l.example/a%2Fb%252Fc"),
        ("http://[x/y", "https://l.example/http%3A%2F%2F%5Bx%2Fy"),
        ("http://x.org:port/", "https://l.example/http%3A%2F%2Fx.org%3Aport%2F"),
        ("file:///data/x", "file:///data/x"),
        ("http://", "https://l.example/http%3A%2F%2F"),
    ],
)
def test_ids_become_iris(name: str, iri: str) -> None:
    assert SPACES.entity("left", name) == iri


def test_sides_and_kinds_do_not_mix() -> None:
    assert SPACES.entity("left", "1") != SPACES.entity("right", "1")
    assert SPACES.relation("left", "1") != SPACES.entity("left", "relation/1")


@given(st.lists(st.text(min_size=1).filter(lambda t: t.isprintable()), unique=True, max_size=8))
def test_every_id_has_a_legal_iri_of_its_own(names: list[str]) -> None:
    iris = [SPACES.entity("left", name) for name in names]
    assert len(set(iris)) == len(names)
    for iri in iris:
        assert is_iri(iri)
        NamedNode(iri)  # refuses what is no IRI


def test_curies_spell_the_iris() -> None:
    curies = Curies(SPACES)
    iris = ["http://www.wikidata.org/entity/Q1", "https://l.example/x%20y", "http://o.org/p#q/r/"]
    short = curies.of([*iris, "urn:a:b", "http://o.org/p#q/s"])
    assert short[:2] == ["wd:Q1", "left:x%20y"]
    assert len(set(short)) == 5
    assert sorted(curies.used) == ["left", "ns1", "ns2", "wd"]
    for curie, iri in zip(short, iris, strict=False):
        prefix, _, local = curie.partition(":")
        assert curies.used[prefix] + local == iri
