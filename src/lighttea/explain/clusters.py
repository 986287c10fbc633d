"""Why entities of several graphs are one: the cluster, and what each pair of graphs says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from lighttea.display import Displayed, Named, html_list, html_table, shorten
from lighttea.errors import InputError
from lighttea.explain.explanation import Explanation
from lighttea.results.clusters import ClusterRun
from lighttea.results.names import name_ids


@dataclass(frozen=True, repr=False)
class ClusterMember(Displayed):
    """An entity of a cluster."""

    graph: str
    id: str
    confidence: float  # chance that it is the same as most of its cluster
    name: str | None = None  # where it differs from the id

    @property
    def named(self) -> Named:
        """The entity as a person reads it, and its id."""
        return Named(self.id, self.name)

    def _summary(self) -> str:
        entity, graph = shorten(self.named.text, 80), shorten(self.graph, 60)
        return f"{entity} of {graph}, confidence {self.confidence:.3f}"


@dataclass(frozen=True, repr=False)
class ClusterLink(Displayed):
    """A pair of a cluster: how it was found, and why, where its two graphs considered it."""

    left_graph: str
    left: str
    right_graph: str
    right: str
    confidence: float
    origin: str  # link, candidate, seed, or through and the graphs that join the two
    explanation: Explanation | None

    def _summary(self) -> str:
        ends = shorten(self.left, 60), shorten(self.right, 60)
        origin = shorten(self.origin, 60)
        return f"{ends[0]} and {ends[1]}, confidence {self.confidence:.3f}, found: {origin}"


@dataclass(frozen=True, repr=False)
class ClusterExplanation(Displayed):
    """The cluster of an entity, its pairs, and the links of the entity that were given up."""

    cluster: str  # empty where the entity is in none
    entity: ClusterMember
    members: tuple[ClusterMember, ...]
    links: tuple[ClusterLink, ...]
    given_up: tuple[str, ...]  # in words

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        links = [
            {**vars(link), "explanation": link.explanation and link.explanation.to_dict()}
            for link in self.links
        ]
        return {
            "cluster": self.cluster,
            "entity": vars(self.entity),
            "members": [vars(member) for member in self.members],
            "links": links,
            "given_up": list(self.given_up),
        }

    def _summary(self) -> str:
        if not self.cluster:
            return f"{self.entity.named.shortened()} of {self.entity.graph} is in no cluster"
        return (
            f"{self.entity.named.shortened()} of {self.entity.graph} is in {self.cluster} with "
            f"{len(self.members) - 1} others"
        )

    def _tables(self) -> Iterable[str]:
        rows = [(own.graph, own.named, f"{own.confidence:.3f}") for own in self.members]
        yield html_table(("graph", "entity", "confidence"), rows)
        yield from html_list(self.given_up)


def explain_cluster(run: ClusterRun, entity: str, graph: str | None = None) -> ClusterExplanation:
    """Return why an entity is with the others of its cluster."""
    graph, entity = _find(run, entity, graph)
    own = run.clusters.filter(graph=graph, entity=entity)
    cluster = str(own["cluster"][0]) if len(own) else ""
    members = [
        _member(run, *row)
        for row in run.clusters.filter(cluster=cluster)
        .select("graph", "entity", "confidence")
        .iter_rows()
    ]
    place = {name: number for number, name in enumerate(run.graphs)}
    members.sort(key=lambda member: (place[member.graph], member.id))
    chance = float(own["confidence"][0]) if len(own) else 1.0
    return ClusterExplanation(
        cluster=cluster,
        entity=_member(run, graph, entity, chance),
        members=tuple(members),
        links=tuple(_links(run, cluster)),
        given_up=tuple(_given_up(run, graph, entity)),
    )


def _find(run: ClusterRun, written: str, graph: str | None) -> tuple[str, str]:
    """Return the graph and the id of an entity that was named by its id or its name."""
    if graph is not None and graph not in run.graphs:
        raise InputError(f"there is no graph {graph!r}; the graphs are {', '.join(run.graphs)}")
    ids: dict[str, str] = {}
    asked = run.graphs if graph is None else [graph]
    for name in asked:
        pair = next((pair for pair in run.pairs if name in pair), None)
        if pair is None:
            continue
        try:
            side = "left" if pair[0] == name else "right"
            ids[name] = run.pairs[pair].explainer.find(written, side)
        except InputError:
            if len(asked) == 1:
                raise
    if not ids:
        raise InputError(f"{written!r} is an entity of none of the graphs: {', '.join(asked)}")
    if len(ids) > 1:
        raise InputError(
            f"{written!r} is an entity of {' and of '.join(ids)}; say which graph is meant"
        )
    return next(iter(ids.items()))


def _member(run: ClusterRun, graph: str, entity: str, confidence: float) -> ClusterMember:
    pair = next(pair for pair in run.pairs if graph in pair)
    side = "left" if pair[0] == graph else "right"
    named = name_ids(run.pairs[pair], side, [entity])[0]
    return ClusterMember(graph, entity, float(confidence), named.name)


def _links(run: ClusterRun, cluster: str) -> Iterator[ClusterLink]:
    """Yield the pairs of a cluster, the surest first."""
    own = run.links.filter(cluster=cluster).sort("confidence", "left", "right", descending=True)
    for row in own.drop("cluster").iter_rows(named=True):
        left, right = row["left"], row["right"]
        pair = run.pairs.get((row["graph_left"], row["graph_right"]))
        explanation, origin = None, row["found"]
        if pair is not None:
            if len(pair.seeds.filter(left=left, right=right)):
                origin = "seed"
            elif len(pair.candidates.filter(left=left, right=right)):
                explanation = pair.explain(left, right)
        yield ClusterLink(
            row["graph_left"],
            left,
            row["graph_right"],
            right,
            row["confidence"],
            origin,
            explanation,
        )


def _given_up(run: ClusterRun, graph: str, entity: str) -> Iterator[str]:
    """Yield the links of an entity that no cluster keeps, in words."""
    is_left = (pl.col("graph_left") == graph) & (pl.col("left") == entity)
    is_right = (pl.col("graph_right") == graph) & (pl.col("right") == entity)
    for row in run.conflicts.filter(is_left | is_right).iter_rows(named=True):
        yield (
            f"{row['graph_left']} {row['left']} and {row['graph_right']} {row['right']} "
            f"(confidence {row['confidence']:.3f}): {row['evidence']}"
        )
