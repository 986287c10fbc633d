"""Facts and attributes with times from the collected tables: statements and what qualifies them.

Whether a node is an entity, a statement or a graph, and so what its dates mean, is known only after
the whole file has been read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from lighttea.graph.facts import Facts
from lighttea.graph.timeline import UNKNOWN
from lighttea.io.assemble import TimeCodes
from lighttea.io.rdf.collect import Collector
from lighttea.io.rdf.dates import coarsen, time_of_graph_name
from lighttea.io.rdf.vocabulary import TIME_VALUE, is_technical, is_wikibase_relation
from lighttea.io.spans import combine_times
from lighttea.types import Bools, Ints

_TRIPLE = ["head", "relation", "tail"]
_ROW = [*_TRIPLE, "begin", "end"]


@dataclass(frozen=True)
class Resolved:
    """Facts and literals over the collector's nodes and predicates, and the instants they name."""

    facts: Facts
    literals: Facts  # whose tails are numbers of literals
    times: TimeCodes


class Resolver:
    """Turns the tables of a collector into facts."""

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
        self.literals = collected.table("literals")
        self.literal_values = collected.table("literal_values")
        self.reified_literals = collected.table("reified_literals")
        self.dates = self._refine_dates(collected.table("dates"))
        self._take_claims_for_facts()

    def resolve(self) -> Resolved:
        """Return all facts of the file."""
        collected = self.collected
        nodes = self._mark(self.claims["node"], self.reified["node"], self.reified_literals["node"])
        statements = self._statements(nodes)
        on_statement = nodes[self.dates["node"].to_numpy()]
        qualifiers = self.dates.filter(on_statement)
        self.dates = self.dates.filter(~on_statement)
        graph_times = self._graph_times(pl.concat([self.facts["graph"], self.literals["graph"]]))
        self.times = TimeCodes.of(list(collected.times))  # every text is known by now
        timed = self._add_times(statements, qualifiers)
        technical = self._mark_technical()
        of_entities = self._entity_dates(qualifiers, technical)
        plain = self._plain_facts(self.facts, graph_times, timed, nodes | technical)
        rows = pl.concat([plain, timed.select(_ROW), of_entities.select(_ROW)])
        self.counts["facts"] = len(rows)
        literals = self._literals(qualifiers, graph_times, nodes | technical)
        self.counts["literals"] = len(literals)
        return Resolved(_facts_of(rows), _facts_of(literals), self.times)

    def _literals(
        self, qualifiers: pl.DataFrame, graph_times: pl.DataFrame, hidden: Bools
    ) -> pl.DataFrame:
        """Return the literals of entities with their times; tails are numbers of literals."""
        values = self.claims.join(
            self.literal_values, on=["node", "relation"], maintain_order="left"
        )
        self.counts["about statements"] += len(self.literal_values) - len(values)
        claims = values.filter(~pl.col("node").is_in(self.deprecated.implode()))
        quoted = self._of_entities(self.reified_literals, hidden)
        timed = self._add_times(self._grouped(claims, quoted), qualifiers)
        asserted = self._of_entities(self.literals, hidden)
        plain = self._with_graph_times(asserted, graph_times, timed)
        return pl.concat([plain, timed]).unique(maintain_order=True)

    def _of_entities(self, literals: pl.DataFrame, hidden: Bools) -> pl.DataFrame:
        """Return the literals of entities; those of statements are counted."""
        about = hidden[literals["head"].to_numpy()]
        self.counts["about statements"] += int(about.sum())
        return literals.filter(~about)

    def _take_claims_for_facts(self) -> None:
        """Treat claims as facts where no statement node has a value: these are not Wikibase's."""
        dated = self.dates["node"].is_in(self.claims["node"].implode()).any()
        if len(self.claims) and not (len(self.values) or len(self.literal_values) or dated):
            unknown = pl.lit(UNKNOWN, pl.Int32)
            facts = self.claims.select("head", "relation", tail="node", graph=unknown)
            self.facts = pl.concat([self.facts, facts])
            self.claims = self.claims.clear()

    def _mark(self, *columns: pl.Series) -> Bools:
        mark = np.zeros(len(self.names), bool)
        for column in columns:
            mark[column.to_numpy()] = True
        return mark

    def _mark_technical(self) -> Bools:
        """Mark the nodes of the statement layout; without its predicates there are none."""
        mark = self._mark(self.full_values["value"])
        if self.counts["technical"] or len(self.claims):
            mark |= np.fromiter(map(is_technical, self.names), bool, len(self.names))
        return mark

    def _refine_dates(self, dates: pl.DataFrame) -> pl.DataFrame:
        """Return the dates, cut to the precision of their value nodes where they have one."""
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
        refined = self.full_values.join(exact, on="value")
        self.counts["coarse times"] += int((refined["time"] == UNKNOWN).sum())
        rest = dates.join(refined, on=["node", "predicate"], how="anti", maintain_order="left")
        known = refined.filter(pl.col("time") != UNKNOWN).select(
            "node", "predicate", "time", graph=pl.lit(UNKNOWN, pl.Int32)
        )
        return pl.concat([rest, known])

    def _coarse(self, text: str, precision: int) -> int:
        coarse = coarsen(text, precision)
        return UNKNOWN if coarse is None else self.collected.times[coarse]

    def _statements(self, nodes: Bools) -> pl.DataFrame:
        """Return node, head, relation, tail and the group of equal statements.

        Unnamed quotations of one triple are one statement; a named reifier and a statement node of
        Wikibase are statements of their own.
        """
        claims = self.claims.join(self.values, on=["node", "relation"], maintain_order="left")
        claims = claims.filter(~pl.col("node").is_in(self.deprecated.implode()))
        claims = self._with_known_values(claims)
        self.counts["deprecated"] += len(self.deprecated)
        quoted = self.reified.filter(pl.col("tail") != UNKNOWN)
        ends = (quoted[end].to_numpy() for end in ("head", "tail"))
        return self._grouped(claims, quoted.filter(~np.logical_or(*(nodes[end] for end in ends))))

    def _grouped(self, claims: pl.DataFrame, quoted: pl.DataFrame) -> pl.DataFrame:
        """Return statement nodes and quotations together, with the group of equal statements."""
        nameless = np.array([self.names[node].startswith("_:") for node in quoted["node"]], bool)
        key = pl.when(pl.Series(nameless, dtype=pl.Boolean)).then(UNKNOWN).otherwise("node")
        quoted = quoted.with_columns(key=key.cast(pl.Int32), quoted=pl.lit(value=True))
        claims = claims.select("node", *_TRIPLE, key=pl.col("node"), quoted=pl.lit(value=False))
        both = pl.concat([claims.select(quoted.columns), quoted])
        return both.with_columns(group=pl.struct(*_TRIPLE, "key").rank("dense").cast(pl.Int32))

    def _with_known_values(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows without Wikibase's unknown values, which are blank nodes."""
        wikibase = np.fromiter(map(is_wikibase_relation, self.predicates), bool)
        if not wikibase.any():
            return rows
        blank = np.fromiter((name.startswith("_:") for name in self.names), bool, len(self.names))
        unknown = wikibase[rows["relation"].to_numpy()] & blank[rows["tail"].to_numpy()]
        self.counts["unknown values"] += int(unknown.sum())
        return rows.filter(~unknown) if unknown.any() else rows

    def _add_times(self, statements: pl.DataFrame, qualifiers: pl.DataFrame) -> pl.DataFrame:
        """Return the statements with their times; quoted triples without time are left out.

        A triple that is quoted with a time is a fact, whether or not it is also asserted.
        """
        times = self._intervals_of_groups(statements, qualifiers)
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

    def _intervals_of_groups(
        self, statements: pl.DataFrame, qualifiers: pl.DataFrame
    ) -> pl.DataFrame:
        """Return group, begin and end, a row for each time of a statement."""
        role = [self.collected.time_predicates.role_of(name) for name in self.predicates]
        stated = (
            qualifiers.with_columns(
                role=pl.Series(role, dtype=pl.String).gather(qualifiers["predicate"]),
                code=pl.Series(self.times.codes(qualifiers["time"].to_numpy())),
            )
            .filter(pl.col("role").is_not_null() & (pl.col("code") != UNKNOWN))
            .join(statements.select("node", "group"), on="node", maintain_order="left")
            .group_by("group", maintain_order=True)
            .agg(_codes_with(role) for role in ("begin", "end", "time"))
        )
        order = self.times.instants.second.tolist()
        intervals = [
            (group, *span)
            for group, begins, ends, points in stated.iter_rows()
            for span in combine_times(begins, ends, points, order)
        ]
        return pl.DataFrame(
            intervals, schema=dict.fromkeys(("group", "begin", "end"), pl.Int32), orient="row"
        )

    def _entity_dates(self, qualifiers: pl.DataFrame, technical: Bools) -> pl.DataFrame:
        """Return the dates of entities, such as births, as facts of the entity with itself."""
        of_claims = qualifiers.join(
            self.claims.rename({"relation": "predicate"}), on=["node", "predicate"]
        ).filter(~pl.col("node").is_in(self.deprecated.implode()))
        by_statement = of_claims.select(pl.col("head").alias("node"), "predicate", "time")
        direct = self.dates.join(
            by_statement, on=["node", "predicate"], how="anti", maintain_order="left"
        )
        all_dates = pl.concat([by_statement, direct.select("node", "predicate", "time")])
        on_technical = technical[all_dates["node"].to_numpy()]
        code = pl.Series(self.times.codes(all_dates["time"].to_numpy()), dtype=pl.Int32)
        rows = all_dates.select(
            head="node", relation="predicate", tail="node", begin=code, end=code
        ).filter(~on_technical & (code != UNKNOWN).to_numpy())
        self.counts["entity dates"] = len(rows)
        return rows

    def _graph_times(self, graphs: pl.Series) -> pl.DataFrame:
        """Return graph, graph_begin and graph_end as numbers of time texts.

        Dates of a graph in the default graph come first, then a date at the end of its name.
        """
        graphs = graphs.unique(maintain_order=True)
        graphs = graphs.filter(graphs != UNKNOWN)
        is_graph = self._mark(graphs)
        of_graph = is_graph[self.dates["node"].to_numpy()] & (
            self.dates["graph"].to_numpy() == UNKNOWN
        )
        times_of_graph: dict[int, dict[str, set[int]]] = {}
        for node, predicate, time, _ in self.dates.filter(of_graph).iter_rows():
            role = self.collected.time_predicates.role_of(self.predicates[predicate]) or "other"
            times_of_graph.setdefault(node, {}).setdefault(role, set()).add(time)
        self.dates = self.dates.filter(~of_graph)
        rows = [
            (graph, *self._time_of_graph(graph, times_of_graph.get(graph, {}))) for graph in graphs
        ]
        timed = [row for row in rows if row[1:] != (UNKNOWN, UNKNOWN)]
        self.counts["graphs with time"] = len(timed)
        self.counts["graphs"] = len(graphs)
        columns = ("graph", "graph_begin", "graph_end")
        return pl.DataFrame(timed, schema=dict.fromkeys(columns, pl.Int32), orient="row")

    def _time_of_graph(self, graph: int, times: dict[str, set[int]]) -> tuple[int, int]:
        single = {role: next(iter(codes)) for role, codes in times.items() if len(codes) == 1}
        if "begin" in single or "end" in single:
            return single.get("begin", UNKNOWN), single.get("end", UNKNOWN)
        point = single.get("time", single.get("other", UNKNOWN))
        if point == UNKNOWN and (text := time_of_graph_name(self.names[graph])):
            point = self.collected.times[text]
        return point, point

    def _plain_facts(
        self, asserted: pl.DataFrame, graph_times: pl.DataFrame, timed: pl.DataFrame, hidden: Bools
    ) -> pl.DataFrame:
        """Return the asserted facts with the time of their graph, without those of statements."""
        if hidden.any():
            about = hidden[asserted["head"].to_numpy()] | hidden[asserted["tail"].to_numpy()]
            self.counts["about statements"] += int(about.sum())
            asserted = asserted.filter(~about)
        return self._with_graph_times(self._with_known_values(asserted), graph_times, timed)

    def _with_graph_times(
        self, asserted: pl.DataFrame, graph_times: pl.DataFrame, timed: pl.DataFrame
    ) -> pl.DataFrame:
        """Return asserted rows with the time of their graph, without those that have their own."""
        if len(timed):
            asserted = asserted.join(timed, on=_TRIPLE, how="anti", maintain_order="left")
        if graph_times.is_empty():
            unknown = pl.lit(UNKNOWN, pl.Int32)
            return asserted.select(*_TRIPLE, begin=unknown, end=unknown)
        joined = asserted.join(graph_times, on="graph", how="left", maintain_order="left")
        begin, end = (self._codes(joined[f"graph_{side}"]) for side in ("begin", "end"))
        return joined.select(*_TRIPLE, begin=pl.Series(begin), end=pl.Series(end))

    def _codes(self, places: pl.Series) -> Ints:
        return self.times.codes(places.fill_null(UNKNOWN).to_numpy())


def _facts_of(rows: pl.DataFrame) -> Facts:
    return Facts(**{name: rows[name].to_numpy() for name in _ROW})


def _codes_with(role: str) -> pl.Expr:
    return pl.col("code").filter(pl.col("role") == role).unique(maintain_order=True).alias(role)
