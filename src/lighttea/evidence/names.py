"""Names as evidence: what two entities are called, in whole and in pieces of three letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

from lighttea.engines.base import TokenLists
from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.evidence import PlainTokens
from lighttea.evidence.tokens import TokenKind, make_tokens
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair
from lighttea.types import NumpyArray

WHOLE = TokenKind(False, False, "name", 8.0)
PIECES = TokenKind(False, False, "name", 8.0)
_LENGTH = 3  # letters of a piece
_NOT_WORDS = re.compile(r"[\W_]+")


def name_tokens(pair: Pair, left: Graph, right: Graph) -> Iterator[PlainTokens]:
    """Yield tokens of whole names and of their pieces, for the entities that have a name.

    Decoys have none: whether names can be trusted is told by the facts of namesakes.
    """
    names = [*names_of(left), *names_of(right), *("" for _ in range(pair.n_decoys))]
    yield WHOLE, _tokens(pair, [[name] if name else [] for name in names])
    yield PIECES, _tokens(pair, [split_pieces(name) for name in names])


def names_of(graph: Graph) -> list[str]:
    """Return the normalised name of each entity: its name, or else the end of its id."""
    return [normalise(graph.entity_names.get(entity) or entity) for entity in graph.entities]


def normalise(name: str) -> str:
    """Return small letters without accents, signs as blanks; of an IRI its last part."""
    if "://" in name:
        name = re.split(r"[/#]", name.rstrip("/#"))[-1]
    letters = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(sign for sign in letters if not unicodedata.combining(sign))
    return _NOT_WORDS.sub(" ", plain).strip()


def split_pieces(name: str) -> list[str]:
    """Return all runs of three letters, the ends marked; none for no name."""
    whole = f" {name} "
    return [whole[i : i + _LENGTH] for i in range(len(whole) - _LENGTH + 1)] if name else []


def _tokens(pair: Pair, words: Sequence[Sequence[str]]) -> TokenLists[NumpyArray]:
    """Return the words of each node as tokens."""
    number: dict[str, int] = {}
    node = np.repeat(np.arange(pair.n_nodes, dtype=np.int32), [len(own) for own in words])
    token = np.array(
        [number.setdefault(word, len(number)) for own in words for word in own], np.int64
    )
    return make_tokens(PLAIN, pair.n_nodes, node, token, n_decoys=pair.n_decoys)
