"""Both graphs as one set of facts: inverse relations added, duplicates removed (section 4.1).

The two graphs share nothing but their ticks. They are laid into one node space, left entities
first, so that the paper's equations hold as printed: no matrix couples the two sides except
through T*. This module alone converts between left ids, right ids and nodes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np

from lighttea.graph.decoys import Decoys
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.keys import Keys, mix_keys
from lighttea.graph.timeline import UNKNOWN, Instants, Timeline, coarser_ticks, ticks_of
from lighttea.types import Bools, Ints, LeftIds, Nodes, RightIds


@dataclass(frozen=True)
class Links:
    """Known links (the paper's S), as ids of the two sides, row by row."""

    left: LeftIds
    right: RightIds

    @classmethod
    def none(cls) -> Links:
        """Return no links."""
        return cls(LeftIds(np.empty(0, np.int32)), RightIds(np.empty(0, np.int32)))

    def __len__(self) -> int:
        return len(self.left)

    def take(self, places: Ints | Bools | slice) -> Links:
        """Return the links at these places."""
        return Links(LeftIds(self.left[places]), RightIds(self.right[places]))

    def digest(self) -> str:
        """sha256 of the links' ids."""
        ids = np.stack([self.left, self.right]).astype(np.int64)
        return "sha256:" + hashlib.sha256(ids.tobytes()).hexdigest()

    def share_in(self, others: Links) -> float:
        """Return the share of these links that is among the others; 0 where there are none."""
        if not len(self) or not len(others):
            return 0.0
        partner = np.full(max(self.left.max(), others.left.max()) + 1, -1, np.int64)
        partner[others.left] = others.right
        return int((partner[self.left] == self.right).sum()) / len(self)

    def agrees_with(self, others: Links, share: float) -> bool:
        """Return whether less than that share of these links, and of the others, is not in both."""
        if not share or not len(self) or not len(others):
            return False
        return min(self.share_in(others), others.share_in(self)) > 1 - share

    def without(self, others: Links) -> Links:
        """Return the links whose left entity is not a left entity of the others."""
        kept = ~np.isin(self.left, others.left)
        return Links(LeftIds(self.left[kept]), RightIds(self.right[kept]))

    def extended(self, others: Links) -> Links:
        """Return these links, then the others."""
        return Links(
            LeftIds(np.concatenate([self.left, others.left])),
            RightIds(np.concatenate([self.right, others.right])),
        )


_LEFT, _RIGHT = 1, 2  # make keys of one name differ between the sides


def _no_right_ids() -> RightIds:
    return RightIds(np.empty(0, np.int32))


@dataclass(frozen=True)
class Spans:
    """The facts that last from one tick to a later one, in both directions, sorted by head."""

    head: Nodes
    relation: Ints
    tail: Nodes
    begin: Ints  # ticks
    end: Ints

    def __len__(self) -> int:
        return len(self.head)


@dataclass(frozen=True)
class Pair:
    """The distinct facts of both graphs in both directions, sorted by head, one tick per row.

    Decoys, where there are any, are the last nodes. Their facts end in right entities and have no
    inverse, so nothing that is real depends on them.
    """

    n_left: int
    n_right: int  # decoys not counted
    n_relations: int  # inverses counted
    ticks: Instants
    head: Nodes
    relation: Ints
    tail: Nodes
    tick: Ints  # or -1 for unknown
    spans: Spans
    left_has_time: bool
    right_has_time: bool
    left_keys: Keys  # of the entities, by which chance decides about them
    right_keys: Keys
    decoy_source: RightIds = field(default_factory=_no_right_ids)  # what decoys are made from

    @classmethod
    def of(
        cls,
        left: Graph,
        right: Graph,
        *,
        timed: bool = True,
        mixed_granularity: bool = False,
        decoys: Decoys | None = None,
    ) -> Pair:
        """Return both graphs in one node space.

        Without `timed`, facts that differ in their time alone count once. With `mixed_granularity`
        a fact of a day also counts in the month and the year of that day, where the other side has
        times of that granularity.
        """
        timeline = Timeline.of(left.instants, right.instants)
        facts = list(_joint_facts(left, right, timeline))
        known = [own[3:].ravel() for own in facts]  # the ticks of either side
        if decoys is not None:
            of_decoys = _decoy_facts(left, right, decoys, timeline)
            facts[1] = np.concatenate([facts[1], of_decoys], axis=1)
        rows = [_rows(own, timed=timed) for own in facts]
        if timed and mixed_granularity:
            rows = [
                _with_coarser(own, coarser_ticks(timeline.ticks, others))
                for own, others in zip(rows, reversed(known), strict=True)
            ]
        head, relation, tail, tick = _distinct(np.concatenate(rows, axis=1))
        return cls(
            n_left=len(left.entities),
            n_right=len(right.entities),
            n_relations=2 * (len(left.relations) + len(right.relations)),
            ticks=timeline.ticks,
            head=Nodes(head),
            relation=relation,
            tail=Nodes(tail),
            tick=tick,
            spans=_spans(np.concatenate(facts, axis=1)[:, : None if timed else 0]),
            left_has_time=left.has_time,
            right_has_time=right.has_time,
            left_keys=mix_keys(left.entity_keys, _LEFT),
            right_keys=mix_keys(right.entity_keys, _RIGHT),
            decoy_source=decoys.source if decoys is not None else _no_right_ids(),
        )

    @property
    def n_entities(self) -> int:
        """The number of entities of both sides."""
        return self.n_left + self.n_right

    @property
    def n_decoys(self) -> int:
        """The number of decoys, the last nodes."""
        return len(self.decoy_source)

    @property
    def n_nodes(self) -> int:
        """The number of entities of both sides and of decoys."""
        return self.n_entities + self.n_decoys

    @property
    def n_ticks(self) -> int:
        """The size of T*."""
        return len(self.ticks)

    @property
    def has_time(self) -> bool:
        """Whether both sides have times; those of one side alone cannot be compared."""
        return self.left_has_time and self.right_has_time

    @property
    def timed_share(self) -> float:
        """The share of facts with a known time, of the side that has fewer."""
        is_left, is_timed = self.head < self.n_left, self.tick != UNKNOWN
        sides = (is_timed[is_left], is_timed[~is_left])
        return min((float(side.mean()) if len(side) else 0.0) for side in sides)

    @property
    def all_left(self) -> LeftIds:
        """Every left entity."""
        return LeftIds(np.arange(self.n_left, dtype=np.int32))

    @property
    def all_right(self) -> RightIds:
        """Every right entity."""
        return RightIds(np.arange(self.n_right, dtype=np.int32))

    @property
    def decoys(self) -> RightIds:
        """The ids of the decoys: right ids past those of the right entities."""
        return RightIds(np.arange(self.n_right, self.n_right + self.n_decoys, dtype=np.int32))

    def without_decoys(self, ids: RightIds) -> RightIds:
        """Return right ids where each decoy is replaced by the entity that it is made from."""
        is_decoy = ids >= self.n_right
        if not is_decoy.any():
            return ids
        source = self.decoy_source[np.where(is_decoy, ids - self.n_right, 0)]
        return RightIds(np.where(is_decoy, source, ids).astype(np.int32))

    def left_nodes(self, ids: LeftIds) -> Nodes:
        """Return the nodes of left entities in the joint space."""
        return Nodes(ids)

    def right_nodes(self, ids: RightIds) -> Nodes:
        """Return the nodes of right entities in the joint space."""
        return Nodes(ids + self.n_left)


def _joint_facts(left: Graph, right: Graph, timeline: Timeline) -> tuple[Ints, Ints]:
    """Return the facts of each side in both directions, in the joint space.

    Columns of head, relation, tail, begin and end: relation r is 2r, its inverse 2r + 1.
    """
    return (
        _both_directions(_with_ticks(left.facts, timeline.left_tick)),
        _both_directions(
            _with_ticks(right.facts, timeline.right_tick)
            + _shift(len(left.entities), len(left.relations), len(left.entities))
        ),
    )


def _decoy_facts(left: Graph, right: Graph, decoys: Decoys, timeline: Timeline) -> Ints:
    """Return the facts of decoys in the joint space, in the direction that starts at the decoy."""
    first_decoy = len(left.entities) + len(right.entities)
    shift = _shift(first_decoy, len(left.relations), len(left.entities))
    forward, backward = (
        _with_ticks(facts, timeline.right_tick) + shift
        for facts in (decoys.forward, decoys.backward)
    )
    forward[1], backward[1] = 2 * forward[1], 2 * backward[1] + 1
    return np.concatenate([forward, backward], axis=1)


def _with_ticks(facts: Facts, tick_of_code: Ints) -> Ints:
    """Return head, relation, tail, begin and end as rows of an array."""
    begin, end = ticks_of(facts.begin, tick_of_code), ticks_of(facts.end, tick_of_code)
    return np.stack([facts.head, facts.relation, facts.tail, begin, end]).astype(np.int64)


def _shift(head: int, relation: int, tail: int) -> Ints:
    return np.array([head, relation, tail, 0, 0])[:, None]


def _both_directions(facts: Ints) -> Ints:
    """Return each fact and its inverse: relation r becomes 2r, its inverse 2r + 1."""
    head, relation, tail, begin, end = facts
    return np.concatenate(
        [
            np.stack([head, 2 * relation, tail, begin, end]),
            np.stack([tail, 2 * relation + 1, head, begin, end]),
        ],
        axis=1,
    )


def _rows(facts: Ints, *, timed: bool) -> Ints:
    """Return head, relation, tail and tick as rows of an array, a column for each end of a time.

    An interval counts as its two end points, as in the paper; a fact without time keeps one
    column with tick -1.
    """
    triple, begin, end = facts[:3], facts[3], facts[4]
    if not timed:
        return np.concatenate([triple, np.full((1, triple.shape[1]), UNKNOWN)])
    only_end = (end != UNKNOWN) & (end != begin)
    keep_begin = (begin != UNKNOWN) | (end == UNKNOWN)
    return np.concatenate(
        [
            np.concatenate([triple[:, keep_begin], begin[None, keep_begin]]),
            np.concatenate([triple[:, only_end], end[None, only_end]]),
        ],
        axis=1,
    )


def _with_coarser(rows: Ints, coarser: Ints) -> Ints:
    """Return the columns, and those whose tick lies in a coarser one again with that one."""
    extra = []
    for coarser_tick in coarser if coarser.shape[1] else ():
        tick = np.where(rows[3] == UNKNOWN, UNKNOWN, coarser_tick[rows[3]])
        has_coarser = tick != UNKNOWN
        extra.append(np.concatenate([rows[:3, has_coarser], tick[None, has_coarser]]))
    return np.concatenate([rows, *extra], axis=1)


def _spans(facts: Ints) -> Spans:
    """Return the facts with a begin and a later end, once."""
    begin, end = facts[3], facts[4]
    long = facts[:, (begin != UNKNOWN) & (end > begin)]  # ticks are in order of time
    head, relation, tail, begin, end = long
    head, tail, relation, begin, end = sorted_distinct(head, tail, relation, begin, end)
    return Spans(Nodes(head), relation, Nodes(tail), begin, end)


def _distinct(rows: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the distinct columns of the rows, sorted by head, tail, relation, tick."""
    head, relation, tail, tick = rows
    head, tail, relation, tick = sorted_distinct(head, tail, relation, tick)
    return head, relation, tail, tick


def sorted_distinct(*columns: Ints) -> tuple[Ints, ...]:
    """Return the distinct rows of whole-number columns (-1 or more), sorted by the first column.

    Where a row fits into 63 bits it is sorted as one number: ten times as fast.
    """
    bits = [int(column.max(initial=0) + 1).bit_length() for column in columns]
    if sum(bits) > 63:
        order = np.lexsort(columns[::-1])
        columns = tuple(column[order] for column in columns)
        new = starts_of_runs(*columns)
        return tuple(column[new].astype(np.int32) for column in columns)
    packed = np.zeros(len(columns[0]), np.int64)
    for column, width in zip(columns, bits, strict=True):
        packed <<= width
        packed += column
        packed += 1
    packed.sort()
    packed = packed[starts_of_runs(packed)]
    unpacked = []
    for width in reversed(bits):
        unpacked.append((packed & ((1 << width) - 1)).astype(np.int32) - np.int32(1))
        packed >>= width
    return tuple(reversed(unpacked))


def starts_of_runs(*columns: Ints) -> Bools:
    """Mark the rows of sorted columns that differ from the row before them."""
    new = np.ones(len(columns[0]), bool)
    if len(new):
        new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return new


def distinct_numbers(array: Ints) -> Ints:
    """Return the distinct numbers of an array, rising.

    Sorting whole numbers takes a fiftieth of the time in which numpy's `unique` counts them.
    """
    rising = np.sort(array)
    return rising[starts_of_runs(rising)]
