"""Literals of decoys: made-up values, as common in their words as real ones.

A decoy has the attributes of the right entity it is made from. Each word of a value is exchanged
for a word of another value of that attribute. One that a single right entity has would point at
that entity, which no stranger's value does, so two halves of such words make a new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from lighttea.literals.text import split_words
from lighttea.types import Ints


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
        every = [word for place in value[own].tolist() for word in words_of[place]]
        chosen = np.flatnonzero(own & is_source)
        counts = [len(words_of[place]) for place in value[chosen].tolist()]
        drawn = _draw_words(every, sum(counts), rng)
        for head, n_words in zip(node[chosen].tolist(), counts, strict=True):
            text = " ".join(next(drawn) for _ in range(n_words))
            if text:
                made.append((decoy_of[head], number, _place(text, texts, place_of)))
    return np.array(made, np.int64).reshape(-1, 3).T


def _place(text: str, texts: list[str], place_of: dict[str, int]) -> int:
    if text not in place_of:
        place_of[text] = len(texts)
        texts.append(text)
    return place_of[text]


def _draw_words(words: Sequence[str], n: int, rng: np.random.Generator) -> Iterator[str]:
    """Yield n words that several have, or that are made of two halves."""
    if not words:
        return
    counts = Counter(words)
    for first, second in rng.integers(len(words), size=(n, 2)).tolist():
        word, other = words[first], words[second]
        if counts[word] > 1:
            yield word
        else:
            yield word[: (len(word) + 1) // 2] + other[(len(other) + 1) // 2 :]
