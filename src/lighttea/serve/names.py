"""Entities by their names: misspelt, in another order, or only begun."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from lighttea.display import short_form
from lighttea.graph.facts import Graph
from lighttea.literals.text import split_pieces
from lighttea.serve.likeness import (
    WordMatcher,
    Words,
    initial_likeness,
    name_likeness,
    words_of,
)
from lighttea.serve.postings import Postings
from lighttea.types import Ints

_NAME_WORDS = {
    *("name", "label", "preflabel", "altlabel", "alias", "alternatename", "alternate name"),
    *("full name", "fullname", "also known as", "other name", "pref label", "alt label"),
}
_INITIAL_WEIGHT = 0.3  # of a single letter, beside a word of the same rarity
_SHARED_PIECES = 0.25  # of a misspelt word, at least
_COMPARED_WORDS = 60  # words of the graph that a misspelt word is compared with
_COMPARED_NAMES = 100  # that are compared word by word, unless more are asked for
_MOST_ROWS = 200_000  # names that a word is looked for in, where a rarer word is there too
_SUGGESTED_FROM = 500  # names that suggestions are chosen from

Weights = NDArray[np.float64]


@dataclass(frozen=True)
class NameIndex:
    """The names of a graph by their words, and its words by their pieces."""

    texts: Sequence[str]  # a name each; an entity may have several
    owner: Ints  # (n_texts,) the entity of each
    words: Postings  # the texts of each word
    pieces: Postings  # the words of each piece
    weight: Weights  # (n_words,) rarer words weigh more
    total: Weights  # (n_texts,) weight of all words of a text

    @classmethod
    def of(cls, graph: Graph) -> NameIndex:
        """Return the index of the names of a graph."""
        named = list(_names(graph))
        texts = [text for _, text in named]
        words = Postings.of(words_of.__wrapped__(text) for text in texts)
        rarity = np.log1p(len(texts) / np.maximum(words.counts(), 1))
        is_initial = np.array([len(word) == 1 for word in words.keys], bool)
        weight = np.where(is_initial, _INITIAL_WEIGHT * rarity, rarity)
        of_row = np.repeat(weight, words.counts())
        total = np.bincount(words.rows, of_row, minlength=len(texts)).astype(np.float64)
        owner = np.fromiter((entity for entity, _ in named), np.int32, len(named))
        pieces = Postings.of(split_pieces(word)[1:] for word in words.keys)
        return cls(texts, owner, words, pieces, weight, total)

    def weigh(self, word: str) -> float:
        """Return the weight of a word; an unknown one is as rare as can be."""
        number = self.words.number.get(word)
        return self._rarest if number is None else float(self.weight[number])

    @cached_property
    def _rarest(self) -> float:
        return float(np.log1p(max(len(self.texts), 1)))

    def search(
        self, text: str, n: int = _COMPARED_NAMES, among: Collection[int] = ()
    ) -> dict[int, float]:
        """Return the entities whose names are most alike, each with its likeness.

        The names of n entities are compared, and of as many `among` those given.
        """
        words = words_of(text)
        similar = {word: dict(self.similar_words(word)) for word in words}
        number = self.words.number

        def compare(given: str, known: str) -> float:
            return similar[given].get(number[known], 0.0) or initial_likeness(given, known)

        best: dict[int, float] = {}
        for row in self._likely_rows(words, n, among).tolist():
            entity = int(self.owner[row])
            alike = name_likeness(words, words_of(self.texts[row]), self.weigh, compare)
            best[entity] = max(alike, best.get(entity, 0.0))
        return best

    def _likely_rows(self, words: Words, n: int, among: Collection[int]) -> Ints:
        """Return the names that share most with some words, n, and n of the entities given."""
        similar = [found for word in words if (found := self.similar_words(word))]
        similar = self._without_frequent(similar)
        parts = [(self.words.rows_of(w), alike * self.weight[w]) for s in similar for w, alike in s]
        if not parts:
            return self.words.rows[:0]
        rows = np.concatenate([rows for rows, _ in parts])
        gains = np.repeat([gain for _, gain in parts], [len(rows) for rows, _ in parts])
        distinct, place = np.unique(rows, return_inverse=True)
        gain = np.minimum(np.bincount(place, gains), self.total[distinct])
        likely = 2 * gain / (sum(map(self.weigh, words)) + self.total[distinct])
        chosen = _smallest(distinct, -likely, n)
        if not among:
            return chosen
        is_among = np.isin(self.owner[distinct], np.fromiter(among, np.int32, len(among)))
        return np.union1d(chosen, _smallest(distinct[is_among], -likely[is_among], n))

    def _without_frequent(
        self, similar: list[tuple[tuple[int, float], ...]]
    ) -> list[tuple[tuple[int, float], ...]]:
        """Leave out words that most names have, as long as a rarer one stays."""
        counts = self.words.counts()
        size = [sum(int(counts[number]) for number, _ in found) for found in similar]
        kept = [f for f, n_rows in zip(similar, size, strict=True) if n_rows <= _MOST_ROWS]
        return kept or similar

    @cached_property
    def similar_words(self) -> _SimilarWords:
        """The words of the graph that a given one may be, with their likeness."""
        return _SimilarWords(self)

    def begin_with(self, prefix: str, popularity: Ints) -> list[int]:
        """Return entities one of whose names has words that begin so, the best known first."""
        *whole, last = words_of(prefix) or ("",)
        rows = np.unique(self.words.rows_of_prefix(last))
        for word in whole:
            rows = np.intersect1d(rows, self.words.rows_of_key(word))
        likely = np.concatenate(
            [_smallest(rows, -popularity[self.owner[rows]]), _smallest(rows, self.total[rows])]
        )
        folded = " ".join(words_of(prefix))

        def order(row: int) -> tuple[bool, bool, int, str]:
            name = " ".join(words_of(self.texts[row]))
            known = int(popularity[self.owner[row]])
            return name != folded, not name.startswith(folded), -known, name

        ordered = sorted(np.unique(likely).tolist(), key=order)
        return list(dict.fromkeys(int(self.owner[row]) for row in ordered))


class _SimilarWords:
    """Finds the words of an index that a given word may be; the last ones are remembered."""

    def __init__(self, index: NameIndex) -> None:
        self._index = index
        self._remembered = lru_cache(maxsize=20_000)(self._find)

    def __call__(self, word: str) -> tuple[tuple[int, float], ...]:
        """Return numbers of words with their likeness, the most alike first."""
        return self._remembered(word)

    def _find(self, word: str) -> tuple[tuple[int, float], ...]:
        words, pieces = self._index.words, self._index.pieces
        own = words.number.get(word)
        if not word.isalpha() or len(word) == 1:
            return () if own is None else ((own, 1.0),)
        rows = [pieces.rows_of_key(piece) for piece in split_pieces(word)[1:]]
        shared = np.bincount(np.concatenate(rows), minlength=1)
        sharing = np.flatnonzero(shared > _SHARED_PIECES * len(rows))
        likely = _smallest(sharing, -shared[sharing], _COMPARED_WORDS)
        matcher = WordMatcher(word)
        alike = {number: matcher.likeness(words.keys[number]) for number in likely.tolist()}
        if own is not None:
            alike[own] = 1.0
        found = [(number, value) for number, value in alike.items() if value]
        return tuple(sorted(found, key=lambda each: (-each[1], each[0])))


def _smallest(rows: Ints, values: NDArray[np.generic], n: int = _SUGGESTED_FROM) -> Ints:
    """Return the n rows with the smallest values, in no order."""
    return rows if len(rows) <= n else rows[np.argpartition(values, n)[:n]]


def _names(graph: Graph) -> Iterator[tuple[int, str]]:
    """Yield the entities with each of their names: what people read, and literals that are names.

    An entity without a name goes by its id, of an IRI the last part.
    """
    shown = [
        (graph.entity_names.get(own) or "").strip() or short_form(own) for own in graph.entities
    ]
    yield from ((number, name) for number, name in enumerate(shown) if name)
    literals = graph.attributes
    called = [graph.relation_names.get(own) or short_form(own) for own in literals.names]
    is_name = np.array([" ".join(c.lower().split()) in _NAME_WORDS for c in called], bool)
    for row in np.flatnonzero(is_name[literals.attribute]) if called else ():
        entity, text = int(literals.entity[row]), literals.texts[int(literals.value[row])].strip()
        if text and text != shown[entity]:
            yield entity, text
