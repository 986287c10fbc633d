"""Statements of `rdf:Statement` and singleton properties: a triple that has a node of its own."""

from __future__ import annotations

import polars as pl

from lighttea.graph.timeline import UNKNOWN
from lighttea.io.rdf.tables import Tables
from lighttea.io.rdf.time_predicates import local_name
from lighttea.io.rdf.vocabulary import RDF

_SUBJECT, _PREDICATE, _OBJECT = (f"{RDF}{part}" for part in ("subject", "predicate", "object"))
_STATEMENT = f"{RDF}Statement"
_SINGLETON = "singletonpropertyof"


def find_reified(tables: Tables) -> int:
    """Take classic reification for statements; return how many there are.

    A statement has one subject, one predicate and at least one object. Others stay entities.
    """
    if tables.number_of(_SUBJECT) == UNKNOWN:
        return 0
    subjects, predicates = (_only_value(tables, part) for part in (_SUBJECT, _PREDICATE))
    whole = subjects.rename({"tail": "head"}).join(
        _relations(tables, predicates), on="node", maintain_order="left"
    )
    objects = tables.number_of(_OBJECT)
    nodes = _values(tables.facts.rename({"head": "node"}), whole, "relation", objects)
    literals = _values(tables.literals.rename({"head": "node"}), whole, "relation", objects)
    dates = _values(tables.dates, whole, "predicate", objects)
    whole_nodes = pl.concat([part["node"] for part in (nodes, literals, dates)]).unique()
    columns = tables.reified.columns
    tables.reified = pl.concat([tables.reified, nodes.select(columns)])
    tables.reified_literals = pl.concat([tables.reified_literals, literals.select(columns)])
    tables.add_dates(dates.select("time", "graph", node="head", predicate="relation"))
    tables.hide(dates["node"].unique())
    _take_out_parts(tables, whole_nodes)
    _count_incomplete(tables, whole_nodes)
    return len(whole_nodes)


def _only_value(tables: Tables, predicate: str) -> pl.DataFrame:
    """Return node, tail and graph of a predicate for the nodes that have one value."""
    rows = tables.facts.filter(pl.col("relation") == tables.number_of(predicate))
    rows = rows.select("tail", "graph", node="head").unique(["node", "tail"], maintain_order=True)
    return rows.filter(pl.len().over("node") == 1)


def _relations(tables: Tables, predicates: pl.DataFrame) -> pl.DataFrame:
    """Return node and the number of its predicate in facts; blank nodes are no predicates."""
    tails = predicates["tail"].unique()
    names = [tables.names[tail] for tail in tails]
    number = tables.collected.predicate_number
    numbers = [UNKNOWN if name.startswith("_:") else number(name) for name in names]
    known = pl.DataFrame({"tail": tails, "relation": pl.Series(numbers, dtype=pl.Int32)})
    rows = predicates.join(known.filter(pl.col("relation") != UNKNOWN), on="tail")
    return rows.select("node", "relation")


def _values(rows: pl.DataFrame, whole: pl.DataFrame, column: str, number: int) -> pl.DataFrame:
    """Return the objects of whole statements with their head and relation."""
    objects = rows.filter(pl.col(column) == number).drop(column, "graph")
    return (
        whole.join(objects, on="node", maintain_order="left")
        .select(
            "node", "head", "relation", pl.exclude("node", "head", "relation", "graph"), "graph"
        )
        .unique(maintain_order=True)
    )


def _take_out_parts(tables: Tables, nodes: pl.Series) -> None:
    """Take the triples that make up statements out of facts, literals and dates."""
    parts = tables.numbers_of([_SUBJECT, _PREDICATE, _OBJECT])
    statement = tables.nodes_of([_STATEMENT])
    of_node = pl.col("head").is_in(nodes.implode())
    is_part = of_node & pl.col("relation").is_in(parts)
    is_type = pl.col("relation") == tables.type_predicate
    says_statement = of_node & is_type & pl.col("tail").is_in(statement)
    tables.facts = tables.facts.filter(~(is_part | says_statement))
    tables.literals = tables.literals.filter(~is_part)
    of_date = pl.col("node").is_in(nodes.implode()) & pl.col("predicate").is_in(parts)
    tables.dates = tables.dates.filter(~of_date)


def _count_incomplete(tables: Tables, whole_nodes: pl.Series) -> None:
    """Count the nodes called statements that lack a part or have several subjects."""
    called = tables.typed([_STATEMENT])
    incomplete = called.filter(~called.is_in(whole_nodes.implode()))
    known = tables.statement_nodes()  # reified in another way
    tables.counts["incomplete statements"] = int((~known[incomplete.to_numpy()]).sum())


def find_singletons(tables: Tables) -> int:
    """Take triples whose predicate is a singleton property for statements; return how many.

    The property's node has the time, and the triple has the property that it is a single use of.
    """
    predicates = tables.collected.predicates
    says_so = [number for name, number in predicates.items() if _is_singleton(name)]
    if not says_so:
        return 0
    uses = _singleton_uses(tables, says_so)
    nodes = _single_triples(uses, tables.facts)
    literals = _single_triples(uses, tables.literals)
    dates = tables.dates.rename({"predicate": "single"}).drop_nulls()
    dated = dates.rename({"node": "head"}).join(uses, on="single", maintain_order="left")
    tables.add_statements(nodes)
    tables.add_literal_statements(literals)
    tables.add_dates(dated.select("time", "graph", node="head", predicate="relation"))
    tables.hide(dated["node"].unique())
    used = uses["single"].implode()
    in_facts = pl.col("relation").is_in(says_so) | pl.col("relation").is_in(used)
    tables.facts = tables.facts.filter(~in_facts)
    tables.literals = tables.literals.filter(~pl.col("relation").is_in(used))
    tables.dates = tables.dates.filter(~pl.col("predicate").is_in(used))
    return pl.concat([nodes["node"], literals["node"], dated["node"].cast(pl.Int32)]).n_unique()


def _is_singleton(predicate: str) -> bool:
    return local_name(predicate).lower() == _SINGLETON


def _singleton_uses(tables: Tables, says_so: list[int]) -> pl.DataFrame:
    """Return node, single (its number as a predicate) and relation, the property it stands for."""
    rows = tables.facts.filter(pl.col("relation").is_in(says_so))
    rows = rows.unique("head", keep="first", maintain_order=True)
    names, collected = tables.names, tables.collected
    number = collected.predicates.get
    uses = [
        (node, number(names[node], UNKNOWN), collected.predicate_number(names[of]))
        for node, of in rows.select("head", "tail").iter_rows()
        if not names[of].startswith("_:")
    ]
    schema = dict.fromkeys(("node", "single", "relation"), pl.Int32)
    return pl.DataFrame(uses, schema=schema, orient="row").filter(pl.col("single") != UNKNOWN)


def _single_triples(uses: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return node, head, relation and tail of the triples whose predicate is a single use."""
    triples = rows.select("head", "tail", single="relation")
    return triples.join(uses, on="single", maintain_order="left").select(
        "node", "head", "relation", "tail"
    )
