"""A text as words of plain letters: without case, accents, punctuation or a script of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

LONGEST = 200  # characters of a text that are looked at: the beginning of a description is enough
PIECE = 3  # letters of a piece
_APOSTROPHES = re.compile("['`´’‘ʼ]")
_WORD = re.compile(r"[a-z0-9]+")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://(?:www\.)?", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def split_words(text: str) -> list[str]:
    """Return the words of a text in small ASCII letters and digits, in their order.

    Accents go, other scripts are transliterated, apostrophes join: `O’Brien` is `obrien`. An
    address loses its scheme and `www.`.
    """
    return _WORD.findall(_plain(text))


def replace_words(text: str, words: Iterator[str]) -> str:
    """Return a text with other words between the same signs: a date stays a date."""
    return _WORD.sub(lambda _: next(words), _plain(text))


def _plain(text: str) -> str:
    """Return the beginning of a text in small ASCII letters, without apostrophes."""
    text = text[:LONGEST]
    if "://" in text:
        text = unquote(_ADDRESS.sub("", text, count=1))
    if not text.isascii():
        from anyascii import anyascii

        text = anyascii(text)
    return _APOSTROPHES.sub("", text).lower()


def words_of_id(name: str) -> list[str]:
    """Return the words of an id: of an IRI those of its last part, `BarackObama` is two."""
    if "://" in name:
        name = unquote(re.split(r"[/#]", name.rstrip("/#"))[-1])
    return split_words(_CAMEL.sub(" ", name))


def split_pieces(word: str) -> list[str]:
    """Return the pieces of a word: runs of three letters, its ends marked, and its initial.

    The initial alone is a piece too, so that `J. Smith` has something of `John Smith`.
    """
    marked = f" {word} "
    return [marked[:2], *(marked[i : i + PIECE] for i in range(len(marked) - PIECE + 1))]
