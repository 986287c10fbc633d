"""What entities can be asked about: relations in both directions, attributes, and times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.display import Named
from lighttea.explain.search import fold_text
from lighttea.graph.facts import Graph

TIME = "@time"
COUNTERPART, CONFIDENCE = "@counterpart", "@confidence"
_INVERSE = "^"
_TIME_WORDS = {"time", "year", "date", "when", "period"}


@dataclass(frozen=True)
class Property:
    """A relation, an attribute, or both where they have one id; or the times of these.

    `@time` has none of the numbers: it is the time of whatever else is asked for.
    """

    id: str
    name: str
    relation: int | None = None
    attribute: int | None = None
    is_inverse: bool = False
    is_time: bool = False
    n_values: int = 0
    description: str = ""


class Properties:
    """The properties of a graph by id and by name."""

    def __init__(self, graph: Graph, more: Sequence[Property] = ()) -> None:
        named = list(_of_graph(graph))
        times = [_time_of(each) for each in named if not each.is_inverse]
        any_time = Property(
            TIME, "time", is_time=True, description="time of the other properties, or of any fact"
        )
        named.sort(key=lambda each: (-each.n_values, each.id))
        self.all: Sequence[Property] = (*more, any_time, *named, *times)
        self._by_id = {each.id: each for each in reversed(self.all)}
        self._by_name: dict[str, Property] = {}
        for each in self.all:
            self._by_name.setdefault(fold_text(each.name), each)

    def find(self, written: str) -> Property | None:
        """Return the property of an id, or else of a name; None for an unknown one.

        `time` and `year` are the time of the other properties, unless the graph has such a
        property itself.
        """
        if written in self._by_id:
            return self._by_id[written]
        folded = fold_text(written[:1_000])
        named = self._by_name.get(folded)
        return self._by_id[TIME] if named is None and folded in _TIME_WORDS else named

    def begin_with(self, prefix: str) -> list[Property]:
        """Return the properties with a word of the name, or an id, that begins so."""
        folded = fold_text(prefix[:1_000])
        return [
            each
            for each in self.all
            if f" {fold_text(each.name)}".find(f" {folded}") >= 0 or each.id.startswith(prefix)
        ]


def _of_graph(graph: Graph) -> Iterable[Property]:
    n_facts = np.bincount(graph.facts.relation, minlength=len(graph.relations)).tolist()
    literals = graph.attributes
    n_literals = np.bincount(literals.attribute, minlength=len(literals.names)).tolist()
    relations = {own: number for number, own in enumerate(graph.relations)}
    attributes = {own: number for number, own in enumerate(literals.names)}
    for own in dict.fromkeys((*relations, *attributes)):
        name = Named.of(own, graph.relation_names).text
        relation, attribute = relations.get(own), attributes.get(own)
        counts = (n_facts[relation] if relation is not None else 0) + (
            n_literals[attribute] if attribute is not None else 0
        )
        yield Property(own, name, relation, attribute, n_values=counts)
        if relation is not None and n_facts[relation]:
            yield Property(
                f"{_INVERSE}{own}",
                f"{name} (inverse)",
                relation,
                is_inverse=True,
                description=f"entities that have this one as their {name}",
            )


def _time_of(each: Property) -> Property:
    return Property(
        f"{each.id}{TIME}",
        f"{each.name} (time)",
        each.relation,
        each.attribute,
        is_time=True,
        description=f"when {each.name} holds",
    )
