"""A graph in many part files: a folder of Parquet tables, read one after the other.

Only one part stands in memory as text; what stays of it are numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from lighttea.errors import InputError
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.timeline import Instants, distinct_instants, ticks_of
from lighttea.io.assemble import Numbering
from lighttea.types import Ints

PARQUET = (".parquet", ".pq")


def parts_of(folder: Path) -> list[Path]:
    """The Parquet files of a folder by name, and of the folders in it; none where it is none."""
    try:
        if not folder.is_dir():
            return []
    except OSError:  # a name that no file can have; who reads it says so
        return []
    hidden = ("_", ".")  # marks and leftovers of the tools that write such folders
    found = (path for path in folder.rglob("*") if path.suffix.lower() in PARQUET)
    return sorted(p for p in found if p.is_file() and not p.name.startswith(hidden))


def read_parts(folder: Path, parts: Sequence[Path], read: Callable[[Path], Graph]) -> Graph:
    """One graph of all parts; the problems of all of them at once."""
    entities, relations = Numbering(), Numbering()
    graphs, problems = [], []
    for part in parts:
        try:
            graphs.append(_numbered(read(part), entities, relations))
        except InputError as error:
            problems += str(error).splitlines()
    if problems:
        raise InputError.of_many(problems)
    instants, places = _all_instants([one.instants for one in graphs])
    columns = [
        (f.head, f.relation, f.tail, ticks_of(f.begin, place), ticks_of(f.end, place))
        for f, place in zip((one.facts for one in graphs), places, strict=True)
    ]
    digests = "".join(one.digest for one in graphs)
    return Graph(
        entities=list(entities),
        relations=list(relations),
        facts=Facts(*(np.concatenate(column) for column in zip(*columns, strict=True))),
        instants=instants,
        source=str(folder),
        digest="sha256:" + hashlib.sha256(digests.encode()).hexdigest(),
        notes=tuple(dict.fromkeys(note for one in graphs for note in one.notes)),
    )


def _numbered(graph: Graph, entities: Numbering, relations: Numbering) -> Graph:
    """A part by the numbers of the whole, its names let go."""
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
    )


def _all_instants(parts: Sequence[Instants]) -> tuple[Instants, list[Ints]]:
    """The instants of all parts, each once, and where those of each part went."""
    instants, place = distinct_instants(Instants.none().concat(*parts))
    return instants, np.split(place, np.cumsum([len(part) for part in parts])[:-1])
