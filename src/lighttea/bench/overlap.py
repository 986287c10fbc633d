"""The facts that two graphs have in common by the true pairs, and graphs that have fewer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.facts import TimedFacts
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.pair import Links, Pair
from lighttea.graph.timeline import UNKNOWN, Instants, Timeline, coarser_ticks, ticks_of
from lighttea.types import Bools, Ints, NumpyArray

NONE = -1  # no common fact, no class of relations, no key


@dataclass(frozen=True)
class CommonFacts:
    """The number of the common fact that each fact states, from 0; -1 for facts of one graph alone.

    Several facts of a graph may state one common fact: with and without a time, or by a relation
    that the other graph does not divide.
    """

    left: Ints  # (n_left_facts,)
    right: Ints

    def numbers(self) -> Ints:
        """Return the common facts that both graphs state."""
        return np.setdiff1d(np.intersect1d(self.left, self.right), [NONE])


def find_common_facts(left: Graph, right: Graph, pairs: Links) -> CommonFacts:
    """Return which facts both graphs state: head and tail are pairs, relation and time fit.

    Relations fit where the pairs that they hold between put them into one class; a relation without
    class fits every other. Times fit where they begin or end alike, also where one is a day and the
    other its month or year; an unknown time fits every other.
    """
    timeline = Timeline.of(left.instants, right.instants)
    ours, theirs = _statements_of(left, right, pairs, timeline)
    n_left, n_keys = len(left.facts), 0
    facts: list[Ints] = [np.empty(0, np.int64)]
    keys: list[Ints] = [np.empty(0, np.int64)]
    for our_key, their_key in _fitting_keys(ours, theirs, timeline.ticks):
        shared = np.setdiff1d(np.intersect1d(our_key, their_key), [NONE])
        for fact, key in ((ours.fact, our_key), (n_left + theirs.fact, their_key)):
            has_shared = np.isin(key, shared)
            facts.append(fact[has_shared])
            keys.append(n_keys + np.searchsorted(shared, key[has_shared]))
        n_keys += len(shared)
    n_facts = n_left + len(right.facts)
    numbers = _number_groups(np.concatenate(facts), np.concatenate(keys), n_facts, n_keys)
    return CommonFacts(numbers[:n_left], numbers[n_left:])


def keep_common_facts(
    left: Graph, right: Graph, common: CommonFacts, share: float, rng: np.random.Generator
) -> tuple[Graph, Graph, int]:
    """Return both graphs with that share of their common facts, and how many those are.

    Of every other common fact either the left or the right version is dropped, by chance, so that
    both graphs shrink alike.
    """
    numbers = rng.permutation(common.numbers())
    n_kept = round(share * len(numbers))
    dropped = numbers[n_kept:]
    drops_left = rng.random(len(dropped)) < 0.5
    left_facts = _without(left.facts, common.left, dropped[drops_left])
    right_facts = _without(right.facts, common.right, dropped[~drops_left])
    return replace(left, facts=left_facts), replace(right, facts=right_facts), n_kept


def _without(facts: Facts, numbers: Ints, dropped: Ints) -> Facts:
    return facts.take(np.flatnonzero(~np.isin(numbers, dropped)))


def _number_groups(facts: Ints, keys: Ints, n_facts: int, n_keys: int) -> Ints:
    """Return a number for facts that are joined by keys, from 0; -1 for facts without a key."""
    n_nodes = n_facts + n_keys
    joined = sp.coo_array((np.ones(len(facts), bool), (facts, n_facts + keys)), (n_nodes,) * 2)
    _, group = sp.csgraph.connected_components(joined, directed=False)
    numbers = np.full(n_facts, NONE, np.int64)
    has_key = np.unique(facts)
    numbers[has_key] = np.unique(group[has_key], return_inverse=True)[1]
    return numbers


# ---------------------------------------------------------------- facts in shared terms


@dataclass(frozen=True)
class Statements:
    """Facts between linked entities, in numbers that mean the same for both graphs."""

    fact: Ints  # its place among the facts of its graph
    couple: Ints  # its head and tail
    relation: Ints  # the class of its relation, or -1
    begin: Ints  # tick, or -1
    end: Ints
    is_inverse: Bools  # head and tail stand swapped

    def take(self, places: Ints | Bools) -> Statements:
        """Return the statements at these places."""
        return Statements(**{name: column[places] for name, column in vars(self).items()})


def _statements_of(
    left: Graph, right: Graph, pairs: Links, timeline: Timeline
) -> tuple[Statements, Statements]:
    """Return the facts between linked entities, of the left and of the right graph.

    Right facts whose inverse relation has a class stand a second time, head and tail swapped.
    """
    pair = Pair.of(left, right)
    linked = LinkedNodes.of(PLAIN, pair, pairs)
    classes = match_relations(PLAIN, TimedFacts(PLAIN, pair, keeps=False), linked).classes()
    classes = classes.reshape(-1, 2)  # (n_relations, 2): itself, its inverse
    n_left = len(left.relations)
    ours = _statements(left.facts, timeline.left_tick, linked, 0, classes[:n_left, 0])
    theirs = right.facts, timeline.right_tick, linked, pair.n_left
    forward = _statements(*theirs, classes[n_left:, 0])
    inverse = _statements(*theirs, classes[n_left:, 1], is_inverse=True)
    return ours, _joined(forward, inverse.take(inverse.relation != NONE))


def _statements(
    facts: Facts,
    tick_of_code: Ints,
    linked: LinkedNodes[NumpyArray],
    first_node: int,
    class_of_relation: Ints,
    *,
    is_inverse: bool = False,
) -> Statements:
    ends = (facts.tail, facts.head) if is_inverse else (facts.head, facts.tail)
    head, tail = (end.astype(np.int64) + first_node for end in ends)
    place = np.flatnonzero(linked.is_linked[head] & linked.is_linked[tail])
    return Statements(
        fact=place,
        couple=linked.name[head[place]] * len(linked.name) + linked.name[tail[place]],
        relation=class_of_relation[facts.relation[place]],
        begin=ticks_of(facts.begin[place], tick_of_code),
        end=ticks_of(facts.end[place], tick_of_code),
        is_inverse=np.full(len(place), is_inverse),
    )


def _joined(*parts: Statements) -> Statements:
    columns = zip(*(vars(part).values() for part in parts), strict=True)
    return Statements(*map(np.concatenate, columns))


# ---------------------------------------------------------------- what fits


def _fitting_keys(
    ours: Statements, theirs: Statements, ticks: Instants
) -> Iterator[tuple[Ints, Ints]]:
    """Yield a key of each left and each right statement, once for every way to compare them.

    Statements with an equal key fit; -1 where a statement is not compared in that way.
    """
    shared = np.intersect1d(ours.couple, theirs.couple)
    sides = [_places_in(shared, side.couple) for side in (ours, theirs)]
    sizes = max(ours.relation.max(initial=0), theirs.relation.max(initial=0)) + 1, len(ticks) + 1
    for relations in _fitting_relations(ours, theirs):
        for times in _fitting_times(ours, theirs, ticks):
            our_key, their_key = (
                _packed(couple, relation, time, sizes)
                for couple, relation, time in zip(sides, relations, times, strict=True)
            )
            yield our_key, their_key


def _fitting_relations(ours: Statements, theirs: Statements) -> Iterator[tuple[Ints, Ints]]:
    """Yield what relations are compared by: their class; nothing, where one has no class."""
    yield ours.relation, theirs.relation
    yield _compared(ours.relation == NONE), _compared(~theirs.is_inverse)
    yield _compared(ours.relation != NONE), _compared(theirs.relation == NONE)


def _fitting_times(
    ours: Statements, theirs: Statements, ticks: Instants
) -> Iterator[tuple[Ints, Ints]]:
    """Yield what times are compared by: begin, end, the month or year of one; nothing, if unknown.

    A tick of -1 is not compared.
    """
    for our_tick, their_tick in ((ours.begin, theirs.begin), (ours.end, theirs.end)):
        yield our_tick, their_tick
        for coarser in coarser_ticks(ticks, np.arange(len(ticks))):
            if (coarser != UNKNOWN).any():
                yield ticks_of(our_tick, coarser), their_tick
                yield our_tick, ticks_of(their_tick, coarser)
    our_unknown, their_unknown = (
        (side.begin == UNKNOWN) & (side.end == UNKNOWN) for side in (ours, theirs)
    )
    yield _compared(our_unknown), np.zeros(len(theirs.fact), np.int64)
    yield _compared(~our_unknown), _compared(their_unknown)


def _compared(mask: Bools) -> Ints:
    """Return 0 for the statements that are compared, -1 for the others."""
    return np.where(mask, 0, NONE)


def _places_in(numbers: Ints, some: Ints) -> Ints:
    """Return the places of some numbers among sorted ones, -1 where they are not there."""
    return np.where(np.isin(some, numbers), np.searchsorted(numbers, some), NONE)


def _packed(couple: Ints, relation: Ints, time: Ints, sizes: tuple[int, int]) -> Ints:
    """Return three columns as one number, -1 where one of them is -1."""
    n_relations, n_ticks = sizes
    packed = (couple.astype(np.int64) * n_relations + relation) * n_ticks + time
    return np.where((couple == NONE) | (relation == NONE) | (time == NONE), NONE, packed)
