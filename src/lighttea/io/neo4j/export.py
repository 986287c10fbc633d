"""Nodes and relationships of an export, as they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lighttea.graph.facts import Graph
from lighttea.io.graph_rows import GraphRows
from lighttea.io.problems import Problems
from lighttea.io.property_graphs import LABELS, EdgeTimes, add_properties, display_name


class Export:
    """What was read of an export so far."""

    def __init__(self, path: Path, problems: Problems, columns: Mapping[str, str]) -> None:
        self.path = path
        self.problems = problems
        self.rows = GraphRows(path, problems)
        self._times = EdgeTimes(path, columns, noun="relationship", layout="neo4j,")
        self._counts: Counter[str] = Counter()
        self._told: set[str] = set()  # nodes whose properties are known

    def add_fact(
        self, line: int, head: str, relation: str, tail: str, properties: Mapping[str, Any]
    ) -> None:
        """Add a relationship."""
        self.rows.add_fact(line, head, relation, tail, *self._times.of(properties))

    def add_node(
        self, line: int, entity: str, properties: Mapping[str, Any], labels: Iterable[Any]
    ) -> None:
        """Add a node with its literals; its name is the first display property that is a text."""
        self._told.add(entity)
        if self.rows.add_node(line, entity, display_name(properties)):
            own = {**properties, LABELS: list(labels)}
            add_properties(self.rows, line, entity, own, self._counts)

    def add_end(
        self, line: int, entity: str, properties: Mapping[str, Any], labels: Iterable[Any]
    ) -> None:
        """Add what a relationship says of the node at its end, where nothing is known of it yet."""
        if properties and entity not in self._told:
            self.add_node(line, entity, properties, labels)

    def add_problem(self, line: int, description: str) -> None:
        """Count a wrong line."""
        self.rows.add_problem(line, description)

    def count_other(self) -> None:
        """Count a value that is no part of the graph."""
        self._counts["others"] += 1

    def graph(self) -> Graph:
        """Return the graph of all that was read."""
        self._times.check()
        self.rows.notes += self._times.notes()
        if n_vectors := self._counts["vectors"]:
            self.rows.notes.append(f"{n_vectors:,} vectors of numbers ignored")
        if n_others := self._counts["others"]:
            self.rows.notes.append(f"{n_others:,} values beside nodes and rels ignored")
        return self.rows.graph()
