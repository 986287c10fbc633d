"""One graph: facts with named columns, strings only at the border."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lighttea.graph.timeline import UNKNOWN, Instants, ticks_of, time_kinds
from lighttea.types import Ints


@dataclass(frozen=True)
class Facts:
    """The facts of one graph as columns of dense ids; begin and end are codes of instants."""

    head: Ints
    relation: Ints
    tail: Ints
    begin: Ints  # code into Graph.instants, or -1 for unknown
    end: Ints

    def __post_init__(self) -> None:
        lengths = {len(column) for column in vars(self).values()}
        if len(lengths) > 1:
            raise ValueError(f"the columns of Facts differ in length: {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.head)

    def take(self, order: Ints) -> Facts:
        """These facts in another order, or some of them."""
        return Facts(*(column[order] for column in vars(self).values()))

    def entity_places(self, place_of_code: Ints) -> tuple[Ints, Ints]:
        """Each entity with each place of the times of its facts, once, sorted.

        `place_of_code` lays the codes of instants onto places from 0; -1 leaves them out.
        """
        bits = int(place_of_code.max(initial=0)).bit_length()
        parts = [np.empty(0, np.int64)]
        for codes in (self.begin, np.where(self.end == self.begin, UNKNOWN, self.end)):
            places = ticks_of(codes, place_of_code)
            known = places != UNKNOWN
            parts += [
                (entity[known].astype(np.int64) << bits) + places[known]
                for entity in (self.head, self.tail)
            ]
        packed = np.concatenate(parts)
        packed.sort()
        packed = packed[np.diff(packed, prepend=-1) != 0]
        return (packed >> bits).astype(np.int32), (packed & ((1 << bits) - 1)).astype(np.int32)

    def kinds(self) -> NDArray[np.int8]:
        """The `TimeKind` of each fact."""
        return time_kinds(self.begin, self.end)


@dataclass(frozen=True)
class Graph:
    """A temporal knowledge graph G = (E, R, T, Q): names of entities and relations, and facts.

    `entities` may name entities that no fact mentions. `entity_names` and `relation_names` are
    what people call them where that differs, for display alone. `notes` are remarks of the reader
    that a user should see; `source` and `digest` say where the graph came from.
    """

    entities: Sequence[str]
    relations: Sequence[str]
    facts: Facts
    instants: Instants
    source: str = ""
    digest: str = ""
    notes: tuple[str, ...] = ()
    entity_names: Mapping[str, str] = field(default_factory=dict)
    relation_names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def entity_ids(self) -> dict[str, int]:
        """The id of each entity by its name."""
        return {name: number for number, name in enumerate(self.entities)}

    @property
    def has_time(self) -> bool:
        """Whether any fact has a known time."""
        return bool(((self.facts.begin >= 0) | (self.facts.end >= 0)).any())
