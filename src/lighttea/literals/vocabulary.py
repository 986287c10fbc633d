"""Distinct texts as numbered words, pieces of words, whole values and numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.literals.kinds import parse_number, special_words
from lighttea.literals.lists import Lists
from lighttea.literals.text import split_pieces, split_words
from lighttea.types import Bools, Doubles

MOST_WORDS = 8  # of a value whose pieces are looked at: a longer one is a text, not a name
CODE = 5  # digits from which a number without sign or point may be a code


@dataclass(frozen=True)
class Vocabulary:
    """What each of some distinct texts is made of, by numbers that equal parts share."""

    whole: Lists  # all words as one: in their order, and in alphabetical order
    words: Lists  # with those that dates and places give
    pieces: Lists  # of short texts
    number: Doubles  # NaN for a text that is none
    digits: Bools  # whether a text is a row of digits that may be a code
    counter: Doubles  # the last word that is a whole number, as `17` in `item 17`; NaN for none

    @classmethod
    def of(cls, texts: Sequence[str]) -> Vocabulary:
        """Return the parts of each text."""
        number_of: dict[str, int] = {}
        whole_of: dict[str, int] = {}
        plain, words, whole, counter = [], [], [], []
        for text in texts:
            own = split_words(text)
            plain.append(_number(own, number_of) if len(own) <= MOST_WORDS else [])
            words.append(_number([*own, *special_words(text)], number_of))
            whole.append(_number(_whole(own), whole_of))
            counter.append(_counter(own))
        pieces = _pieces_of_words(number_of)
        return cls(
            Lists.of(whole),
            Lists.of(words),
            Lists.of(plain).through(pieces),
            np.array([_as_number(text) for text in texts], np.float64),
            np.array([len(t) >= CODE and t.isdecimal() for t in texts], bool),
            np.array(counter, np.float64),
        )

    def __len__(self) -> int:
        return len(self.number)


def _as_number(text: str) -> float:
    number = parse_number(text)
    return math.nan if number is None else number


def _counter(words: list[str]) -> float:
    """Return the last word that is a whole number; NaN where there is none."""
    return next((float(word) for word in reversed(words) if word.isdecimal()), math.nan)


def _whole(words: list[str]) -> list[str]:
    """Return all words as one, as they are and sorted; `Aaron, Hank` is `Hank Aaron`."""
    return ["".join(words), " ".join(sorted(words))] if words else []


def _number(parts: Iterable[str], number_of: dict[str, int]) -> list[int]:
    """Return the numbers of the distinct parts; new ones get the next number."""
    return [number_of.setdefault(part, len(number_of)) for part in dict.fromkeys(parts)]


def _pieces_of_words(words: Iterable[str]) -> Lists:
    number_of: dict[str, int] = {}
    return Lists.of(_number(split_pieces(word), number_of) for word in words)
