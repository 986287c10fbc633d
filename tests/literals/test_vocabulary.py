"""Texts as numbered parts: equal numbers for equal parts, and no others."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea.literals.kinds import parse_number, special_words
from lighttea.literals.lists import Lists
from lighttea.literals.text import split_pieces, split_words
from lighttea.literals.vocabulary import MOST_WORDS, Vocabulary
from tests.fuzzing import examples

NAMES = ("Hank Aaron", "Aaron, Hank", "AARON HANK", "J. Aaron", "1969-07-20", "20 July 1969", "17")
TEXTS = st.lists(st.one_of(st.sampled_from(NAMES), st.text(max_size=12)), max_size=8)


def parts_of(lists: Lists) -> list[list[int]]:
    return [lists.of_row(row).tolist() for row in range(len(lists))]


def assert_same_numbers(found: Lists, expected: Sequence[Sequence[str]]) -> None:
    """Check that numbers and parts stand for each other, one for one, in the same places."""
    rows = parts_of(found)
    assert [len(row) for row in rows] == [len(row) for row in expected]
    couples = {
        couple
        for own, other in zip(rows, expected, strict=True)
        for couple in zip(own, other, strict=True)
    }
    assert len(couples) == len({number for number, _ in couples}) == len({p for _, p in couples})


def distinct(parts: list[str]) -> list[str]:
    return list(dict.fromkeys(parts))


def pieces_of(text: str) -> list[str]:
    """The pieces of the distinct words of a text; a word's own pieces are distinct."""
    words = split_words(text)
    if len(words) > MOST_WORDS:
        return []
    return [piece for word in distinct(words) for piece in distinct(split_pieces(word))]


@examples(150)
@given(TEXTS)
@example([])
@example(["", "…"])
@example([*NAMES])
def test_parts_are_those_of_plain_functions(texts: list[str]) -> None:
    words = Vocabulary.of(texts)
    assert len(words) == len(texts)
    own = [split_words(text) for text in texts]
    assert_same_numbers(
        words.words,
        [distinct([*w, *special_words(t)]) for t, w in zip(texts, own, strict=True)],
    )
    wholes = [distinct(["".join(w), " ".join(sorted(w))]) if w else [] for w in own]
    assert_same_numbers(words.whole, wholes)
    assert_same_numbers(words.pieces, [pieces_of(text) for text in texts])
    numbers = [math.nan if (n := parse_number(text)) is None else n for text in texts]
    np.testing.assert_array_equal(words.number, np.array(numbers, float))


def wholes(*texts: str) -> list[set[int]]:
    return [set(row) for row in parts_of(Vocabulary.of(texts).whole)]


def test_a_name_turned_round_is_the_same_value() -> None:
    one, other, third, stranger = wholes("Hank Aaron", "Aaron, Hank", "hankaaron", "Hank Aron")
    assert one & other
    assert one & third
    assert not other & third
    assert not one & stranger


def test_a_number_may_be_a_code_or_a_counter() -> None:
    texts = ["12345", "1234", "12 345", "item 17", "17 of 20", "no number", "١٢٣٤٥", "-12345"]
    words = Vocabulary.of(texts)
    assert words.digits.tolist() == [True, *[False] * 5, True, False]
    np.testing.assert_array_equal(words.counter, [12345, 1234, 345, 17, 20, math.nan, 12345, 12345])


def test_the_pieces_of_a_long_text_are_left_out() -> None:
    short, long = " ".join("abcdefgh"), " ".join("abcdefghi")
    pieces = parts_of(Vocabulary.of([short, long]).pieces)
    assert len(pieces[0]) == 2 * MOST_WORDS
    assert pieces[1] == []


def test_hostile_texts_are_texts() -> None:
    texts = ["9" * 300, "1e999", "٣" * 250, "\x00", "\ud800", "x" * 100_000, "2001-05-00"]
    words = Vocabulary.of(texts)
    assert len(words) == len(texts)
    assert not np.isinf(words.number).any()
    assert not np.isinf(words.counter).any()
