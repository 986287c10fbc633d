"""The numbered tables of a file while its statements are told from its entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

import numpy as np
import polars as pl

from lighttea.graph.timeline import UNKNOWN
from lighttea.io.rdf.collect import Collector
from lighttea.io.rdf.vocabulary import RDF_TYPE
from lighttea.types import Bools

ANY_GRAPH = -2  # a statement that speaks of its triple wherever that stands
TRIPLE = ["head", "relation", "tail"]
STATED = ["node", *TRIPLE]
_SPAN = ["node", "predicate", "begin", "end"]


class Tables:
    """What the collector found, and what models of time make of it.

    `stated` and `stated_literals` are asserted statements: node, head, relation and tail; a node
    may have several. `spans` are intervals of a node: predicate, begin and end as numbers of time
    texts, -1 where one is unknown. Rows that a model has understood are taken out of `facts`,
    `literals` and `dates`.
    """

    def __init__(self, collected: Collector) -> None:
        self.collected = collected
        self.counts = collected.counts
        self.names = list(collected.nodes)
        self.facts = collected.table("facts")
        self.values = collected.table("values")
        self.claims = collected.table("claims")
        any_graph = pl.lit(ANY_GRAPH, pl.Int32).alias("graph")
        self.reified = collected.table("reified").with_columns(any_graph)
        self.deprecated = collected.table("deprecated")["node"].unique()
        self.full_values = collected.table("full_values")
        self.literals = collected.table("literals")
        self.literal_values = collected.table("literal_values")
        self.reified_literals = collected.table("reified_literals").with_columns(any_graph)
        self.dates = collected.table("dates")
        self.stated, self.stated_literals = _empty(STATED), _empty(STATED)
        self.spans = _empty(_SPAN)
        self.technical = _empty(["node"])["node"]  # nodes of layouts: periods, label nodes
        self.recognised: Counter[str] = Counter()
        self._roles = pl.Series(dtype=pl.String)
        self.type_predicate = self.number_of(RDF_TYPE)

    def number_of(self, predicate: str) -> int:
        """Return the number of a predicate; -1 where the file does not have it."""
        return self.collected.predicates.get(predicate, UNKNOWN)

    def numbers_of(self, predicates: Iterable[str]) -> list[int]:
        """Return the numbers of those predicates that the file has."""
        numbers = (self.number_of(predicate) for predicate in predicates)
        return [number for number in numbers if number != UNKNOWN]

    def nodes_of(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of those nodes that the file has."""
        nodes = self.collected.nodes
        return [nodes[name] for name in names if name in nodes]

    def statement_roles(self) -> pl.Series:
        """Return the role of each predicate where a statement has it: begin, end, time or null."""
        predicates = self.collected.predicates
        if len(self._roles) != len(predicates):
            role_of = self.collected.time_predicates.role_on_statement
            new = [role_of(name) for name in islice(predicates, len(self._roles), None)]
            self._roles = pl.concat([self._roles, pl.Series(new, dtype=pl.String)])
        return self._roles

    def mark(self, *columns: pl.Series) -> Bools:
        """Return an array over all nodes that is true for the given ones."""
        mark = np.zeros(len(self.names), bool)
        for column in columns:
            mark[column.to_numpy()] = True
        return mark

    def statement_nodes(self) -> Bools:
        """Mark the nodes that are statements so far."""
        tables = (self.claims, self.reified, self.reified_literals)
        asserted = (self.stated, self.stated_literals)
        return self.mark(*(table["node"] for table in (*tables, *asserted)))

    def typed(self, classes: Iterable[str]) -> pl.Series:
        """Return the distinct nodes that have one of these classes."""
        of_class = pl.col("tail").is_in(self.nodes_of(classes))
        is_type = pl.col("relation") == self.type_predicate
        return self.facts.filter(is_type & of_class)["head"].unique(maintain_order=True)

    def links_of(self, predicates: Iterable[str], names: tuple[str, str]) -> pl.DataFrame:
        """Return the distinct facts with one of these predicates, their ends under these names."""
        rows = self.facts.filter(pl.col("relation").is_in(self.numbers_of(predicates)))
        return rows.select(pl.col("head").alias(names[0]), pl.col("tail").alias(names[1])).unique(
            maintain_order=True
        )

    def add_statements(self, rows: pl.DataFrame) -> None:
        """Add asserted statements whose tails are nodes."""
        self.stated = pl.concat([self.stated, _ints(rows, STATED)])

    def add_literal_statements(self, rows: pl.DataFrame) -> None:
        """Add asserted statements whose tails are literals."""
        self.stated_literals = pl.concat([self.stated_literals, _ints(rows, STATED)])

    def add_dates(self, rows: pl.DataFrame) -> None:
        """Add dates of nodes: node, predicate, time, graph."""
        self.dates = pl.concat([self.dates, _ints(rows, self.dates.columns)])

    def add_spans(self, rows: pl.DataFrame) -> None:
        """Add intervals of nodes."""
        self.spans = pl.concat([self.spans, _ints(rows, _SPAN)])

    def hide(self, nodes: pl.Series) -> None:
        """Count nodes as parts of a layout."""
        self.technical = pl.concat([self.technical, nodes.cast(pl.Int32)])


def without(rows: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    """Return the rows whose values are not among the keys, in order."""
    if keys.is_empty():
        return rows
    return rows.join(keys, on=keys.columns, how="anti", maintain_order="left")


def _empty(columns: list[str]) -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(columns, pl.Int32))


def _ints(rows: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    return rows.select(pl.col(columns).cast(pl.Int32))
