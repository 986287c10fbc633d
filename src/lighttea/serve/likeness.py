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


@lru_cache(maxsize=50_000)
def words_of(text: str) -> Words:
    """Return the words of a name to be compared; of a text without letters, the text itself."""
    return tuple(split_words(text)[:_MOST_WORDS]) or tuple(text.casefold().split()[:_MOST_WORDS])


@lru_cache(maxsize=100_000)
def word_likeness(left: str, right: str) -> float:
    """Return how alike two words are, 0 where they are different words.

    Numbers and short words have to be equal; one letter may be the initial of a word.
    """
    if left == right:
        return 1.0
    short, long = sorted((left, right), key=len)
    if len(short) == 1:
        return INITIAL if short.isalpha() and long.startswith(short) else 0.0
    if len(short) <= _SHORT_WORD or not (left.isalpha() and right.isalpha()):
        return 0.0
    matcher = SequenceMatcher(None, left[:_LONGEST_WORD], right[:_LONGEST_WORD], autojunk=False)
    if matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= ALIKE else 0.0


def name_likeness(given: Words, known: Words, weigh: Weigh) -> float:
    """Return how alike two names are, from 0 to 1; rare words count more.

    Twice the weight of the words that both have, over the weight of all words. A misspelt word
    weighs as much as the word that it is taken for.
    """
    if given == known:
        return 1.0
    rest, shared, total = list(known), 0.0, 0.0
    for word in given:
        alike, place = max(
            ((word_likeness(word, other), -i) for i, other in enumerate(rest)), default=(0.0, 0)
        )
        counterpart = rest.pop(-place) if alike else word
        shared += 2 * alike * weigh(counterpart)
        total += weigh(counterpart) * (2 if alike else 1)
    total += sum(map(weigh, rest))
    in_order = _OTHER_ORDER if _are_reordered(given, known) else 1.0
    return in_order * shared / total if total else 0.0


def _are_reordered(given: Sequence[str], known: Sequence[str]) -> bool:
    return given != known and sorted(given) == sorted(known)
