"""In what two entities of one graph can differ: exclusive relations, moments, lives and values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lighttea.duplicates.candidates import CandidatePairs
from lighttea.duplicates.difference import Difference
from lighttea.duplicates.exclusive import exclusive_differences
from lighttea.duplicates.facts import EntityFacts
from lighttea.evidence.conflicts import ALIKE, cosines_of_values, have_one_value, value_tokens
from lighttea.evidence.disagreement import (
    ClassMoments,
    SideMoments,
    days_between,
    lives_of,
    moments_by_class,
)
from lighttea.evidence.moments import FAR_DAYS, Moments
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair
from lighttea.literals.table import LiteralTable
from lighttea.types import Bools, Ints

# share of pairs that differ although they are one: sources make mistakes
OTHER_MOMENT, OTHER_LIFE, OTHER_VALUE, JOINED = 0.05, 0.02, 0.1, 0.005


def find_differences(
    graph: Graph, facts: EntityFacts, pair: Pair, table: LiteralTable | None, pairs: CandidatePairs
) -> list[Difference]:
    """Return all in which candidate pairs can differ."""
    found = [*exclusive_differences(graph, facts, pairs), _joined(facts, pairs)]
    if pair.has_time:
        found += _moment_differences(graph, pair, pairs)
    if table is not None:
        found += _value_differences(table, pairs)
    return [own for own in found if len(own.place)]


def _joined(facts: EntityFacts, pairs: CandidatePairs) -> Difference:
    """Return which pairs a fact joins: nobody is married to oneself."""
    n = int(facts.entity.max(initial=0)) + 1
    keys = np.unique(facts.entity * n + facts.neighbour)
    every = np.arange(len(pairs))
    return Difference(
        "a fact joins the two",
        every,
        np.isin(pairs.one * n + pairs.other, keys).astype(np.int64),
        JOINED,
        speaks_for=False,
    )


def _moment_differences(graph: Graph, pair: Pair, pairs: CandidatePairs) -> Iterator[Difference]:
    """Yield which pairs know when something happened to them that happens once, and differ."""
    moments = Moments.of(pair)
    classes = np.arange(pair.n_relations) % (pair.n_relations // 2)  # either side's own
    seen: set[bytes] = set()
    for own in moments_by_class(moments, classes, pair.n_left):
        digest = own.left.place.tobytes() + own.left.low.tobytes()
        if digest not in seen:  # the inverse of a fact with oneself says the same again
            seen.add(digest)
            name = f"when {graph.relations[own.number // 2]}"
            yield _compare_days(name, own, pairs, OTHER_MOMENT, speaks_for=True)
    lives = lives_of(moments, pair.n_left)
    yield _compare_days("lives", lives, pairs, OTHER_LIFE, speaks_for=False)


def _compare_days(
    name: str, own: ClassMoments, pairs: CandidatePairs, among_same: float, *, speaks_for: bool
) -> Difference:
    """Return which pairs know a moment, and which of them have no day of it in common."""
    (known, first), (other_known, second) = (
        _days_of(own.left, entities) for entities in (pairs.one, pairs.other)
    )
    place = np.flatnonzero(known & other_known)
    differs = days_between(first.take(place), second.take(place)) >= 0
    return Difference(name, place, differs.astype(np.int64), among_same, speaks_for)


def _days_of(side: SideMoments, entities: Ints) -> tuple[Bools, SideMoments]:
    """Return which entities know a moment, and the moments of all; without limit where not."""
    n = int(max(entities.max(initial=0), side.place.max(initial=0))) + 1
    known = np.zeros(n, bool)
    low, high = np.full(n, -FAR_DAYS), np.full(n, FAR_DAYS)
    known[side.place], low[side.place], high[side.place] = True, side.low, side.high
    return known[entities], SideMoments(entities, low[entities], high[entities])


def _value_differences(table: LiteralTable, pairs: CandidatePairs) -> Iterator[Difference]:
    """Yield which pairs have a value of an attribute that has one, and differ in it."""
    single = have_one_value(table)
    n = table.n_left_attributes
    for attribute in np.flatnonzero(single[: n - 1]).tolist():  # the last one is the id
        tokens = value_tokens(table, attribute, attribute + n)
        is_known = np.diff(tokens.start) > 0
        place = np.flatnonzero(is_known[pairs.one] & is_known[pairs.other])
        alike = cosines_of_values(tokens, table, pairs.one[place], pairs.other[place])
        name = f"attribute {table.names[attribute]}"
        differs = (alike < ALIKE).astype(np.int64)
        yield Difference(name, place, differs, OTHER_VALUE, speaks_for=True)
