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
from lighttea.io.rdf.dates import time_of_graph_name
from lighttea.io.rdf.tables import ANY_GRAPH, TRIPLE, Tables
from lighttea.io.rdf.vocabulary import is_technical, is_wikibase_relation
from lighttea.io.spans import combine_times
from lighttea.types import Bools, Ints

_ROW = [*TRIPLE, "begin", "end"]
_UNKNOWN = pl.lit(UNKNOWN, pl.Int32)


@dataclass(frozen=True)
class Resolved:
    """Facts and literals over the collector's nodes and predicates, and the instants they name."""

    facts: Facts
    literals: Facts  # whose tails are numbers of literals
    times: TimeCodes


class Resolver:
    """Turns the tables of a collector into facts."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.collected = tables.collected
        self.counts = tables.counts
        self.names = tables.names
        self.predicates = list(tables.collected.predicates)
        self.claims = tables.claims
        self.deprecated = tables.deprecated
        self.dates = tables.dates

    def resolve(self) -> Resolved:
        """Return all facts of the file."""
        tables = self.tables
        nodes = tables.statement_nodes()
        statements = self._statements(nodes)
        on_statement = nodes[self.dates["node"].to_numpy()]
        qualifiers = self.dates.filter(on_statement)
        self.dates = self.dates.filter(~on_statement)
        graphs = pl.concat([tables.facts["graph"], tables.literals["graph"]])
        graph_times = self._graph_times(graphs)
        self.times = TimeCodes.of(list(self.collected.times))  # every text is known by now
        timed = self._add_times(statements, qualifiers)
        technical = self._mark_technical()
        of_entities = self._entity_dates(qualifiers, technical)
        plain = self._plain_facts(tables.facts, graph_times, timed, nodes | technical)
        rows = pl.concat([plain, _distinct(timed), of_entities, self._entity_spans(nodes)])
        if self.collected.fused_base is not None:
            rows = rows.unique(maintain_order=True)  # what both sides say stands in two graphs
        self.counts["facts"] = len(rows)
        literals = self._literals(qualifiers, graph_times, nodes | technical)
        self.counts["literals"] = len(literals)
        return Resolved(_facts_of(rows), _facts_of(literals), self.times)

    def _literals(
        self, qualifiers: pl.DataFrame, graph_times: pl.DataFrame, hidden: Bools
    ) -> pl.DataFrame:
        """Return the literals of entities with their times; tails are numbers of literals."""
        tables = self.tables
        values = self.claims.join(
            tables.literal_values, on=["node", "relation"], maintain_order="left"
        )
        self.counts["about statements"] += len(tables.literal_values) - len(values)
        claims = values.filter(~pl.col("node").is_in(self.deprecated.implode()))
        quoted = self._of_entities(tables.reified_literals, hidden)
        grouped = self._grouped([claims, tables.stated_literals], quoted)
        timed = self._add_times(grouped, qualifiers)
        asserted = self._of_entities(tables.literals, hidden)
        plain = self._with_graph_times(asserted, graph_times, timed)
        return pl.concat([plain, _distinct(timed)]).unique(maintain_order=True)

    def _of_entities(self, literals: pl.DataFrame, hidden: Bools) -> pl.DataFrame:
        """Return the literals of entities; those of statements are counted."""
        about = hidden[literals["head"].to_numpy()]
        self.counts["about statements"] += int(about.sum())
        return literals.filter(~about)

    def _mark_technical(self) -> Bools:
        """Mark the nodes of layouts; without Wikibase's predicates there are none of its own."""
        mark = self.tables.mark(self.tables.full_values["value"], self.tables.technical)
        if self.counts["technical"] or len(self.claims):
            mark |= np.fromiter(map(is_technical, self.names), bool, len(self.names))
        return mark

    def _statements(self, nodes: Bools) -> pl.DataFrame:
        """Return node, head, relation, tail and the group of equal statements.

        Unnamed quotations of one triple are one statement; a named reifier and a node of a
        statement are statements of their own.
        """
        tables = self.tables
        claims = self.claims.join(tables.values, on=["node", "relation"], maintain_order="left")
        claims = claims.filter(~pl.col("node").is_in(self.deprecated.implode()))
        claims = self._with_known_values(claims)
        self.counts["deprecated"] += len(self.deprecated)
        quoted = tables.reified.filter(pl.col("tail") != UNKNOWN)
        asserted = [claims, self._between_entities(tables.stated, nodes)]
        return self._grouped(asserted, self._between_entities(quoted, nodes))

    def _between_entities(self, rows: pl.DataFrame, nodes: Bools) -> pl.DataFrame:
        """Return the statements whose ends are no statements; the others are counted."""
        about = np.logical_or(*(nodes[rows[end].to_numpy()] for end in ("head", "tail")))
        self.counts["about statements"] += int(about.sum())
        return rows.filter(~about)

    def _grouped(self, asserted: list[pl.DataFrame], quoted: pl.DataFrame) -> pl.DataFrame:
        """Return asserted and quoted statements together, with the group of equal statements."""
        nameless = np.array([self.names[node].startswith("_:") for node in quoted["node"]], bool)
        merged = pl.Series(nameless, dtype=pl.Boolean) & (quoted["graph"] == ANY_GRAPH)
        key = pl.when(merged).then(UNKNOWN).otherwise("node")
        quoted = quoted.with_columns(key=key.cast(pl.Int32), quoted=pl.lit(value=True))
        any_graph = pl.lit(ANY_GRAPH, pl.Int32).alias("graph")
        stated = pl.concat([rows.select("node", *TRIPLE, any_graph) for rows in asserted])
        stated = stated.with_columns(key=pl.col("node"), quoted=pl.lit(value=False))
        both = pl.concat([stated.select(quoted.columns), quoted])
        return both.with_columns(group=pl.struct(*TRIPLE, "key").rank("dense").cast(pl.Int32))

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
        """Return the statements with their times and graphs.

        A triple that is quoted with a time is a fact, whether or not it is also asserted. One that
        is quoted without a time is none by itself: `begin` is null.
        """
        times = self._intervals_of_groups(statements, qualifiers)
        rows = statements.unique(["group"], keep="first", maintain_order=True).join(
            times, on="group", how="left", maintain_order="left"
        )
        untimed = pl.col("begin").is_null() & pl.col("end").is_null()
        if self.collected.fused_base is None:
            self.counts["quoted without time"] += rows.filter(untimed & pl.col("quoted")).height
        rows = rows.with_columns(
            pl.when(untimed & ~pl.col("quoted")).then(_UNKNOWN).otherwise(end).alias(end)
            for end in ("begin", "end")
        )
        return rows.select(*_ROW, "graph").unique(maintain_order=True)

    def _intervals_of_groups(
        self, statements: pl.DataFrame, qualifiers: pl.DataFrame
    ) -> pl.DataFrame:
        """Return group, begin and end, a row for each time of a statement."""
        role = self.tables.statement_roles().gather(qualifiers["predicate"])
        groups = statements.select("node", "group").unique(maintain_order=True)
        stated = (
            qualifiers.with_columns(
                role=role, code=pl.Series(self.times.codes(qualifiers["time"].to_numpy()))
            )
            .filter(pl.col("role").is_not_null() & (pl.col("code") != UNKNOWN))
            .join(groups, on="node", maintain_order="left")
            .group_by("group", maintain_order=True)
            .agg(_codes_with(role) for role in ("begin", "end", "time"))
        )
        order = self.times.instants.second.tolist()
        intervals = [
            (group, *span)
            for group, begins, ends, points in stated.iter_rows()
            for span in combine_times(begins, ends, points, order)
        ]
        combined = pl.DataFrame(
            intervals, schema=dict.fromkeys(("group", "begin", "end"), pl.Int32), orient="row"
        )
        spans = self._coded_spans().join(groups, on="node", maintain_order="left")
        return pl.concat([combined, spans.select("group", "begin", "end")]).unique(
            maintain_order=True
        )

    def _coded_spans(self) -> pl.DataFrame:
        """Return the spans of nodes with codes of instants; those without any are left out."""
        spans = self.tables.spans
        begin, end = (pl.Series(side, self._codes(spans[side])) for side in ("begin", "end"))
        return spans.with_columns(begin, end).filter(pl.max_horizontal("begin", "end") != UNKNOWN)

    def _entity_spans(self, nodes: Bools) -> pl.DataFrame:
        """Return the spans of entities as facts of the entity with itself."""
        spans = self._coded_spans()
        rows = spans.filter(~nodes[spans["node"].to_numpy()])
        self.counts["entity dates"] += len(rows)
        return rows.select("begin", "end", head="node", relation="predicate", tail="node").select(
            _ROW
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
        self._count_unused(qualifiers, of_claims)
        return rows.select(_ROW)

    def _count_unused(self, qualifiers: pl.DataFrame, of_claims: pl.DataFrame) -> None:
        """Count the dates of statements that are not their times: when they were written down."""
        role = self.tables.statement_roles().gather(qualifiers["predicate"])
        values = of_claims.select("node", "predicate", "time").unique()
        unused = qualifiers.filter(role.is_null()).join(
            values, on=["node", "predicate", "time"], how="anti"
        )
        known = ~self.tables.mark(self.claims["node"])[unused["node"].to_numpy()]
        self.counts["unused dates"] += int(known.sum())

    def _graph_times(self, graphs: pl.Series) -> pl.DataFrame:
        """Return graph, graph_begin and graph_end as numbers of time texts.

        Dates of a graph in the default graph come first, then a date at the end of its name.
        """
        graphs = graphs.unique(maintain_order=True)
        graphs = graphs.filter(graphs != UNKNOWN)
        is_graph = self.tables.mark(graphs)
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
            asserted = _without_timed(asserted, timed)
        if graph_times.is_empty():
            return asserted.select(*TRIPLE, begin=_UNKNOWN, end=_UNKNOWN)
        joined = asserted.join(graph_times, on="graph", how="left", maintain_order="left")
        begin, end = (self._codes(joined[f"graph_{side}"]) for side in ("begin", "end"))
        return joined.select(*TRIPLE, begin=pl.Series(begin), end=pl.Series(end))

    def _codes(self, places: pl.Series) -> Ints:
        return self.times.codes(places.fill_null(UNKNOWN).to_numpy())


def _without_timed(asserted: pl.DataFrame, statements: pl.DataFrame) -> pl.DataFrame:
    """Return the asserted rows that no statement gives a time.

    A statement speaks of its triple everywhere, unless the triple stands in the statement's own
    graph too: then it speaks of that one. A statement without a time keeps the triple of its graph.
    """
    untimed = pl.col("begin").is_null() & pl.col("end").is_null()
    in_graph = [*TRIPLE, "graph"]
    timed = statements.filter(~untimed).select(in_graph).unique()
    kept = statements.filter(untimed & (pl.col("graph") != ANY_GRAPH)).select(in_graph).unique()
    at_home = timed.join(asserted, on=in_graph, how="semi")
    anywhere = timed.join(at_home, on=in_graph, how="anti").select(TRIPLE).unique()
    at_home = at_home.join(kept, on=in_graph, how="anti")
    for keys in (at_home, anywhere):
        if len(keys):
            asserted = asserted.join(keys, on=keys.columns, how="anti", maintain_order="left")
    return asserted


def _distinct(timed: pl.DataFrame) -> pl.DataFrame:
    """Return the distinct statements that are facts."""
    known = pl.col("begin").is_not_null() | pl.col("end").is_not_null()
    return timed.filter(known).select(_ROW).unique(maintain_order=True)


def _facts_of(rows: pl.DataFrame) -> Facts:
    return Facts(**{name: rows[name].to_numpy() for name in _ROW})


def _codes_with(role: str) -> pl.Expr:
    return pl.col("code").filter(pl.col("role") == role).unique(maintain_order=True).alias(role)
