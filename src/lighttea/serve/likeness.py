"""How alike two names are: word by word, whatever the case, the accents and the order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from lighttea.literals.text import split_words

ALIKE = 0.75  # share of the letters of two words from which they may be one, misspelt
INITIAL = 0.7  # what `J.` counts beside `John`
_OTHER_ORDER = 0.98
_MOST_WORDS = 30  # of a name
_LONGEST_WORD = 40  # letters that are compared
_SHORT_WORD = 3  # letters; a shorter or equal one has to be spelt right

Words = tuple[str, ...]
Weigh = Callable[[str], float]
Compare = Callable[[str, str], float]


@lru_cache(maxsize=50_000)
def words_of(text: str) -> Words:
    """Return the words of a name to be compared; of a text without letters, the text itself."""
    return tuple(split_words(text)[:_MOST_WORDS]) or tuple(text.casefold().split()[:_MOST_WORDS])


class WordMatcher:
    """Compares one word with others.

    Numbers and short words have to be equal; one letter may be the initial of a word.
    """

    def __init__(self, word: str) -> None:
        self._word = word
        self._may_be_misspelt = word.isalpha() and len(word) > _SHORT_WORD
        self._matcher = SequenceMatcher(None, "", word[:_LONGEST_WORD], autojunk=False)

    def likeness(self, other: str) -> float:
        """Return how alike the words are, 0 where they are different words."""
        if other == self._word:
            return 1.0
        if min(len(other), len(self._word)) == 1:
            return initial_likeness(self._word, other)
        if not self._may_be_misspelt or not other.isalpha() or len(other) <= _SHORT_WORD:
            return 0.0
        self._matcher.set_seq1(other[:_LONGEST_WORD])
        if self._matcher.real_quick_ratio() < ALIKE or self._matcher.quick_ratio() < ALIKE:
            return 0.0
        ratio = self._matcher.ratio()
        return ratio if ratio >= ALIKE else 0.0


def initial_likeness(left: str, right: str) -> float:
    """Return what a single letter counts that is the initial of the other word; 0 for others."""
    short, long = (left, right) if len(left) <= len(right) else (right, left)
    is_initial = len(short) == 1 < len(long) and short.isalpha() and long.startswith(short)
    return INITIAL if is_initial else 0.0


@lru_cache(maxsize=100_000)
def word_likeness(left: str, right: str) -> float:
    """Return how alike two words are, 0 where they are different words."""
    return WordMatcher(left).likeness(right)


def name_likeness(
    given: Words, known: Words, weigh: Weigh, compare: Compare = word_likeness
) -> float:
    """Return how alike two names are, from 0 to 1; rare words count more.

    Twice the weight of the words that both have, over the weight of all words. A misspelt word
    weighs as much as the word that it is taken for.
    """
    if given == known:
        return 1.0
    rest, shared, total = list(known), 0.0, 0.0
    for word in given:
        alike, place = max(
            ((compare(word, other), -i) for i, other in enumerate(rest)), default=(0.0, 0)
        )
        counterpart = rest.pop(-place) if alike else word
        shared += 2 * alike * weigh(counterpart)
        total += weigh(counterpart) * (2 if alike else 1)
    total += sum(map(weigh, rest))
    in_order = _OTHER_ORDER if _are_reordered(given, known) else 1.0
    return in_order * shared / total if total else 0.0


def _are_reordered(given: Sequence[str], known: Sequence[str]) -> bool:
    return given != known and sorted(given) == sorted(known)
