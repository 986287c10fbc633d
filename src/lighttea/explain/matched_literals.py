"""The literals of a candidate pair as a person reads them, with what they add to its score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.explain.explanation import ScorePart
from lighttea.explain.literals import DIFFERENT, LiteralCouple
from lighttea.explain.parts import CandidatePair
from lighttea.explain.source import Source
from lighttea.explain.statements import Literal, MatchedLiteral
from lighttea.graph.facts import Graph
from lighttea.graph.timeline import UNKNOWN, format_instants
from lighttea.literals.table import ID
from lighttea.types import Ints


@dataclass(frozen=True)
class PairLiterals:
    """Matched literals, the largest contribution first, and those of one side alone.

    `order` has the numbers that the matched ones have among the couples of the pair.
    """

    matched: tuple[MatchedLiteral, ...]
    order: Sequence[int]
    only_left: tuple[Literal, ...]
    only_right: tuple[Literal, ...]

    @classmethod
    def of(
        cls, source: Source, candidate: CandidatePair, parts: Sequence[ScorePart]
    ) -> PairLiterals:
        """Return the literals of a pair, with the values of these parts of its score."""
        sides = (
            literals_of(source.left.graph, candidate.left_node),
            literals_of(source.right.graph, candidate.right_node - source.pair.n_left),
        )
        couples = candidate.literals.couples
        matched = [_matched(couple, i, sides, parts) for i, couple in enumerate(couples)]
        order = sorted(range(len(couples)), key=lambda number: -abs(matched[number].value))
        places = {couple.left for couple in couples}, {couple.right for couple in couples}
        return cls(
            tuple(matched[number] for number in order),
            order,
            *(_others(own, taken) for own, taken in zip(sides, places, strict=True)),
        )


def _matched(
    couple: LiteralCouple,
    number: int,
    sides: tuple[Sequence[Literal], Sequence[Literal]],
    parts: Sequence[ScorePart],
) -> MatchedLiteral:
    own = [part for part in parts if part.literal == number]
    return MatchedLiteral(
        left=sides[0][couple.left],
        right=sides[1][couple.right],
        how=couple.how,
        contradicts=any(part.term == "contradiction" for part in own),
        value=sum(part.value for part in own),
        exact=all(part.exact for part in own),
    )


def _others(literals: Sequence[Literal], taken: set[int]) -> tuple[Literal, ...]:
    """Return the literals that match none; an id, the last one, is no literal of its own."""
    return tuple(own for place, own in enumerate(literals[:-1]) if place not in taken)


def missing_literals(
    source: Source, candidate: CandidatePair, other: CandidatePair
) -> tuple[Literal, ...]:
    """Return literals of the left entity that are the same or alike here, not at the other pair."""
    here, there = (
        {couple.left for couple in pair.literals.couples if couple.how != DIFFERENT}
        for pair in (candidate, other)
    )
    own = literals_of(source.left.graph, candidate.left_node)
    return tuple(own[place] for place in sorted(here - there))


def literals_of(graph: Graph, entity: int) -> list[Literal]:
    """Return the literals of an entity in their order, its id behind them."""
    own = graph.attributes
    rows = slice(*np.searchsorted(own.entity, [entity, entity + 1]))
    begin, end = (_texts(graph, codes[rows]) for codes in (own.begin, own.end))
    literals = [
        Literal(
            own.names[name],
            own.texts[value],
            own.languages[value],
            first,
            last,
            graph.relation_names.get(own.names[name]),
        )
        for name, value, first, last in zip(
            own.attribute[rows].tolist(), own.value[rows].tolist(), begin, end, strict=True
        )
    ]
    return [*literals, Literal(ID, graph.entities[entity], "", None, None)]


def _texts(graph: Graph, codes: Ints) -> list[str | None]:
    """Return instants as text, None for unknown."""
    known = np.unique(codes[codes != UNKNOWN])
    text = dict(zip(known.tolist(), format_instants(graph.instants.take(known)), strict=True))
    return [text.get(code) for code in codes.tolist()]
