"""The literals of two entities side by side: same, alike or different, and what that counts.

A word, a piece of a word, a whole value or a number that both entities have counts for a couple of
literals that has it: of several, the one whose attributes say the same, else the one with most in
common. What is left over where no two literals are alike is scattered and told as one part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.tables import TokenLists
from lighttea.evidence.conflicts import ValueConflict, conflict_terms
from lighttea.evidence.literals import NUMBERS, PIECES, WORDS, LiteralEvidence, literal_tokens
from lighttea.literals.kinds import parse_date, parse_number
from lighttea.literals.text import LONGEST, split_words
from lighttea.types import Bools, Ints, NumpyArray

SAME, ALIKE, DIFFERENT = "same", "alike", "differs"
LEAST_ALIKE = 0.3  # of the words and pieces of the shorter of two literals, by weight
_MATCHED = 2.0  # in the rank of a couple: more than any share that two literals have in common

Couple = tuple[int, int]  # places among the literals of the left and of the right entity


@dataclass(frozen=True)
class LiteralCouple:
    """A literal of the left entity and one of the right, and how they compare."""

    left: int  # places among the literals of the two entities
    right: int
    how: str  # same, alike or differs


@dataclass(frozen=True)
class ComparedLiterals:
    """Couples of literals of two entities, and what they count.

    `consensus` has the number of a couple, or None, and its share of the summed weights of kinds;
    `contradictions` the number of a couple and what it counts against the pair, in scales.
    """

    couples: Sequence[LiteralCouple] = ()
    consensus: Sequence[tuple[int | None, float]] = ()
    contradictions: Sequence[tuple[int, float]] = ()


@dataclass(frozen=True)
class LiteralRows:
    """The tokens of each literal, numbered as the tokens of entities are."""

    evidence: LiteralEvidence
    start: Ints  # (n_nodes + 1,) first literal of each entity
    tokens: Sequence[TokenLists[NumpyArray]]  # kind by kind, by literal
    classes: Ints  # (n_attributes,) one number for attributes that say the same, or -1

    @classmethod
    def of(cls, evidence: LiteralEvidence) -> LiteralRows:
        """Return the literals of both graphs; the same function makes the tokens of entities."""
        table, matches = evidence.table, evidence.matches
        by_row = replace(
            table,
            node=np.arange(len(table), dtype=np.int32),
            n_left=int(table.is_left.sum()),
            n_nodes=len(table),
            n_decoys=0,
        )
        kinds = literal_tokens(by_row, evidence.usable, matches)
        none = np.full(table.n_attributes, -1, np.int32)
        return cls(
            evidence,
            np.searchsorted(table.node, np.arange(table.n_nodes + 1)),
            [tokens for _, tokens in kinds],
            none if matches is None else matches.classes(),
        )

    def of_node(self, node: int) -> slice:
        """Return the rows of an entity; the last one is its id."""
        return slice(int(self.start[node]), int(self.start[node + 1]))


def compare_literals(rows: LiteralRows, left: int, right: int) -> ComparedLiterals:
    """Return how the literals of two nodes compare, and what that counts."""
    return _Comparison(rows, left, right).compare()


@dataclass(frozen=True)
class _SharedToken:
    """A token of both entities: what it counts, and which of their literals have it."""

    value: float
    left: list[int]
    right: list[int]


class _Comparison:
    """Compares each literal of one entity with each literal of the other."""

    def __init__(self, rows: LiteralRows, left: int, right: int) -> None:
        self._rows, self._nodes = rows, (left, right)
        self._sides = rows.of_node(left), rows.of_node(right)
        table = rows.evidence.table
        self._attributes = [table.attribute[side] for side in self._sides]
        self._texts = [[table.texts[v] for v in table.value[side]] for side in self._sides]
        shape = len(self._texts[0]), len(self._texts[1])
        self._common, self._close = np.zeros(shape), np.zeros(shape, bool)
        self._weights = [np.zeros(n) for n in shape]
        self._shared = list(self._shared_tokens())
        lighter = np.minimum(self._weights[0][:, None], self._weights[1][None, :])
        self._alike = self._common / np.maximum(lighter, 1e-9)
        self._is_match = self._have_same_class()
        self._rank = self._alike + _MATCHED * self._is_match

    def compare(self) -> ComparedLiterals:
        """Return the couples, those of tokens first, then those that add nothing."""
        against = dict(self._contradictions())
        values: defaultdict[Couple | None, float] = defaultdict(float)
        for token in self._shared:
            couple = self._best(token.left, token.right)
            is_told = couple in against or self._is_told(*couple)
            values[couple if is_told else None] += token.value
        couples = list(dict.fromkeys([*(c for c in values if c is not None), *against]))
        couples += self._couples_of_the_rest(couples)
        number: dict[Couple | None, int | None] = {c: i for i, c in enumerate(couples)}
        number[None] = None
        return ComparedLiterals(
            [LiteralCouple(*c, DIFFERENT if c in against else self._how(*c)) for c in couples],
            [(number[couple], value) for couple, value in values.items()],
            [(couples.index(couple), scales) for couple, scales in against.items()],
        )

    def _shared_tokens(self) -> Iterator[_SharedToken]:
        """Yield the tokens of both, kind by kind, and note what the literals have in common."""
        evidence = self._rows.evidence
        for (kind, of_nodes), of_rows in zip(evidence.tokens, self._rows.tokens, strict=True):
            left, right = (_holders(of_rows, side) for side in self._sides)
            length = float(of_nodes.length[self._nodes[0]] * of_nodes.length[self._nodes[1]])
            if kind in (WORDS, PIECES):
                self._add_weights(of_nodes, (left, right))
            for token in left.keys() & right.keys() if length > 0 else ():
                weight = float(of_nodes.weight[token])
                places = np.ix_(left[token], right[token])
                self._common[places] += weight * (kind in (WORDS, PIECES))
                self._close[places] |= kind == NUMBERS
                value = kind.weight * weight / length
                yield _SharedToken(value, left[token], right[token])

    def _add_weights(
        self, tokens: TokenLists[NumpyArray], sides: Sequence[dict[int, list[int]]]
    ) -> None:
        for weights, holders in zip(self._weights, sides, strict=True):
            for token, places in holders.items():
                weights[places] += tokens.weight[token]

    def _have_same_class(self) -> Bools:
        left, right = (self._rows.classes[attributes] for attributes in self._attributes)
        return np.asarray((left[:, None] == right[None, :]) & (left >= 0)[:, None])

    def _best(self, left: list[int], right: list[int]) -> Couple:
        """Return the couple of the highest rank among these literals."""
        place = int(self._rank[np.ix_(left, right)].argmax())
        return left[place // len(right)], right[place % len(right)]

    def _how(self, left: int, right: int) -> str:
        if self._alike[left, right] > 0 and are_same(self._texts[0][left], self._texts[1][right]):
            return SAME
        is_alike = self._alike[left, right] >= LEAST_ALIKE or self._close[left, right]
        return ALIKE if is_alike else DIFFERENT

    def _is_told(self, left: int, right: int) -> bool:
        """Whether two literals are alike, or the only values of matching attributes."""
        if self._how(left, right) != DIFFERENT:
            return True
        return bool(self._is_match[left, right]) and all(
            (attributes == attributes[place]).sum() == 1
            for attributes, place in zip(self._attributes, (left, right), strict=True)
        )

    def _couples_of_the_rest(self, couples: Sequence[Couple]) -> Iterator[Couple]:
        """Yield couples of literals that are in no couple yet; they add nothing to the score."""
        taken = {left for left, _ in couples}, {right for _, right in couples}
        for place in range(self._rank.size and self._rank.shape[0]):
            couple = place, int(self._rank[place].argmax())
            if place not in taken[0] and self._is_told(*couple):
                taken[1].add(couple[1])
                yield couple
        for place in range(self._rank.size and self._rank.shape[1]):
            couple = int(self._rank[:, place].argmax()), place
            if place not in taken[1] and self._is_told(*couple):
                yield couple

    def _contradictions(self) -> Iterator[tuple[Couple, float]]:
        """Yield couples of literals that differ but must not, and what that costs, in scales."""
        for conflict in self._rows.evidence.conflicts:
            scales = _count_conflict(conflict, *self._nodes)
            if scales < 0:
                left, right = (
                    np.flatnonzero(attributes == number).tolist()
                    for attributes, number in zip(
                        self._attributes, (conflict.left, conflict.right), strict=True
                    )
                )
                yield self._best(left, right), scales


def _count_conflict(conflict: ValueConflict, left: int, right: int) -> float:
    """Return what the values of two nodes count against them, in scales."""
    index = np.zeros((1, 1), np.int32)
    nodes = np.array([left]), np.array([right])
    weights = conflict.similar, conflict.different
    return float(conflict_terms(PLAIN, conflict.tokens, *nodes, index, *weights)[0, 0])


def _holders(tokens: TokenLists[NumpyArray], rows: slice) -> dict[int, list[int]]:
    """Return the tokens of some literals, each with the places of those that have it."""
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for place, row in enumerate(range(rows.start, rows.stop)):
        for token in tokens.token[tokens.start[row] : tokens.start[row + 1]].tolist():
            holders[token].append(place)
    return holders


def are_same(left: str, right: str) -> bool:
    """Whether two texts say the same: the same words in their order, one date or one number."""
    if max(len(left), len(right)) > LONGEST:  # of which evidence sees the beginning
        return left == right
    if split_words(left) and "".join(split_words(left)) == "".join(split_words(right)):
        return True
    dates, numbers = (
        [parse(text.strip()) for text in (left, right)] for parse in (parse_date, parse_number)
    )
    return any(both[0] is not None and both[0] == both[1] for both in (dates, numbers))
