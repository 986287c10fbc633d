"""Words of plain letters: known answers, and what holds for any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea.literals.text import LONGEST, PIECE, split_pieces, split_words, words_of_id
from tests.fuzzing import examples

WORDS = st.text(st.sampled_from("abcdefgh0123456789"), min_size=1, max_size=8)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)  # lone surrogates too


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Jürgen MÜLLER", ["jurgen", "muller"]),
        ("Łódź", ["lodz"]),
        ("Straße", ["strasse"]),
        ("Ju\u0308rgen", ["jurgen"]),  # the accent is a character of its own
        ("Москва", ["moskva"]),
        ("Αθήνα", ["athina"]),
        ("北京", ["beijing"]),
        ("٢٠٠١", ["2001"]),
        ("O’Brien", ["obrien"]),
        ("O'Brien", ["obrien"]),
        ("d`Artagnan ‘x’", ["dartagnan", "x"]),
        ("Aaron, Hank", ["aaron", "hank"]),
        ("213/467-1108", ["213", "467", "1108"]),
        ("J. R. R. Tolkien", ["j", "r", "r", "tolkien"]),
        ("R2-D2_x", ["r2", "d2", "x"]),
        ("https://www.example.org/caf%C3%A9?id=7", ["example", "org", "cafe", "id", "7"]),
        ("HTTP://Example.org/", ["example", "org"]),
        ("100%25 of it", ["100", "25", "of", "it"]),  # no address: the sign means what it says
        ("www.example.org", ["www", "example", "org"]),
        ("", []),
        (" \t…—!\n", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [("Москва", "Moskva"), ("Дмитрий Шостакович", "Dmitriy Shostakovich"), ("Ōsaka", "OSAKA")],
)
def test_another_script_gives_the_same_words(one: str, other: str) -> None:
    assert split_words(one) == split_words(other)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("BarackObama", ["barack", "obama"]),
        ("http://dbpedia.org/resource/Barack_Obama", ["barack", "obama"]),
        ("http://example.org/people#BarackObama", ["barack", "obama"]),
        ("http://example.org/people/Barack%20Obama/", ["barack", "obama"]),
        ("http://www.wikidata.org/entity/Q42", ["q42"]),
        ("NASA", ["nasa"]),
        ("e17", ["e17"]),
        ("people/Ada", ["people", "ada"]),  # no IRI: a stroke is a sign like any other
    ],
)
def test_words_of_an_id(name: str, words: list[str]) -> None:
    assert words_of_id(name) == words


def test_the_end_of_a_long_text_is_not_looked_at() -> None:
    text = "word " * (LONGEST // 5) + "end"
    assert split_words(text) == ["word"] * (LONGEST // 5)


@examples(300)
@given(ANY_TEXT)
@example("\ud800abc")
@example("http://a/%ff%zz%")
@example("://")
@example("İ" * 250)
def test_any_text_gives_words_of_small_letters_and_digits(text: str) -> None:
    for words in (split_words(text), words_of_id(text)):
        assert all(re.fullmatch("[a-z0-9]+", word) for word in words)


@examples(200)
@given(st.text(max_size=20))
def test_words_of_words_are_the_same(text: str) -> None:
    words = split_words(text)
    if sum(len(word) + 1 for word in words) <= LONGEST:  # a sign of a script may be many letters
        assert split_words(" ".join(words)) == words


@given(st.lists(WORDS, max_size=6), st.sampled_from([", ", " - ", "/", "; ", "_", "\n"]))
def test_words_stay_in_their_order_whatever_divides_them(words: list[str], divider: str) -> None:
    assert split_words(divider.join(words)) == words
    assert split_words(divider.join(words).upper()) == words


def test_pieces_of_a_word() -> None:
    assert split_pieces("hank") == [" h", " ha", "han", "ank", "nk "]
    assert split_pieces("j") == [" j", " j "]


@given(WORDS)
def test_pieces_cover_a_word_and_its_initial_is_one(word: str) -> None:
    first, *pieces = split_pieces(word)
    assert first == f" {word[0]}"
    assert first in split_pieces(word[0])
    assert all(len(piece) == PIECE for piece in pieces)
    assert "".join(piece[0] for piece in pieces) + pieces[-1][1:] == f" {word} "
