"""The index of names beside slow, obvious references."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import lighttea
from lighttea.serve.catalogue import Catalogue
from lighttea.serve.likeness import name_likeness, word_likeness, words_of
from lighttea.serve.postings import Postings

WORDS = st.lists(st.sampled_from(("anna", "anne", "berta", "b", "carl", "12")), max_size=4)


@given(st.lists(WORDS, max_size=8))
def test_postings_are_where_the_keys_are(rows: list[list[str]]) -> None:
    postings = Postings.of(rows)
    for key in ("anna", "anne", "berta", "b", "carl", "12", "zz"):
        assert postings.rows_of_key(key).tolist() == [i for i, r in enumerate(rows) if key in r]
    for prefix in ("", "an", "b", "zz"):
        found = set(postings.rows_of_prefix(prefix).tolist())
        assert found == {i for i, r in enumerate(rows) if any(k.startswith(prefix) for k in r)}


@given(WORDS, WORDS)
def test_likeness_is_between_0_and_1_and_1_for_the_same(left: list[str], right: list[str]) -> None:
    own, other = tuple(left), tuple(right)
    alike = name_likeness(own, other, lambda _: 1.0)
    assert 0 <= alike <= 1
    assert name_likeness(own, own, lambda _: 1.0) == 1
    assert (alike == 1) == (own == other)


def test_words_that_are_and_are_not_alike() -> None:
    assert word_likeness("thatcher", "thacher") > 0.9
    assert word_likeness("1996", "1997") == 0
    assert word_likeness("lee", "leo") == 0
    assert 0 < word_likeness("j", "john") < 1
    assert word_likeness("john", "j") == word_likeness("j", "john")
    assert word_likeness("j", "anna") == 0
    assert words_of("Böll, Heinrich") == ("boll", "heinrich")
    assert words_of("!?") == ("!?",)


LETTERS = st.text("abcdeé ", min_size=1, max_size=12).filter(lambda text: text.strip() == text)


@settings(deadline=None, max_examples=60)
@given(st.lists(LETTERS, min_size=2, max_size=12, unique=True), LETTERS)
def test_search_finds_what_comparing_with_all_names_finds(names: list[str], written: str) -> None:
    graph = lighttea.graph_from([(name, "r", names[0]) for name in names[1:]])
    index = Catalogue(graph).names
    found = index.search(written)
    given_words = words_of(written)
    for number, name in enumerate(graph.entities):
        if set(words_of(name)) & set(given_words):
            expected = name_likeness(given_words, words_of(name), index.weigh)
            assert found[number] <= expected + 1e-9  # misspelt words beside may be left out
            assert found[number] > 0
        if words_of(name) == given_words:
            assert found[number] == 1


@settings(deadline=None, max_examples=60)
@given(st.lists(LETTERS, min_size=2, max_size=12, unique=True), LETTERS)
def test_prefixes_find_all_names_that_begin_so(names: list[str], prefix: str) -> None:
    graph = lighttea.graph_from([(name, "r", names[0]) for name in names[1:]])
    catalogue = Catalogue(graph)
    found = catalogue.names.begin_with(prefix, catalogue.popularity)
    *whole, last = words_of(prefix)
    for number, name in enumerate(graph.entities):
        own = words_of(name)
        fits = set(whole) <= set(own) and any(word.startswith(last) for word in own)
        assert (number in found) == fits
    listed = catalogue.ids_that_begin_with(prefix, 100)
    assert sorted(graph.entities[n] for n in listed) == sorted(
        name for name in graph.entities if name.startswith(prefix)
    )


def test_a_frequent_word_does_not_hide_a_rare_one() -> None:
    graph = lighttea.graph_from([(f"person {n}", "r", "person 0") for n in range(1, 3_000)])
    index = Catalogue(graph).names
    found = index.search("person 1234")
    best = max(found, key=lambda number: found[number])
    assert graph.entities[best] == "person 1234"
    assert np.isclose(found[best], 1)
