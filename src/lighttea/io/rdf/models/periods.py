"""Nodes that stand for a time: instants and intervals of OWL-Time, and periods by their shape.

What points at such a node gets its time. A time with a name, such as an era, stays an entity
as well; a node that links to other entities is none.
"""

from __future__ import annotations

import polars as pl

from lighttea.graph.timeline import UNKNOWN
from lighttea.io.rdf.models.dates import with_roles
from lighttea.io.rdf.tables import Tables
from lighttea.io.rdf.time_predicates import INSTANTS, OWL_TIME

_PERIODS = (
    *(OWL_TIME + name for name in ("Interval", "ProperInterval", "DateTimeInterval")),
    *(f"{OWL_TIME}TemporalEntity", "http://purl.org/dc/terms/PeriodOfTime"),
)
_BOUNDS = (f"{OWL_TIME}hasBeginning", f"{OWL_TIME}hasEnd")


def find_periods(tables: Tables, *, nary: bool) -> int:
    """Give the times of instants and periods to what points at them; return how many there are.

    Without `nary` only those in a known vocabulary count.
    """
    return _find_instants(tables) + _find_intervals(tables, nary=nary)


def _find_instants(tables: Tables) -> int:
    """Turn links to instants into dates of their heads."""
    dated = tables.dates.filter(pl.col("predicate").is_in(tables.numbers_of(INSTANTS)))
    if dated.is_empty():
        return 0
    exactness = pl.Series([len(text) for text in tables.collected.times], dtype=pl.Int32)
    instants = (
        dated.with_columns(exactness.gather(dated["time"]).alias("exact"))
        .sort("exact", descending=True, maintain_order=True)
        .unique("node", keep="first", maintain_order=True)
        .select("node", begin="time", end="time")
    )
    return _give_times(tables, instants)


def _find_intervals(tables: Tables, *, nary: bool) -> int:
    """Turn links to intervals into spans of their heads."""
    bounds = with_roles(tables, tables.dates).filter(pl.col("role").is_in(["begin", "end"]))
    if bounds.is_empty():
        return 0
    known = _known_periods(tables, bounds, nary=nary)
    intervals = (
        bounds.filter(pl.col("node").is_in(known.implode()))
        .group_by("node", maintain_order=True)
        .agg(_first_time("begin"), _first_time("end"))
    )
    return _give_times(tables, intervals)


def _first_time(role: str) -> pl.Expr:
    return pl.col("time").filter(pl.col("role") == role).first().fill_null(UNKNOWN).alias(role)


def _known_periods(tables: Tables, bounds: pl.DataFrame, *, nary: bool) -> pl.Series:
    """Return the nodes with a begin or an end that a vocabulary or their shape calls a period."""
    by_owl = bounds.filter(pl.col("predicate").is_in(tables.numbers_of(_BOUNDS)))["node"]
    nodes = bounds["node"].unique(maintain_order=True)
    is_known = nodes.is_in(tables.typed(_PERIODS).implode()) | nodes.is_in(by_owl.implode())
    if nary:
        is_known |= _look_like_periods(tables, nodes)
    return nodes.filter(is_known)


def _look_like_periods(tables: Tables, nodes: pl.Series) -> pl.Series:
    """Mark the blank nodes without a class that one node points at."""
    names, is_type = tables.names, pl.col("relation") == tables.type_predicate
    blank = pl.Series([names[node].startswith("_:") for node in nodes], dtype=pl.Boolean)
    into = tables.facts.filter(pl.col("tail").is_in(nodes.implode())).unique(["head", "tail"])
    once = into.filter(pl.len().over("tail") == 1)["tail"]
    typed = tables.facts.filter(is_type)["head"]
    return blank & nodes.is_in(once.implode()) & ~nodes.is_in(typed.implode())


def _give_times(tables: Tables, times: pl.DataFrame) -> int:
    """Give the begin and end of each time node to what points at it; return how many there are.

    A begin or an end may be an instant: its link is then a date. The others are spans.
    """
    if times.is_empty():
        return 0
    times = times.filter(~tables.statement_nodes()[times["node"].to_numpy()])
    times = _without_links(tables, times)
    pointed = pl.col("tail").is_in(times["node"].implode())
    links = tables.facts.filter(pointed & (pl.col("relation") != tables.type_predicate))
    links = links.join(times.rename({"node": "tail"}), on="tail", maintain_order="left")
    links = with_roles(tables, links.rename({"head": "node", "relation": "predicate"}))
    is_bound = pl.col("role").is_in(["begin", "end"]) & (pl.col("begin") == pl.col("end"))
    tables.add_dates(links.filter(is_bound).rename({"begin": "time"}))
    tables.add_spans(links.filter(~is_bound.fill_null(value=False)))
    used = links["tail"].unique(maintain_order=True)
    pure = used.filter(~used.is_in(_named(tables, used).implode()))
    is_used = pl.col("tail").is_in(pure.implode()) & (pl.col("relation") != tables.type_predicate)
    tables.facts = tables.facts.filter(~is_used)
    _take_out(tables, pure)
    return len(used)


def _without_links(tables: Tables, times: pl.DataFrame) -> pl.DataFrame:
    """Return the time nodes that link to no entity, their class and other times aside."""
    own = {number for name, number in tables.collected.predicates.items() if _is_owl_time(name)}
    allowed = pl.col("relation").is_in([*own, tables.type_predicate])
    linking = tables.facts.filter(~allowed)["head"]
    return times.filter(~tables.mark(linking)[times["node"].to_numpy()])


def _is_owl_time(predicate: str) -> bool:
    return predicate.startswith(OWL_TIME)


def _named(tables: Tables, nodes: pl.Series) -> pl.Series:
    """Return the time nodes that say more than a time: these are entities too."""
    own = [number for name, number in tables.collected.predicates.items() if _is_owl_time(name)]
    others = tables.literals.filter(~pl.col("relation").is_in(own))["head"]
    dates = with_roles(tables, tables.dates).filter(pl.col("role").is_null())["node"]
    return nodes.filter(nodes.is_in(pl.concat([others, dates]).implode()))


def _take_out(tables: Tables, nodes: pl.Series) -> None:
    """Hide time nodes that are nothing else; their classes and dates are used up."""
    hidden = tables.mark(nodes)
    facts, dates = tables.facts, tables.dates
    is_type = (facts["relation"] == tables.type_predicate).to_numpy()
    tables.facts = facts.filter(~(hidden[facts["head"].to_numpy()] & is_type))
    tables.dates = dates.filter(~hidden[dates["node"].to_numpy()])
    tables.hide(nodes)
