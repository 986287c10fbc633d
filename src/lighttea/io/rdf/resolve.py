"""Collected tables to facts with times: who is a statement, and what is said about it.

Only when the whole file has been read is it known whether a node is an entity, a statement or a
graph, and so what a date on it means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from lighttea.graph.facts import Facts
from lighttea.graph.timeline import UNKNOWN
from lighttea.io.assemble import Clock
from lighttea.io.rdf.collect import Collector
from lighttea.io.rdf.dates import coarsened, time_of_graph_name
from lighttea.io.rdf.vocabulary import TIME_VALUE, is_technical, is_wikibase_relation
from lighttea.io.spans import spans
from lighttea.types import Bools, Ints

_TRIPLE = ["head", "relation", "tail"]
_ROW = [*_TRIPLE, "begin", "end"]


@dataclass(frozen=True)
class Resolved:
    """Facts over the collector's nodes and predicates, and the instants they name."""

    facts: Facts
    clock: Clock


class Resolver:
    """Works through the tables of one collector."""

    def __init__(self, collected: Collector) -> None:
        self.collected = collected
        self.counts = collected.counts
        self.names = list(collected.nodes)
        self.predicates = list(collected.predicates)
        self.facts = collected.table("facts")
        self.values = collected.table("values")
        self.claims = collected.table("claims")
        self.reified = collected.table("reified")
        self.deprecated = collected.table("deprecated")["node"].unique()
        self.full_values = collected.table("full_values")
        self.dates = self._refined(collected.table("dates"))
        self._take_claims_for_facts()

    def resolve(self) -> Resolved:
        """All facts of the file."""
        collected = self.collected
        nodes = self._marked(self.claims["node"], self.reified["node"])
        statements = self._statements(nodes)
        on_statement = nodes[self.dates["node"].to_numpy()]
        qualifiers = self.dates.filter(on_statement)
        self.dates = self.dates.filter(~on_statement)
        graph_times = self._graph_times(self.facts)
        self.clock = Clock.of(list(collected.times))  # every text is known by now
        timed = self._timed(statements, qualifiers)
        technical = self._technical()
        of_entities = self._entity_dates(qualifiers, technical)
        plain = self._plain(self.facts, graph_times, timed, nodes | technical)
        rows = pl.concat([plain, timed.select(_ROW), of_entities.select(_ROW)])
        self.counts["facts"] = len(rows)
        columns = {name: rows[name].to_numpy() for name in _ROW}
        return Resolved(Facts(**columns), self.clock)

    def _take_claims_for_facts(self) -> None:
        """Where no node has a value, predicates that look like Wikibase's link plain entities."""
        dated = self.dates["node"].is_in(self.claims["node"].implode()).any()
        if len(self.claims) and self.values.is_empty() and not dated:
            unknown = pl.lit(UNKNOWN, pl.Int32)
            facts = self.claims.select("head", "relation", tail="node", graph=unknown)
            self.facts = pl.concat([self.facts, facts])
            self.claims = self.claims.clear()

    def _marked(self, *columns: pl.Series) -> Bools:
        mark = np.zeros(len(self.names), bool)
        for column in columns:
            mark[column.to_numpy()] = True
        return mark

    def _technical(self) -> Bools:
        """Nodes of the statement layout; without its predicates there are none."""
        mark = self._marked(self.full_values["value"])
        if self.counts["technical"] or len(self.claims):
            mark |= np.fromiter(map(is_technical, self.names), bool, len(self.names))
        return mark

    def _refined(self, dates: pl.DataFrame) -> pl.DataFrame:
        """Dates with the precision of their value nodes, where these are there."""
        number = self.collected.predicates.get(TIME_VALUE, UNKNOWN)
        full = dates.filter(pl.col("predicate") == number)
        dates = dates.filter(pl.col("predicate") != number)
        if full.is_empty() or self.full_values.is_empty():
            return dates
        precisions = self.collected.table("precisions")
        exact = (
            full.select(value="node", time="time")
            .join(precisions, on="value")
            .unique(maintain_order=True)
        )
        texts = list(self.collected.times)
        times = [self._coarse(texts[time], p) for _, time, p in exact.iter_rows()]
        exact = exact.with_columns(time=pl.Series(times, dtype=pl.Int32))
        said = self.full_values.join(exact, on="value")
        self.counts["coarse times"] += int((said["time"] == UNKNOWN).sum())
        rest = dates.join(said, on=["node", "predicate"], how="anti", maintain_order="left")
        known = said.filter(pl.col("time") != UNKNOWN).select(
            "node", "predicate", "time", graph=pl.lit(UNKNOWN, pl.Int32)
        )
        return pl.concat([rest, known])

    def _coarse(self, text: str, precision: int) -> int:
        coarse = coarsened(text, precision)
        return UNKNOWN if coarse is None else self.collected.times[coarse]

    def _statements(self, nodes: Bools) -> pl.DataFrame:
        """node, head, relation, tail, and the group of those that say the same statement.

        A quoted triple without a name is one statement wherever it is written; a named reifier
        and a statement node of Wikibase are statements of their own.
        """
        claims = self.claims.join(self.values, on=["node", "relation"], maintain_order="left")
        claims = claims.filter(~pl.col("node").is_in(self.deprecated.implode()))
        claims = self._with_known_values(claims)
        self.counts["deprecated"] += len(self.deprecated)
        quoted = self.reified.filter(pl.col("tail") != UNKNOWN)
        ends = (quoted[end].to_numpy() for end in ("head", "tail"))
        quoted = quoted.filter(~np.logical_or(*(nodes[end] for end in ends)))
        nameless = np.array([self.names[node].startswith("_:") for node in quoted["node"]], bool)
        key = pl.when(pl.Series(nameless, dtype=pl.Boolean)).then(UNKNOWN).otherwise("node")
        quoted = quoted.with_columns(key=key.cast(pl.Int32), quoted=pl.lit(value=True))
        claims = claims.select("node", *_TRIPLE, key=pl.col("node"), quoted=pl.lit(value=False))
        both = pl.concat([claims.select(quoted.columns), quoted])
        return both.with_columns(group=pl.struct(*_TRIPLE, "key").rank("dense").cast(pl.Int32))

    def _with_known_values(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Without Wikibase's unknown values, which are blank nodes."""
        wikibase = np.fromiter(map(is_wikibase_relation, self.predicates), bool)
        if not wikibase.any():
            return rows
        blank = np.fromiter((name.startswith("_:") for name in self.names), bool, len(self.names))
        unknown = wikibase[rows["relation"].to_numpy()] & blank[rows["tail"].to_numpy()]
        self.counts["unknown values"] += int(unknown.sum())
        return rows.filter(~unknown) if unknown.any() else rows

    def _timed(self, statements: pl.DataFrame, qualifiers: pl.DataFrame) -> pl.DataFrame:
        """Statements with the times that are said of them; quoted ones without time are left out.

        What is quoted with a time counts as a fact, whether or not it stands alone elsewhere.
        """
        times = self._spans_of_groups(statements, qualifiers)
        rows = statements.unique(["group"], keep="first", maintain_order=True).join(
            times, on="group", how="left", maintain_order="left"
        )
        untimed = pl.col("begin").is_null() & pl.col("end").is_null()
        self.counts["quoted without time"] += rows.filter(untimed & pl.col("quoted")).height
        return (
            rows.filter(~(untimed & pl.col("quoted")))
            .with_columns(pl.col("begin", "end").fill_null(UNKNOWN))
            .select(_ROW)
            .unique(maintain_order=True)
        )

    def _spans_of_groups(self, statements: pl.DataFrame, qualifiers: pl.DataFrame) -> pl.DataFrame:
        """group, begin, end: one row for each time that a statement has."""
        role = [self.collected.time_predicates.role_of(name) for name in self.predicates]
        said = (
            qualifiers.with_columns(
                role=pl.Series(role, dtype=pl.String).gather(qualifiers["predicate"]),
                code=pl.Series(self.clock.codes(qualifiers["time"].to_numpy())),
            )
            .filter(pl.col("role").is_not_null() & (pl.col("code") != UNKNOWN))
            .join(statements.select("node", "group"), on="node", maintain_order="left")
            .group_by("group", maintain_order=True)
            .agg(_codes_with(role) for role in ("begin", "end", "time"))
        )
        order = self.clock.instants.second.tolist()
        found = [
            (group, *span)
            for group, begins, ends, points in said.iter_rows()
            for span in spans(begins, ends, points, order)
        ]
        return pl.DataFrame(
            found, schema=dict.fromkeys(("group", "begin", "end"), pl.Int32), orient="row"
        )

    def _entity_dates(self, qualifiers: pl.DataFrame, technical: Bools) -> pl.DataFrame:
        """Dates of entities as facts of the entity with itself: it was born, it was founded."""
        of_claims = qualifiers.join(
            self.claims.rename({"relation": "predicate"}), on=["node", "predicate"]
        ).filter(~pl.col("node").is_in(self.deprecated.implode()))
        by_statement = of_claims.select(pl.col("head").alias("node"), "predicate", "time")
        direct = self.dates.join(
            by_statement, on=["node", "predicate"], how="anti", maintain_order="left"
        )
        all_dates = pl.concat([by_statement, direct.select("node", "predicate", "time")])
        on_technical = technical[all_dates["node"].to_numpy()]
        code = pl.Series(self.clock.codes(all_dates["time"].to_numpy()), dtype=pl.Int32)
        rows = all_dates.select(
            head="node", relation="predicate", tail="node", begin=code, end=code
        ).filter(~on_technical & (code != UNKNOWN).to_numpy())
        self.counts["entity dates"] = len(rows)
        return rows

    def _graph_times(self, asserted: pl.DataFrame) -> pl.DataFrame:
        """graph, graph_begin, graph_end as numbers of time texts.

        The default graph's dates of a graph come first, then the end of its name.
        """
        graphs = asserted["graph"].unique(maintain_order=True)
        graphs = graphs.filter(graphs != UNKNOWN)
        is_graph = self._marked(graphs)
        of_graph = is_graph[self.dates["node"].to_numpy()] & (
            self.dates["graph"].to_numpy() == UNKNOWN
        )
        said: dict[int, dict[str, set[int]]] = {}
        for node, predicate, time, _ in self.dates.filter(of_graph).iter_rows():
            role = self.collected.time_predicates.role_of(self.predicates[predicate]) or "other"
            said.setdefault(node, {}).setdefault(role, set()).add(time)
        self.dates = self.dates.filter(~of_graph)
        rows = [(graph, *self._time_of_graph(graph, said.get(graph, {}))) for graph in graphs]
        timed = [row for row in rows if row[1:] != (UNKNOWN, UNKNOWN)]
        self.counts["graphs with time"] = len(timed)
        self.counts["graphs"] = len(graphs)
        columns = ("graph", "graph_begin", "graph_end")
        return pl.DataFrame(timed, schema=dict.fromkeys(columns, pl.Int32), orient="row")

    def _time_of_graph(self, graph: int, said: dict[str, set[int]]) -> tuple[int, int]:
        one = {role: next(iter(times)) for role, times in said.items() if len(times) == 1}
        if "begin" in one or "end" in one:
            return one.get("begin", UNKNOWN), one.get("end", UNKNOWN)
        point = one.get("time", one.get("other", UNKNOWN))
        if point == UNKNOWN and (text := time_of_graph_name(self.names[graph])):
            point = self.collected.times[text]
        return point, point

    def _plain(
        self, asserted: pl.DataFrame, graph_times: pl.DataFrame, timed: pl.DataFrame, hidden: Bools
    ) -> pl.DataFrame:
        """Facts as they stand, with their graph's time; those that statements say anew go."""
        if hidden.any():
            about = hidden[asserted["head"].to_numpy()] | hidden[asserted["tail"].to_numpy()]
            self.counts["about statements"] += int(about.sum())
            asserted = asserted.filter(~about)
        asserted = self._with_known_values(asserted)
        if len(timed):
            asserted = asserted.join(timed, on=_TRIPLE, how="anti", maintain_order="left")
        if graph_times.is_empty():
            unknown = pl.lit(UNKNOWN, pl.Int32)
            return asserted.select(*_TRIPLE, begin=unknown, end=unknown)
        joined = asserted.join(graph_times, on="graph", how="left", maintain_order="left")
        begin, end = (self._codes(joined[f"graph_{side}"]) for side in ("begin", "end"))
        return joined.select(*_TRIPLE, begin=pl.Series(begin), end=pl.Series(end))

    def _codes(self, places: pl.Series) -> Ints:
        return self.clock.codes(places.fill_null(UNKNOWN).to_numpy())


def _codes_with(role: str) -> pl.Expr:
    return pl.col("code").filter(pl.col("role") == role).unique(maintain_order=True).alias(role)
