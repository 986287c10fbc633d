"""Names as evidence: what two entities are called, in whole and in pieces of three letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair

WHOLE = Kind(False, False, "name", 8.0)
PIECES = Kind(False, False, "name", 8.0)
_LENGTH = 3  # letters of a piece
_ENOUGH = 0.01  # share of the left names that should be in the right graph too
_NOT_WORDS = re.compile(r"[\W_]+")


def name_tokens(pair: Pair, left: Graph, right: Graph) -> Iterator[tuple[Kind, Tokens]]:
    """Tokens of whole names and of their pieces, for the entities that have a name."""
    names = [*names_of(left), *names_of(right)]
    yield WHOLE, _tokens(pair.n_nodes, [[name] if name else [] for name in names])
    yield PIECES, _tokens(pair.n_nodes, [pieces(name) for name in names])


def few_in_common(left: Graph, right: Graph) -> str | None:
    """What to say where hardly any whole name is in both graphs; None where enough are."""
    called, there = names_of(left), {_words(name) for name in names_of(right)} - {()}
    n_found = sum(_words(name) in there for name in called)
    if n_found >= _ENOUGH * len(called):
        return None
    return (
        f"names: only {n_found:,} of {len(called):,} left entities are called as a right one is; "
        "unless their names are alike in parts, leave --names out"
    )


def _words(name: str) -> tuple[str, ...]:
    """The words of a name in no order: some write the last name first."""
    return tuple(sorted(name.split()))


def names_of(graph: Graph) -> list[str]:
    """What each entity is called, normalised: its name, or else the end of its id."""
    return [normalised(graph.entity_names.get(entity) or entity) for entity in graph.entities]


def normalised(name: str) -> str:
    """Small letters without accents, signs as blanks; of an IRI its last part."""
    if "://" in name:
        name = re.split(r"[/#]", name.rstrip("/#"))[-1]
    letters = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(one for one in letters if not unicodedata.combining(one))
    return _NOT_WORDS.sub(" ", plain).strip()


def pieces(name: str) -> list[str]:
    """All runs of three letters, the ends marked; none for no name."""
    whole = f" {name} "
    return [whole[i : i + _LENGTH] for i in range(len(whole) - _LENGTH + 1)] if name else []


def _tokens(n_nodes: int, words: Sequence[Sequence[str]]) -> Tokens:
    """Distinct words get numbers; each node has its own."""
    number: dict[str, int] = {}
    node = np.repeat(np.arange(n_nodes, dtype=np.int32), [len(some) for some in words])
    token = np.array(
        [number.setdefault(word, len(number)) for some in words for word in some], np.int64
    )
    return Tokens.of(n_nodes, node, token)
