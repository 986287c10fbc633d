"""Literals of decoys: made-up values, as common in their words as real ones.

A decoy has the attributes of the right entity it is made from. Each word of a value is exchanged
for a word in the same place of another value of that attribute, so that a date stays a date and a
given name a given name. A word that a single right entity has would point at that entity, which no
stranger's value does, so two halves of such words make a new one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lighttea.literals.text import replace_words, split_words
from lighttea.types import Bools, Ints

LAST_PLACE = 5  # of a word in a value that is told apart; later ones count alike


def decoy_literals(rows: Ints, source: Ints, texts: list[str], rng: np.random.Generator) -> Ints:
    """Return decoy, attribute and value of made-up literals, as rows of an array.

    `rows` are node, attribute and value of the right entities' literals; `source` has the node that
    each decoy is made from. New values are added to `texts`.
    """
    node, attribute, value = rows
    decoy_of = {own: number for number, own in enumerate(source.tolist())}
    words_of = {place: split_words(texts[place]) for place in np.unique(value).tolist()}
    place_of = {text: place for place, text in enumerate(texts)}
    made = []
    is_source = np.isin(node, source)
    for number in np.unique(attribute).tolist():
        own = attribute == number
        pool = WordPool([words_of[place] for place in value[own].tolist()], node[own])
        chosen = np.flatnonzero(own & is_source)
        for head, place in zip(node[chosen].tolist(), value[chosen].tolist(), strict=True):
            drawn = pool.draw(len(words_of[place]), rng)
            text = replace_words(texts[place], drawn)
            if words_of[place]:
                made.append((decoy_of[head], number, _place(text, texts, place_of)))
    return np.array(made, np.int64).reshape(-1, 3).T


def _place(text: str, texts: list[str], place_of: dict[str, int]) -> int:
    if text not in place_of:
        place_of[text] = len(texts)
        texts.append(text)
    return place_of[text]


class WordPool:
    """The words of an attribute's values, by their place in a value."""

    def __init__(self, values: Sequence[Sequence[str]], node: Ints) -> None:
        """`node` has each value."""
        words = [word for own in values for word in own]
        place = [min(number, LAST_PLACE) for own in values for number in range(len(own))]
        is_common = _have_several(words, np.repeat(node, [len(own) for own in values]))
        self._words: list[list[tuple[str, bool]]] = [[] for _ in range(LAST_PLACE + 1)]
        for word, common, number in zip(words, is_common.tolist(), place, strict=True):
            self._words[number].append((word, common))

    def draw(self, n: int, rng: np.random.Generator) -> Iterator[str]:
        """Yield a word for each of n places: one that several nodes have, or two halves."""
        for number, (first, second) in enumerate(rng.random((n, 2)).tolist()):
            words = self._words[min(number, LAST_PLACE)]
            word, is_common = words[int(first * len(words))]
            other, _ = words[int(second * len(words))]
            half = word[: (len(word) + 1) // 2] + other[(len(other) + 1) // 2 :]
            yield word if is_common else half


def _have_several(words: Sequence[str], node: Ints) -> Bools:
    """Return which words several nodes have; one node may have a word twice, in two names."""
    number_of: dict[str, int] = {}
    number = np.array([number_of.setdefault(word, len(number_of)) for word in words], np.int64)
    if not len(number):
        return np.zeros(0, bool)
    distinct = np.unique(node.astype(np.int64) * len(number_of) + number)
    return np.asarray(np.bincount(distinct % len(number_of))[number] > 1)
