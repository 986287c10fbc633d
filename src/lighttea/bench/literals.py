"""The strings of a graph in a benchmark: carried along, taken away, scrambled or put in order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lighttea.bench.changes import permute_within
from lighttea.graph.attributes import Attributes
from lighttea.graph.facts import Graph
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import Bools, Ints


@dataclass(frozen=True)
class Strings:
    """Which strings of a graph a run may see."""

    literals: bool = False  # names and attributes
    own_ids: bool = False  # ids, which belong to the data and are not numbers of a folder


def renumber_entities(graph: Graph, new_entity: Ints, strings: Strings) -> Graph:
    """Return the graph with the entities of its strings renumbered, its facts as they are.

    Without `literals` ids are numbers, and there are no names and no attributes. With them, ids are
    the entities' own, or numbers again where they are numbers of a folder.
    """
    numbers = [str(number) for number in range(len(new_entity))]
    if not strings.literals:
        graph = _with_instants_of_facts(graph)
        return replace(graph, entities=numbers, entity_names={}, attributes=Attributes())
    own = graph.attributes
    attributes = replace(own, entity=new_entity[own.entity])
    entities = [graph.entities[number] for number in np.argsort(new_entity).tolist()]
    if strings.own_ids:
        return replace(graph, entities=entities, attributes=attributes)
    names = {
        number: graph.entity_names[entity]
        for number, entity in zip(numbers, entities, strict=True)
        if entity in graph.entity_names
    }
    return replace(graph, entities=numbers, entity_names=names, attributes=attributes)


def _with_instants_of_facts(graph: Graph) -> Graph:
    """Return the graph without instants that literals alone have."""
    if (graph.attributes.begin == UNKNOWN).all() and (graph.attributes.end == UNKNOWN).all():
        return graph
    facts = graph.facts
    used = np.setdiff1d(np.concatenate([facts.begin, facts.end]), [UNKNOWN])
    place = np.full(len(graph.instants) + 1, UNKNOWN, np.int32)  # the last for unknown
    place[used] = np.arange(len(used), dtype=np.int32)
    renumbered = replace(facts, begin=place[facts.begin], end=place[facts.end])
    return replace(graph, facts=renumbered, instants=graph.instants.take(used))


def drop_strings(graph: Graph, entities: Ints) -> Graph:
    """Return the graph without the ids, names and literals of some entities."""
    dropped = set(entities.tolist())
    ids = [f"removed {n}" if n in dropped else old for n, old in enumerate(graph.entities)]
    kept = set(ids)
    return replace(
        graph,
        entities=ids,
        entity_names={old: name for old, name in graph.entity_names.items() if old in kept},
        attributes=_take(graph.attributes, ~np.isin(graph.attributes.entity, entities)),
    )


def scramble_strings(graph: Graph, rng: np.random.Generator) -> Graph:
    """Return the graph with ids and names permuted, values within each attribute, then times."""
    own = graph.attributes
    values, times = (permute_within(own.attribute, rng) for _ in range(2))
    attributes = replace(own, value=own.value[values], begin=own.begin[times], end=own.end[times])
    order = rng.permutation(len(graph.entities)).tolist()
    return replace(
        graph, entities=[graph.entities[number] for number in order], attributes=attributes
    )


def shuffle_attributes(attributes: Attributes, rng: np.random.Generator) -> Attributes:
    """Return the literals in a random order, their attributes and values newly numbered."""
    rows = _take(attributes, rng.permutation(len(attributes)))
    names, texts = rng.permutation(len(rows.names)), rng.permutation(len(rows.texts))
    return replace(
        rows,
        attribute=np.argsort(names).astype(np.int32)[rows.attribute],
        value=np.argsort(texts).astype(np.int32)[rows.value],
        names=[rows.names[place] for place in names.tolist()],
        texts=[rows.texts[place] for place in texts.tolist()],
        datatypes=[rows.datatypes[place] for place in texts.tolist()],
        languages=[rows.languages[place] for place in texts.tolist()],
    )


def _take(attributes: Attributes, rows: Ints | Bools) -> Attributes:
    """Return these rows; attributes and values keep their numbers."""
    columns = ("entity", "attribute", "value", "begin", "end")
    return replace(attributes, **{name: getattr(attributes, name)[rows] for name in columns})
