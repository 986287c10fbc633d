"""Relations and types of the entities of the queue, to filter by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from lighttea.display import Named
from lighttea.explain.source import Side
from lighttea.graph.typing import tells_types
from lighttea.types import Bools, Ints

MOST_CHOICES = 200  # of each side, the most frequent ones


@dataclass(frozen=True)
class Choice:
    """A relation or a type that items can be filtered by."""

    value: str  # left: or right: and the id
    named: Named
    n_items: int


class Facets:
    """Which items of the queue have which relation and type, by side.

    An item has a relation where its entity is the head or the tail of such a fact. Types are the
    tails of facts whose relation is called type, instance of or the like.
    """

    def __init__(self, left: Side, right: Side, left_entities: Ints, right_entities: Ints) -> None:
        self._sides = {"left": left, "right": right}
        self._entities = {"left": left_entities, "right": right_entities}
        self.relations = {side: self._relation_choices(side) for side in self._sides}
        self.types = {side: self._type_choices(side) for side in self._sides}
        self._cached = lru_cache(maxsize=64)(self._items_with)

    @property
    def has_types(self) -> bool:
        """Whether one of the sides has types."""
        return any(self.types.values())

    def items_with(self, kind: str, value: str) -> Bools:
        """Mark the items with a relation or a type, (n_items,); none has an unknown one."""
        return self._cached(kind, value)

    def _items_with(self, kind: str, value: str) -> Bools:
        side, _, name = value.partition(":")
        if side not in self._sides:
            return np.zeros(len(self._entities["left"]), bool)
        graph = self._sides[side].graph
        facts, marked = graph.facts, np.zeros(len(graph.entities), bool)
        if kind == "relation":
            known = list(graph.relations)
            chosen = facts.relation == (known.index(name) if name in known else -1)
            marked[facts.head[chosen]] = marked[facts.tail[chosen]] = True
        else:
            chosen = self._is_typing(side)[facts.relation]
            chosen &= facts.tail == graph.entity_ids.get(name, -1)
            marked[facts.head[chosen]] = True
        return marked[self._entities[side]]

    def _is_typing(self, side: str) -> Bools:
        """Mark the relations whose tails are types."""
        graph = self._sides[side].graph
        named = (Named.of(name, graph.relation_names) for name in graph.relations)
        return np.array([tells_types(own) for own in named], bool)

    def _relation_choices(self, side: str) -> list[Choice]:
        graph, n_items = self._sides[side].graph, self._items_by_entity(side)
        facts, n_relations = graph.facts, len(graph.relations)
        ends = np.concatenate([facts.head, facts.tail]).astype(np.int64)
        couples = np.unique(ends * n_relations + np.tile(facts.relation, 2))
        entity, relation = np.divmod(couples, max(n_relations, 1))
        counts = np.bincount(relation, n_items[entity], minlength=n_relations)
        return _choices(side, counts, graph.relations, graph.relation_names)

    def _type_choices(self, side: str) -> list[Choice]:
        graph, n_items = self._sides[side].graph, self._items_by_entity(side)
        facts = graph.facts
        chosen = self._is_typing(side)[facts.relation] if len(facts) else np.zeros(0, bool)
        if not chosen.any():
            return []
        n_entities = len(graph.entities)
        heads, tails = facts.head[chosen].astype(np.int64), facts.tail[chosen]
        head, tail = np.divmod(np.unique(heads * n_entities + tails), n_entities)
        counts = np.bincount(tail, n_items[head], minlength=n_entities)
        return _choices(side, counts, graph.entities, graph.entity_names)

    def _items_by_entity(self, side: str) -> Ints:
        """Return the number of items of each entity, (n_entities,)."""
        n_entities = len(self._sides[side].graph.entities)
        return np.bincount(self._entities[side], minlength=n_entities)


def _choices(side: str, counts: Any, ids: Sequence[str], names: Mapping[str, str]) -> list[Choice]:
    """Return the most frequent choices, most items first; those without an item are left out."""
    order = np.argsort(-counts, kind="stable")[:MOST_CHOICES]
    return [
        Choice(f"{side}:{ids[place]}", Named.of(ids[place], names), int(counts[place]))
        for place in order.tolist()
        if counts[place]
    ]
