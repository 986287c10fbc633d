"""What a person reads instead of an id or a side, and how it is written down."""

from __future__ import annotations

import pytest

from lighttea.display import (
    GraphNames,
    Named,
    html_table,
    html_text,
    isolate,
    short_form,
    visible,
    without_isolates,
)

HEBREW = "דוד בן־גוריון"


@pytest.mark.parametrize(
    ("iri", "short"),
    [
        ("http://x.example/onto#name", "name"),
        ("http://x.example/onto/name/", "name"),
        ("http://x.example/", "x.example"),
        ("http://x.example/id/Heinrich_B%C3%B6ll", "Heinrich Böll"),
        ("http://x.example/id/%FF", "%FF"),
        ("http://x.example/person/37", "person/37"),
        ("http://x.example/37", "37"),
        ("http://", "http://"),
        ("birth date", "birth date"),
        ("George_Porter", "George_Porter"),
        ("a/b", "a/b"),
        ("wd:Q42", "wd:Q42"),
    ],
)
def test_the_short_form_of_an_id(iri: str, short: str) -> None:
    assert short_form(iri) == short


def test_a_name_comes_before_the_id_and_the_id_is_never_lost() -> None:
    named = Named("http://x.example/1", "One")
    assert (named.text, named.shown_id) == ("One", "http://x.example/1")
    assert named.words == "One (http://x.example/1)"
    nameless = Named("http://x.example/some_one")
    assert (nameless.text, nameless.shown_id) == ("some one", "http://x.example/some_one")
    plain = Named.of("George_Porter", {"other": "name"})
    assert (plain.text, plain.shown_id, plain.words) == ("George_Porter", "", "George_Porter")
    assert Named("id", " ").text == "id"
    assert len(Named("x" * 500).shortened()) <= 40


@pytest.mark.parametrize(
    ("left", "right", "names"),
    [
        (("", "people.ttl"), ("", "data/catalogue.csv.gz"), ("people", "catalogue")),
        (("", "a/dbpedia.en.nt"), ("", "a/dbpedia.fr.nt.bz2"), ("dbpedia.en", "dbpedia.fr")),
        (("Wikidata", "dump.json"), ("", "yago.nt"), ("Wikidata", "yago")),
        (("", "C:\\data\\people.ttl"), ("", "folder/"), ("people", "folder")),
        (("", "left.tsv"), ("", "right.csv"), ("left", "right")),
        (("", "right.tsv"), ("", "left.csv"), ("left", "right")),
        (("", "a/facts.tsv"), ("", "b/Facts.nt"), ("left", "right")),
        (("", ""), ("", ""), ("left", "right")),
        (("", "0.tsv"), ("", "1.tsv"), ("left", "right")),
        (("Same", "a.nt"), ("same", "b.nt"), ("left", "right")),
        (("Wikidata", ""), ("", ""), ("Wikidata", "right")),
    ],
)
def test_graphs_go_by_their_names_or_files(
    left: tuple[str, str], right: tuple[str, str], names: tuple[str, str]
) -> None:
    assert GraphNames.of(left, right) == GraphNames(*names)


def test_a_graph_in_words_still_tells_its_side() -> None:
    names = GraphNames("people", "right")
    assert names.graph("left") == "people (the left graph)"
    assert names.graph("right") == "the right graph"
    assert (names.place("left"), names.place("right")) == ("in people", "on the right")
    long = GraphNames.of(("a name \x1b" * 50, ""), ("", ""))
    assert len(long.left) <= 40
    assert "\x1b" not in long.left


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\nb\x1b[31m\x07", "a\\nb\\x1b[31m\\x07"),
        ("\u202eevil", "\\u202eevil"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # a joiner that Persian needs
        ("10\xa0km", "10\xa0km"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_texts_from_right_to_left_are_isolated() -> None:
    assert isolate(HEBREW) == f"\u2068{HEBREW}\u2069"
    assert without_isolates(isolate(HEBREW)) == HEBREW
    assert isolate("Böll") == "Böll"


def test_long_words_may_break_after_signs_alone() -> None:
    assert html_text("a-b_c") == "a-b_c"
    assert html_text("http://x.example/a_b/ccccccc") == (
        "http://<wbr>x.<wbr>example/<wbr>a_<wbr>b/<wbr>ccccccc"
    )
    assert html_text("<b>" + "x" * 30) == "&lt;b&gt;" + "x" * 30


def test_a_table_shows_names_and_small_ids() -> None:
    page = html_table(("who",), [(Named("http://x.example/<1>", "<i>"),), ("\x07",), ("",)])
    assert '<bdi dir="auto" title="http://x.example/&lt;1&gt;">&lt;i&gt;</bdi> <small>' in page
    assert "<i>" not in page
    assert "\\x07" in page
