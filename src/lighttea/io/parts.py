"""A graph in a folder of Parquet tables, read one after the other.

Only one part at a time is in memory as text; the others are numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from lighttea.errors import InputError
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.timeline import Instants, distinct_instants, ticks_of
from lighttea.io.assemble import Numbering
from lighttea.io.literals import merge_attributes
from lighttea.types import Ints

PARQUET = (".parquet", ".pq")


def find_parts(folder: Path) -> list[Path]:
    """Return the sorted Parquet files in and below a folder; none where it is no folder."""
    try:
        if not folder.is_dir():
            return []
    except OSError:  # not a possible file name; the reader reports it
        return []
    hidden = ("_", ".")  # marks and leftovers of the tools that write such folders
    files = (path for path in folder.rglob("*") if path.suffix.lower() in PARQUET)
    return sorted(p for p in files if p.is_file() and not p.name.startswith(hidden))


def read_parts(folder: Path, parts: Sequence[Path], read: Callable[[Path], Graph]) -> Graph:
    """Return one graph of all parts; problems of all parts are reported together."""
    whole, problems = MergedGraph(), []
    for part in parts:
        try:
            whole.add(read(part))
        except InputError as error:
            problems += str(error).splitlines()
    if problems:
        raise InputError.of_many(problems)
    digests = "".join(graph.digest for graph in whole.parts)
    return whole.graph(
        source=str(folder),
        digest="sha256:" + hashlib.sha256(digests.encode()).hexdigest(),
        notes=tuple(dict.fromkeys(note for graph in whole.parts for note in graph.notes)),
    )


@dataclass
class MergedGraph:
    """Parts of a graph, in the numbers of the whole; equal ids are one entity."""

    parts: list[Graph] = field(default_factory=list)
    entities: Numbering = field(default_factory=Numbering)
    relations: Numbering = field(default_factory=Numbering)
    entity_names: dict[str, str] = field(default_factory=dict)
    relation_names: dict[str, str] = field(default_factory=dict)

    def add(self, part: Graph) -> None:
        """Add a part; of several names of an entity the first counts."""
        self.parts.append(_renumber(part, self.entities, self.relations))
        for names, own in (
            (self.entity_names, part.entity_names),
            (self.relation_names, part.relation_names),
        ):
            for name, shown in own.items():
                names.setdefault(name, shown)

    def graph(self, *, source: str, digest: str, notes: tuple[str, ...], name: str = "") -> Graph:
        """Return the whole graph."""
        graphs = self.parts
        instants, places = _merge_instants([graph.instants for graph in graphs])
        columns = [
            (f.head, f.relation, f.tail, ticks_of(f.begin, place), ticks_of(f.end, place))
            for f, place in zip((graph.facts for graph in graphs), places, strict=True)
        ]
        return Graph(
            entities=list(self.entities),
            relations=list(self.relations),
            facts=Facts(*(np.concatenate(column) for column in zip(*columns, strict=True))),
            instants=instants,
            source=source,
            digest=digest,
            notes=notes,
            entity_names=self.entity_names,
            relation_names=self.relation_names,
            attributes=merge_attributes(
                (graph.attributes, place) for graph, place in zip(graphs, places, strict=True)
            ),
            name=name,
        )


def _renumber(graph: Graph, entities: Numbering, relations: Numbering) -> Graph:
    """Return a part in the numbers of the whole graph, without names."""
    entity, relation = entities.codes(graph.entities), relations.codes(graph.relations)
    facts = graph.facts
    return Graph(
        entities=(),
        relations=(),
        facts=Facts(
            entity[facts.head], relation[facts.relation], entity[facts.tail], facts.begin, facts.end
        ),
        instants=graph.instants,
        digest=graph.digest,
        notes=graph.notes,
        attributes=replace(graph.attributes, entity=entity[graph.attributes.entity]),
    )


def _merge_instants(parts: Sequence[Instants]) -> tuple[Instants, list[Ints]]:
    """Return the distinct instants of all parts, and the place of each part's instants there."""
    instants, place = distinct_instants(Instants.none().concat(*parts))
    return instants, np.split(place, np.cumsum([len(part) for part in parts])[:-1])
