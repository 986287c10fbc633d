"""Literals of decoys: made-up values, as common in their words as real ones.

A decoy has the attributes of the right entity it is made from. Each word of a value is exchanged
for a word of another value of that attribute. One that a single right entity has would point at
that entity, which no stranger's value does, so two halves of such words make a new one.
"""

from __future__ import annotations

import numpy as np

from lighttea.literals.text import split_words
from lighttea.types import Ints


def decoy_literals(
    rows: Ints, source: Ints, texts: list[str], rng: np.random.Generator
) -> Ints:
    """Return decoy, attribute and value of made-up literals, as rows of an array.

    `rows` are node, attribute and value of the right entities' literals; `source` has the node that
    each decoy is made from. New values are added to `texts`.
    """
    node, attribute, value = rows
    number = {text: place for place, text in enumerate(texts)}
    decoy_of = dict(zip(source.tolist(), range(len(source)), strict=True))
    pools = _word_pools(attribute, value, texts)
    made = []
    for place in np.flatnonzero(np.isin(node, source)).tolist():
        own = int(attribute[place])
        words = len(split_words(texts[int(value[place])]))
        text = " ".join(pools[own].draw(rng) for _ in range(words))
        if text:
            made.append((decoy_of[int(node[place])], own, _place(text, texts, number)))
    return np.array(made, np.int64).reshape(-1, 3).T


def _place(text: str, texts: list[str], number: dict[str, int]) -> int:
    if text not in number:
        number[text] = len(texts)
        texts.append(text)
    return number[text]


class _WordPool:
    """The words of an attribute, as often as right entities have them."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._counts: dict[str, int] = {}

    def add(self, words: list[str]) -> None:
        self._words += words
        for word in words:
            self._counts[word] = self._counts.get(word, 0) + 1

    def draw(self, rng: np.random.Generator) -> str:
        """Return a word that several have, or one made of two halves."""
        word = self._any(rng)
        if self._counts[word] > 1:
            return word
        other = self._any(rng)
        return word[: (len(word) + 1) // 2] + other[(len(other) + 1) // 2 :]

    def _any(self, rng: np.random.Generator) -> str:
        return self._words[int(rng.integers(len(self._words)))]


def _word_pools(attribute: Ints, value: Ints, texts: list[str]) -> dict[int, _WordPool]:
    pools: dict[int, _WordPool] = {int(number): _WordPool() for number in np.unique(attribute)}
    for number, place in zip(attribute.tolist(), value.tolist(), strict=True):
        pools[number].add(split_words(texts[place]))
    return pools
