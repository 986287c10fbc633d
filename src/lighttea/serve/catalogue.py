"""A graph prepared for questions: names, types, properties, and the statements of an entity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from lighttea.display import Named, name_graph
from lighttea.explain.search import fold, fold_text
from lighttea.graph.facts import Graph
from lighttea.graph.timeline import UNKNOWN, format_instant, instant_ends
from lighttea.serve.names import NameIndex
from lighttea.serve.periods import Period
from lighttea.serve.postings import group_rows
from lighttea.serve.properties import CONFIDENCE, COUNTERPART, Properties, Property
from lighttea.serve.types import EntityTypes
from lighttea.types import Ints

_NONE = np.empty(0, np.int32)


@dataclass(frozen=True)
class Link:
    """What a run says of an entity: its counterpart in the other graph, and how sure that is."""

    counterpart: Named
    confidence: float


@dataclass(frozen=True)
class Statement:
    """A value of a property of an entity, and its time."""

    relation: int | None
    attribute: int | None
    is_inverse: bool
    entity: int | None  # the value, or
    literal: int | None  # its number
    begin: int  # codes of instants, -1 for unknown
    end: int


@dataclass(frozen=True)
class Catalogue:
    """A graph with the indexes that answer questions about it; `links` are those of a run."""

    graph: Graph
    links: Mapping[int, Link] = field(default_factory=dict)
    given_types: Sequence[tuple[str, str]] = ()  # entity, type

    @cached_property
    def name(self) -> str:
        """What the graph is called."""
        return name_graph(self.graph.name, self.graph.source) or "graph"

    @cached_property
    def names(self) -> NameIndex:
        """The entities by their names."""
        return NameIndex.of(self.graph)

    @cached_property
    def properties(self) -> Properties:
        """What entities can be asked about."""
        own = (
            Property(
                COUNTERPART, "counterpart", description="the linked entity of the other graph"
            ),
            Property(CONFIDENCE, "confidence", description="chance that the link is right"),
        )
        return Properties(self.graph, own if self.links else ())

    def prepare(self) -> None:
        """Make all indexes now, not when the first question comes."""
        _ = self.names, self.properties, self._by_head, self._by_tail, self._by_entity
        _ = self._ids_in_order, self.popularity, self.types, self._seconds, self.graph.entity_ids

    # ------------------------------------------------------------------------------ entities

    def entity(self, number: int) -> Named:
        """Return id and name of an entity."""
        return Named.of(self.graph.entities[number], self.graph.entity_names)

    @cached_property
    def popularity(self) -> Ints:
        """The number of facts of each entity, (n_entities,)."""
        facts = self.graph.facts
        ends = np.concatenate([facts.head, facts.tail])
        return np.bincount(ends, minlength=len(self.graph.entities)).astype(np.int32)

    @cached_property
    def _ids_in_order(self) -> Ints:
        return pl.Series(self.graph.entities, dtype=pl.String).arg_sort().to_numpy()

    def ids_that_begin_with(self, prefix: str, n: int) -> list[int]:
        """Return entities whose ids begin so, in the order of the ids, n at most."""
        order, entities = self._ids_in_order, self.graph.entities
        first, last = 0, len(order)
        wanted = prefix.encode("utf-8", "surrogatepass")  # polars orders by bytes
        while first < last:
            middle = (first + last) // 2
            if entities[int(order[middle])].encode("utf-8", "surrogatepass") < wanted:
                first = middle + 1
            else:
                last = middle
        some = order[first : first + n].tolist()
        return [each for each in some if entities[each].startswith(prefix)]

    @cached_property
    def types(self) -> EntityTypes:
        """The types of the entities."""
        return EntityTypes.of(self.graph, self.given_types)

    # ---------------------------------------------------------------------------- statements

    @cached_property
    def _by_head(self) -> tuple[Ints, Ints]:
        return group_rows(self.graph.facts.head, len(self.graph.entities))

    @cached_property
    def _by_tail(self) -> tuple[Ints, Ints]:
        return group_rows(self.graph.facts.tail, len(self.graph.entities))

    @cached_property
    def _by_entity(self) -> tuple[Ints, Ints]:
        return group_rows(self.graph.attributes.entity, len(self.graph.entities))

    def statements(self, entity: int, prop: Property, most: int) -> list[Statement]:
        """Return the values of a property of an entity in order of time, `most` at most."""
        found: list[Statement] = []
        if prop.relation is not None:
            grouped = self._by_tail if prop.is_inverse else self._by_head
            rows = _rows(grouped, entity)
            own = rows[self.graph.facts.relation[rows] == prop.relation][:most]
            found += self._facts(own, is_inverse=prop.is_inverse)
        if prop.attribute is not None:
            rows = _rows(self._by_entity, entity)
            own = rows[self.graph.attributes.attribute[rows] == prop.attribute][:most]
            found += self._literals(own)
        return sorted(found, key=self._time_order)[:most]

    def all_statements(self, entity: int, most: int) -> list[Statement]:
        """Return what is known of an entity, facts in both directions, `most` of each kind."""
        found = [
            *self._facts(_rows(self._by_head, entity)[:most], is_inverse=False),
            *self._literals(_rows(self._by_entity, entity)[:most]),
            *self._facts(_rows(self._by_tail, entity)[:most], is_inverse=True),
        ]
        return sorted(found, key=lambda each: (each.is_inverse, self._time_order(each)))

    def heads_of(self, relation: int, tail: int, *, is_inverse: bool) -> Ints:
        """Return the entities that have a value of a relation."""
        facts = self.graph.facts
        rows = _rows(self._by_head if is_inverse else self._by_tail, tail)
        own = rows[facts.relation[rows] == relation]
        found: Ints = facts.tail[own] if is_inverse else facts.head[own]
        return found

    def entities_of_literal(self, attribute: int, text: str) -> Ints:
        """Return the entities that have a literal of an attribute, whatever case and accents."""
        own = self.graph.attributes
        is_equal = (self._folded_literals == fold_text(text)).to_numpy()
        rows = is_equal[own.value] & (own.attribute == attribute)
        found: Ints = own.entity[rows]
        return found

    @cached_property
    def _folded_literals(self) -> pl.Series:
        return fold(pl.Series(self.graph.attributes.texts, dtype=pl.String))

    def entities_of_counterpart(self, written: str) -> set[int]:
        """Return the entities whose counterpart has this id or name."""
        return self._by_counterpart.get(written, set())

    @cached_property
    def _by_counterpart(self) -> Mapping[str, set[int]]:
        found: dict[str, set[int]] = {}
        for entity, link in self.links.items():
            for written in (link.counterpart.id, link.counterpart.text):
                found.setdefault(written, set()).add(entity)
        return found

    def _facts(self, rows: Ints, *, is_inverse: bool) -> Iterator[Statement]:
        facts = self.graph.facts
        values = facts.head if is_inverse else facts.tail
        columns = (facts.relation, values, facts.begin, facts.end)
        for relation, value, begin, end in zip(*(c[rows].tolist() for c in columns), strict=True):
            yield Statement(relation, None, is_inverse, value, None, begin, end)

    def _literals(self, rows: Ints) -> Iterator[Statement]:
        own = self.graph.attributes
        columns = (own.attribute, own.value, own.begin, own.end)
        for attribute, value, begin, end in zip(*(c[rows].tolist() for c in columns), strict=True):
            yield Statement(None, attribute, False, None, value, begin, end)

    # --------------------------------------------------------------------------------- times

    @cached_property
    def _seconds(self) -> tuple[Ints, Ints]:
        """The second at which each instant begins and ends."""
        instants = self.graph.instants
        return instants.second, instant_ends(instants)

    def period(self, statement: Statement) -> Period | None:
        """Return when a statement holds; None where nothing is known."""
        if statement.begin == UNKNOWN and statement.end == UNKNOWN:
            return None
        begins, ends = self._seconds
        begin = None if statement.begin == UNKNOWN else int(begins[statement.begin])
        end = None if statement.end == UNKNOWN else int(ends[statement.end])
        return Period(begin, end)

    def time_text(self, statement: Statement) -> str:
        """Return the time of a statement as ISO 8601 has it: `1996`, `1996/1998`, `1996/..`."""
        begin, end = (self._instant_text(code) for code in (statement.begin, statement.end))
        if begin == end:
            return begin
        return f"{begin or '..'}/{end or '..'}"

    def _instant_text(self, code: int) -> str:
        instants = self.graph.instants
        if code == UNKNOWN:
            return ""
        return format_instant(int(instants.second[code]), int(instants.grain[code]))

    def _time_order(self, statement: Statement) -> tuple[bool, int]:
        code = statement.begin if statement.begin != UNKNOWN else statement.end
        return code == UNKNOWN, 0 if code == UNKNOWN else int(self._seconds[0][code])

    # -------------------------------------------------------------------------------- values

    def property_name(self, statement: Statement) -> str:
        """Return what the property of a statement is called."""
        graph = self.graph
        if statement.relation is not None:
            own = graph.relations[statement.relation]
        else:
            own = graph.attributes.names[statement.attribute or 0]
        return Named.of(own, graph.relation_names).text

    def literal(self, statement: Statement) -> tuple[str, str]:
        """Return text and datatype of a literal."""
        number, own = statement.literal or 0, self.graph.attributes
        return own.texts[number], own.datatypes[number]

    def value_text(self, statement: Statement) -> str:
        """Return the value of a statement as a person reads it."""
        if statement.entity is not None:
            return self.entity(statement.entity).text
        return self.literal(statement)[0]


def _rows(grouped: tuple[Ints, Ints], group: int) -> Ints:
    start, order = grouped
    return order[start[group] : start[group + 1]] if len(start) > group + 1 else _NONE
