"""Clusters of nodes whose pairs count most in sum: correlation clustering, surest pairs first.

Clusters are joined while that raises the sum, the best pair of clusters first. Then single nodes
move, change places or leave while that raises it further.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import count
from operator import itemgetter

import numpy as np

from lighttea.clusters.evidence import FORBIDDEN, Evidence
from lighttea.types import Ints

_LEAST_GAIN = 1e-9


def resolve(evidence: Evidence) -> Ints:
    """Return the cluster of each node, numbered from 0 in the order of their first nodes."""
    state = _State(evidence)
    _join_clusters(state)
    _improve(state)
    first_node: dict[int, int] = {}
    labels = [first_node.setdefault(own, len(first_node)) for own in state.cluster]
    return np.array(labels, dtype=np.int64)


class _State:
    """Nodes in clusters, and what their pairs count."""

    def __init__(self, evidence: Evidence) -> None:
        n = len(evidence.graph)
        self.graph: list[int] = evidence.graph.tolist()
        self.missing: list[list[float]] = evidence.missing.tolist()
        self.joining = evidence.joining
        self.extra: list[dict[int, float]] = [{} for _ in range(n)]
        rows = (evidence.edges.one.tolist(), evidence.edges.other.tolist(), evidence.extra.tolist())
        for one, other, extra in zip(*rows, strict=True):
            self.extra[one][other] = self.extra[other][one] = extra
        self.cluster = list(range(n))
        self.members: dict[int, list[int]] = {node: [node] for node in range(n)}
        self._free = count(n)  # names of new clusters

    def missing_between(self, some: Iterable[int], others: Iterable[int]) -> float:
        """Return what all pairs between two clusters would count if none were an edge."""
        own = [self.missing[self.graph[node]] for node in some]
        graphs = [self.graph[node] for node in others]
        return sum(row[graph] for row in own for graph in graphs)

    def gain(self, node: int, company: list[int]) -> float:
        """Return what a node counts in this company: its pairs, and that it joins."""
        if not company:
            return 0.0
        extra, row = self.extra[node], self.missing[self.graph[node]]
        pairs = sum(extra.get(other, 0.0) + row[self.graph[other]] for other in company)
        return pairs + self.joining

    def company(self, node: int) -> list[int]:
        """Return the other nodes of a node's cluster."""
        return [other for other in self.members[self.cluster[node]] if other != node]

    def move(self, node: int, target: int | None) -> None:
        """Put a node into a cluster; None is a new one of its own."""
        old = self.cluster[node]
        self.members[old].remove(node)
        if not self.members[old]:
            del self.members[old]
        new = next(self._free) if target is None else target
        self.members.setdefault(new, []).append(node)
        self.cluster[node] = new


# ------------------------------------------------------------------------------- joining


def _join_clusters(state: _State) -> None:
    """Join clusters, those that gain most first, while any two gain."""
    between = [dict(extra) for extra in state.extra]  # sums over all pairs of two clusters
    heap = [
        (-gain, one, other, 1, 1)
        for one, others in enumerate(between)
        for other in others
        if one < other and (gain := _gain_of_joining(state, between, one, other)) > _LEAST_GAIN
    ]
    heapq.heapify(heap)
    while heap:
        _, one, other, n_one, n_other = heapq.heappop(heap)
        sizes = [len(state.members.get(cluster, ())) for cluster in (one, other)]
        if sizes != [n_one, n_other]:  # one of them has changed since
            continue
        _join(state, between, one, other)
        for third in between[one]:
            gain = _gain_of_joining(state, between, one, third)
            if gain > _LEAST_GAIN:
                n_members = len(state.members[one]), len(state.members[third])
                heapq.heappush(heap, (-gain, one, third, *n_members))


def _gain_of_joining(state: _State, between: list[dict[int, float]], one: int, other: int) -> float:
    members, others = state.members[one], state.members[other]
    return between[one][other] + state.missing_between(members, others) + state.joining


def _join(state: _State, between: list[dict[int, float]], one: int, other: int) -> None:
    """Put the nodes of the other cluster into the one."""
    for node in state.members.pop(other):
        state.cluster[node] = one
        state.members[one].append(node)
    del between[one][other], between[other][one]
    for third, extra in between[other].items():
        total = between[one].get(third, 0.0) + extra
        between[one][third] = between[third][one] = total
        del between[third][other]
    between[other] = {}


# ----------------------------------------------------------------------------- improving


def _improve(state: _State) -> None:
    """Move nodes, or let two change places, while that raises the sum."""
    waiting = deque(node for node, extra in enumerate(state.extra) if extra)
    queued = set(waiting)
    while waiting:
        node = waiting.popleft()
        queued.discard(node)
        gain, moves = max(_changes(state, node), key=itemgetter(0), default=(0.0, []))
        if gain <= _LEAST_GAIN:
            continue
        for moved, target in moves:
            state.move(moved, target)
        touched = {other for moved, _ in moves for other in (moved, *state.extra[moved])}
        for other in sorted(touched - queued):
            waiting.append(other)
            queued.add(other)


def _changes(state: _State, node: int) -> Iterator[tuple[float, list[tuple[int, int | None]]]]:
    """Yield what could be done with a node: the gain in sum, and the moves."""
    company = state.company(node)
    before = state.gain(node, company)
    if before < -_LEAST_GAIN:
        yield -before, [(node, None)]
    own = state.cluster[node]
    for target in sorted({state.cluster[other] for other in state.extra[node]} - {own}):
        members = state.members[target]
        yield state.gain(node, members) - before, [(node, target)]
        for rival in [other for other in members if _is_forbidden(state, node, other)]:
            rest = [other for other in members if other != rival]
            freed = state.gain(node, rest) - before - state.gain(rival, rest)
            leaving: int | None = None
            gain_of_swap = state.gain(rival, company)
            if company and gain_of_swap > 0:
                freed, leaving = freed + gain_of_swap, own
            if rest:  # else the rival would merely be replaced
                yield freed, [(rival, leaving), (node, target)]


def _is_forbidden(state: _State, node: int, other: int) -> bool:
    pair = state.extra[node].get(other, 0.0) + state.missing[state.graph[node]][state.graph[other]]
    return pair < FORBIDDEN / 4
