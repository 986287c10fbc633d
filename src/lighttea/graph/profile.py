"""What is in a graph: sizes, time coverage, granularity, and what looks odd."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lighttea.graph.attribute_profile import AttributeProfile, profile_attributes
from lighttea.graph.facts import Graph
from lighttea.graph.oddities import OddTimes, find_odd_times
from lighttea.graph.pair import sorted_distinct
from lighttea.graph.timeline import Grain, TimeKind


@dataclass(frozen=True)
class Profile:
    """Counts that describe one graph."""

    entities: int
    entities_without_facts: int
    relations: int
    facts: int
    duplicate_facts: int
    timed_facts: float  # share of facts with a known time
    ticks: int
    kinds: dict[str, int]  # facts by the kind of their time
    grains: dict[str, int]  # distinct instants by how exactly they are known
    span: tuple[tuple[int, int], tuple[int, int]] | None  # first and last (second, grain)
    odd: tuple[OddTimes, ...]
    top_relations: tuple[tuple[str, int], ...]
    literals: int
    entities_with_literals: int
    attributes: tuple[AttributeProfile, ...]  # the one with the most literals first
    recognised: dict[str, int]  # ways in which the file says time
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        odd = [vars(times) for times in self.odd]
        attributes = [attribute.to_dict() for attribute in self.attributes]
        relations = dict(self.top_relations)
        return {**vars(self), "odd": odd, "top_relations": relations, "attributes": attributes}


def profile(graph: Graph) -> Profile:
    """Return the profile of a graph."""
    facts, instants = graph.facts, graph.instants
    used = np.unique(np.concatenate([facts.head, facts.tail]))
    kinds = np.bincount(facts.kinds(), minlength=len(TimeKind))
    grains = np.bincount(instants.grain, minlength=len(Grain))
    order = np.argsort(instants.second, kind="stable")
    ends = (
        [(int(instants.second[i]), int(instants.grain[i])) for i in order[[0, -1]]]
        if len(instants)
        else []
    )
    relation_counts = np.bincount(facts.relation, minlength=len(graph.relations))
    common = np.argsort(-relation_counts, kind="stable")[:10]
    duplicates = _count_duplicates(graph)
    return Profile(
        entities=len(graph.entities),
        entities_without_facts=len(graph.entities) - len(used),
        relations=len(graph.relations),
        facts=len(facts),
        duplicate_facts=duplicates,
        timed_facts=1 - int(kinds[TimeKind.UNKNOWN]) / max(len(facts), 1),
        ticks=len(instants),
        kinds={kind.name.lower(): int(kinds[kind]) for kind in TimeKind},
        grains={grain.name.lower(): int(grains[grain]) for grain in Grain},
        span=(ends[0], ends[1]) if ends else None,
        odd=find_odd_times(graph),
        top_relations=tuple((graph.relations[i], int(relation_counts[i])) for i in common),
        literals=len(graph.attributes),
        entities_with_literals=len(np.unique(graph.attributes.entity)),
        attributes=profile_attributes(graph),
        recognised=dict(graph.recognised),
        warnings=(*graph.notes, *_warnings(graph, grains, duplicates)),
    )


def _count_duplicates(graph: Graph) -> int:
    columns = vars(graph.facts).values()
    return len(graph.facts) - len(sorted_distinct(*columns)[0])


def _warnings(graph: Graph, grains: Any, duplicates: int) -> list[str]:
    warnings = []
    if not graph.has_time:
        remaining = "relations and literals" if len(graph.attributes) else "relations alone"
        warnings.append(f"no fact has a known time; alignment will use {remaining}")
    if (grains > 0).sum() > 1:
        warnings.append("times differ in granularity; a day also matches its year")
    if duplicates:
        warnings.append(f"{duplicates:,} duplicate facts, counted once")
    loops = int((graph.facts.head == graph.facts.tail).sum())
    if loops:
        warnings.append(f"{loops:,} facts link an entity with itself")
    return warnings
