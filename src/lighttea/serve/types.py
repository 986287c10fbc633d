"""The types of the entities of a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.display import Named
from lighttea.explain.search import fold_text
from lighttea.graph.facts import Graph
from lighttea.graph.typing import tells_types
from lighttea.serve.postings import group_rows
from lighttea.types import Bools, Ints

ANY_TYPE = Named("@entity", "Entity")
_SHOWN = 10  # types of an entity


@dataclass(frozen=True)
class EntityTypes:
    """The types of a graph, the most frequent first, and which of them each entity has."""

    types: Sequence[Named]
    start: Ints  # those of entity e are numbers[start[e]:start[e + 1]]
    numbers: Ints

    @classmethod
    def of(cls, graph: Graph, given: Iterable[tuple[str, str]] = ()) -> EntityTypes:
        """Return the types of a table of entities and types, or else of facts and literals."""
        rows = _given(graph, given) or _told(graph)
        counted = Counter(kind for _, kind in rows)
        ordered = sorted(counted, key=lambda kind: (-counted[kind], kind))
        number = {kind: place for place, kind in enumerate(ordered)}
        entities = np.array([entity for entity, _ in rows], np.int32)
        numbers = np.array([number[kind] for _, kind in rows], np.int32)
        start, order = group_rows(entities, len(graph.entities))
        named = [Named.of(kind, graph.entity_names) for kind in ordered]
        return cls(named, start, numbers[order])

    def of_entity(self, entity: int) -> list[Named]:
        """Return the types of an entity; that of all entities where none is known."""
        return [self.types[number] for number in self._numbers(entity)[:_SHOWN]] or [ANY_TYPE]

    def has(self, entity: int, wanted: Iterable[str], *, all_of_them: bool = False) -> bool:
        """Whether an entity has one of these types, or all; every one has that of all entities."""
        own = {ANY_TYPE.id, *(self.types[number].id for number in self._numbers(entity))}
        return (all if all_of_them else any)(each in own for each in wanted)

    def _numbers(self, entity: int) -> list[int]:
        found: list[int] = self.numbers[self.start[entity] : self.start[entity + 1]].tolist()
        return found

    def begin_with(self, prefix: str) -> list[Named]:
        """Return the types with a word of the name, or an id, that begins so."""
        folded = fold_text(prefix[:1_000])
        return [
            each
            for each in self.types or [ANY_TYPE]
            if f" {folded}" in f" {fold_text(each.text)}" or each.id.startswith(prefix)
        ]


def _given(graph: Graph, rows: Iterable[tuple[str, str]]) -> list[tuple[int, str]]:
    known = graph.entity_ids
    return [(known[own], kind) for own, kind in rows if own in known]


def _told(graph: Graph) -> list[tuple[int, str]]:
    """Return the entities with the types that facts and literals tell."""
    facts, literals = graph.facts, graph.attributes
    is_typing = _are_typing(graph, graph.relations)[facts.relation]
    ends = zip(facts.head[is_typing].tolist(), facts.tail[is_typing].tolist(), strict=True)
    found = [(head, graph.entities[tail]) for head, tail in ends]
    is_typing = _are_typing(graph, literals.names)[literals.attribute]
    rows = zip(literals.entity[is_typing].tolist(), literals.value[is_typing].tolist(), strict=True)
    return found + [(entity, literals.texts[value]) for entity, value in rows]


def _are_typing(graph: Graph, ids: Sequence[str]) -> Bools:
    """Mark the relations or attributes that tell types; there is one more than ids."""
    named = (Named.of(own, graph.relation_names) for own in ids)
    return np.array([*map(tells_types, named), False], bool)
