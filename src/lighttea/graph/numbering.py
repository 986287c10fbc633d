"""Numbers that depend on names alone, so that the order of a file's lines changes no link.

Sums are made in the order of facts, words of decoys are drawn in the order of literals, and ties go
to the lower number. Numbers by first appearance would make all of it depend on the order of lines.
Alphabetical ones would not, but where both sides use the same names their order would tell who
belongs together; so names are ordered by digests that differ between the sides. Seeds keep their
order: their random vectors are drawn in it. What else is drawn for an entity or a fact goes by its
name (`keys.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

import numpy as np

from lighttea.graph.attributes import Attributes
from lighttea.graph.facts import Facts, Graph
from lighttea.types import Ints


def number_by_name(graph: Graph, side: str) -> Graph:
    """Return a graph whose entities, relations and literals are numbered by digests of their names.

    Facts and literals stand in the order they had.
    """
    entities, relations = (_order(names, side) for names in (graph.entities, graph.relations))
    entity, relation, facts = _places(entities), _places(relations), graph.facts
    return replace(
        graph,
        entities=[graph.entities[n] for n in entities],
        relations=[graph.relations[n] for n in relations],
        facts=Facts(
            entity[facts.head], relation[facts.relation], entity[facts.tail], facts.begin, facts.end
        ),
        attributes=_number_literals(graph.attributes, entity, side),
    )


def _number_literals(literals: Attributes, entity: Ints, side: str) -> Attributes:
    parts = zip(literals.texts, literals.datatypes, literals.languages, strict=True)
    values = _order(["\0".join(part) for part in parts], side)
    names = _order(literals.names, side)
    return replace(
        literals,
        entity=entity[literals.entity],
        attribute=_places(names)[literals.attribute],
        value=_places(values)[literals.value],
        names=[literals.names[n] for n in names],
        texts=[literals.texts[n] for n in values],
        datatypes=[literals.datatypes[n] for n in values],
        languages=[literals.languages[n] for n in values],
    )


def sort_rows(graph: Graph) -> Graph:
    """Return a graph whose facts and literals stand in the order of their numbers."""
    literals = graph.attributes
    columns = ("entity", "attribute", "value", "begin", "end")
    order = np.lexsort([getattr(literals, name) for name in reversed(columns)])
    return replace(
        graph,
        facts=graph.facts.take(np.lexsort(list(reversed(vars(graph.facts).values())))),
        attributes=replace(literals, **{name: getattr(literals, name)[order] for name in columns}),
    )


def _order(names: Sequence[str], side: str) -> Ints:
    """Return the places of the names in the order of their digests."""
    key = side.encode()
    digests = [
        blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
        for name in names
    ]
    return np.argsort(np.frombuffer(b"".join(digests), ">u8"), kind="stable")


def _places(order: Ints) -> Ints:
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places
