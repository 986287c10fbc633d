"""Nodes that are dated facts by their shape: a begin or an end, and otherwise two entities.

Which nodes these are is judged with care, because an entity that is taken for a fact is lost. See
docs/decisions/rdf.md.
"""

from __future__ import annotations

import polars as pl

from lighttea.io.rdf.models.class_words import (
    is_name,
    is_relation,
    is_thing,
    leads_to_subject,
    leads_to_value,
    marks_entity,
    subject_rank,
    tells_setting,
)
from lighttea.io.rdf.models.dates import literal_times, with_roles
from lighttea.io.rdf.models.qualified import take_statements
from lighttea.io.rdf.tables import STATED, Tables
from lighttea.io.rdf.time_predicates import local_name
from lighttea.io.rdf.vocabulary import LABELS

_MOST_LITERALS = 3  # beside times; a node that says more of itself is an entity
_MOST_LINKS = 6
_SHARE_OF_CLASS = 0.9
_ENOUGH = 3  # nodes of a class that has a begin alone
_SHOWN = 3
_OF_EVERYTHING = (
    *(f"http://www.w3.org/2002/07/owl#{name}" for name in ("Thing", "NamedIndividual")),
    "http://www.w3.org/2000/01/rdf-schema#Resource",
)


def find_nary(tables: Tables) -> list[str]:
    """Take nodes of this shape for statements; return a note on them."""
    times = _times_of_nodes(tables)
    if times.is_empty():
        return []
    links = _links_of(tables, _candidates(tables, times))
    once = _without_inverses(links)
    nodes = _describe(tables, once, times)
    chosen = nodes.filter(_are_facts(tables, nodes))
    if chosen.is_empty():
        return []
    stated = _state(tables, once.filter(pl.col("node").is_in(chosen["node"].implode())))
    parts = links.select("node", written="relation")
    parts = stated.select("node").unique().join(parts, on="node").rename({"written": "relation"})
    take_statements(tables, stated.select(STATED), stated, parts.unique())
    tables.recognised["n-ary nodes"] = count = stated["node"].n_unique()
    relations = stated["relation"].unique(maintain_order=True)
    names = list(tables.collected.predicates)
    shown = ", ".join(local_name(names[number]) for number in relations.head(_SHOWN))
    shown += ", ..." * (len(relations) > _SHOWN)
    return [
        f"{count:,} nodes with a time and two entities were read as facts between the two "
        f"({shown}); `nary=False` keeps them as entities"
    ]


def _times_of_nodes(tables: Tables) -> pl.DataFrame:
    """Return node and role of every date that would be the time of a statement."""
    dates = with_roles(tables, tables.dates).drop_nulls("role").select("node", "role")
    texts = with_roles(tables, literal_times(tables)).select("node", "role")
    spans = tables.spans.select("node", role=pl.lit("span"))
    return pl.concat([dates, texts, spans]).unique(maintain_order=True)


def _candidates(tables: Tables, times: pl.DataFrame) -> pl.Series:
    """Return the nodes with a time that are neither statements, names of graphs nor classes."""
    classes = tables.facts.filter(pl.col("relation") == tables.type_predicate)["tail"]
    graphs = pl.concat([tables.facts["graph"], tables.literals["graph"]]).unique()
    taken = tables.statement_nodes() | tables.mark(tables.technical)
    taken |= tables.mark(classes, graphs.filter(graphs >= 0), tables.full_values["value"])
    nodes = times["node"].unique(maintain_order=True)
    return nodes.filter(~taken[nodes.to_numpy()])


def _links_of(tables: Tables, nodes: pl.Series) -> pl.DataFrame:
    """Return node, relation, other, whether the link leads away, and its place in the file."""
    facts = tables.facts.filter(pl.col("relation") != tables.type_predicate).with_row_index("place")
    of_node = pl.col("node").is_in(nodes.implode())
    away = facts.select("place", "relation", node="head", other="tail", away=True)
    into = facts.select("place", "relation", node="tail", other="head", away=False)
    links = pl.concat([away.filter(of_node), into.filter(of_node)])
    return links.unique(["node", "relation", "other", "away"], keep="first", maintain_order=True)


def _without_inverses(links: pl.DataFrame) -> pl.DataFrame:
    """Return the links without those that lead back to an entity that leads to the node.

    `:Ada :job :j` and `:j :employee :Ada` say one thing in two directions.
    """
    into = links.filter(~pl.col("away")).select("node", "other", away=True)
    return links.join(into, on=["node", "other", "away"], how="anti", maintain_order="left")


def _describe(tables: Tables, links: pl.DataFrame, times: pl.DataFrame) -> pl.DataFrame:
    """Return the nodes that could be facts: links, classes, times, and what makes them entities."""
    names = list(tables.collected.predicates)
    settings = pl.Series([tells_setting(name) for name in names], dtype=pl.Boolean)
    subjects = pl.Series([leads_to_subject(name) for name in names], dtype=pl.Boolean)
    links = links.with_columns(
        setting=settings.gather(links["relation"]), subject=subjects.gather(links["relation"])
    )
    nodes = (
        links.sort("node", "away", "relation")
        .group_by("node", maintain_order=True)
        .agg(
            n_links=pl.len(),
            n_others=pl.col("other").n_unique(),
            n_into=(~pl.col("away")).sum(),
            has_setting=pl.col("setting").any(),
            has_subject=(pl.col("subject") | ~pl.col("away")).any(),
            to_itself=(pl.col("other") == pl.col("node")).any(),
            shape=pl.format("{}{}", pl.col("away"), "relation").str.join(" "),
        )
        .filter((pl.col("n_others") == pl.col("n_links")) & ~pl.col("to_itself"))
        .filter(pl.col("n_links").is_between(2, _MOST_LINKS))
    )
    roles = times.group_by("node").agg(
        is_interval=(pl.col("role") == "span").any()
        | (pl.col("role").is_in(["begin", "end"]).sum() == 2)
    )
    nodes = nodes.join(roles, on="node", maintain_order="left")
    nodes = nodes.filter(~tables.mark(_entities(tables, links, nodes))[nodes["node"].to_numpy()])
    return _with_shares(tables, _with_classes(tables, nodes), links)


def _entities(tables: Tables, links: pl.DataFrame, nodes: pl.DataFrame) -> pl.Series:
    """Return the nodes that something marks as entities.

    A name, many literals, a date that is no begin, end or point, another id, a link to a node that
    may itself be a fact.
    """
    predicates = tables.collected.predicates
    by_link = [number for name, number in predicates.items() if marks_entity(name)]
    named = [number for name, number in predicates.items() if name in LABELS or is_name(name)]
    literals = tables.literals.filter(
        tables.mark(nodes["node"])[tables.literals["head"].to_numpy()]
    )
    of_time = pl.col("relation").is_in(tables.statement_roles().is_not_null().arg_true().implode())
    says_much = (
        literals.filter(~of_time).group_by("head").len().filter(pl.col("len") > _MOST_LITERALS)
    )
    dated = with_roles(tables, tables.dates).filter(pl.col("role").is_null())["node"]
    hidden = tables.statement_nodes() | tables.mark(tables.technical) | tables.mark(nodes["node"])
    return pl.concat(
        [
            links.filter(pl.col("relation").is_in(by_link))["node"],
            links.filter(hidden[links["other"].to_numpy()])["node"],
            literals.filter(pl.col("relation").is_in(named))["head"],
            says_much["head"],
            dated,
        ]
    )


def _with_classes(tables: Tables, nodes: pl.DataFrame) -> pl.DataFrame:
    """Return the nodes with their group, a class or else a set of predicates, and its size."""
    types = _types(tables)
    own = types.join(nodes.select("node"), on="node", how="semi", maintain_order="left")
    words = [(is_thing(tables.names[t]), is_relation(tables.names[t])) for t in own["tail"]]
    own = own.with_columns(
        thing=pl.Series([thing for thing, _ in words], dtype=pl.Boolean),
        relates=pl.Series([relates for _, relates in words], dtype=pl.Boolean),
    )
    classes = own.group_by("node", maintain_order=True).agg(
        pl.col("tail").sort_by("class_size").first().alias("class"),
        pl.col("class_size").min(),
        pl.col("thing").any(),
        pl.col("relates").any(),
    )
    blank = pl.Series([tables.names[n].startswith("_:") for n in nodes["node"]], dtype=pl.Boolean)
    return nodes.with_columns(blank=blank).join(
        classes, on="node", how="left", maintain_order="left"
    )


def _types(tables: Tables) -> pl.DataFrame:
    """Return node, tail (a class of it) and class_size, without classes that everything has."""
    is_type = pl.col("relation") == tables.type_predicate
    says_something = ~pl.col("tail").is_in(tables.nodes_of(_OF_EVERYTHING))
    types = tables.facts.filter(is_type & says_something)
    types = types.select("tail", node="head").unique(maintain_order=True)
    return types.with_columns(class_size=pl.len().over("tail"))


def _with_shares(tables: Tables, nodes: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """Return the nodes with the share of their kind that has the shape.

    The kind is the class; without one, it is all nodes with the same predicate, the rarest one.
    """
    pairs = nodes.filter(pl.col("n_links") == 2).select("node")
    own = links.join(pairs, on="node", how="semi")
    kind = ["relation", "away"]
    counts = own.group_by(kind).agg(n_own=pl.col("node").n_unique())
    facts = tables.facts.join(counts.select("relation").unique(), on="relation", how="semi")
    totals = pl.concat(
        [
            facts.group_by("relation").agg(n=pl.col(end).n_unique(), away=pl.lit(away).first())
            for end, away in (("head", True), ("tail", False))
        ]
    )
    shares = own.join(counts, on=kind).join(totals, on=kind)
    shares = shares.group_by("node").agg(share=(pl.col("n_own") / pl.col("n")).max())
    in_class = (pl.col("n_links") == 2).sum().over("class") / pl.col("class_size")
    nodes = nodes.join(shares, on="node", how="left", maintain_order="left")
    by_class = pl.col("class").is_not_null()
    return nodes.with_columns(share=pl.when(by_class).then(in_class).otherwise("share"))


def _are_facts(tables: Tables, nodes: pl.DataFrame) -> pl.Series:
    """Mark the nodes that are taken for facts.

    A blank node needs the shape alone. A node with an IRI needs a class or a predicate whose nodes
    nearly all have the shape, and a sign that it relates for a time: the name of its class; an
    interval and either a subject or others like it; no name where the entities that it links have
    one. Links such as location tell a thing.
    """
    nodes = nodes.with_columns(pl.col("thing", "relates").fill_null(value=False))
    group = pl.coalesce(pl.col("class").cast(pl.String), pl.col("shape"))
    two = pl.col("n_links") == 2
    one_shape = pl.col("shape").filter(two).n_unique().over(group) == 1
    alike = (pl.col("share") >= _SHARE_OF_CLASS) & one_shape
    interval = pl.col("is_interval").any().over(group)
    many = pl.len().over(group) >= _ENOUGH
    named = many & pl.Series(_link_named(tables, nodes), dtype=pl.Boolean)
    by_shape = (interval & (pl.col("has_subject") | many)) | named
    sign = pl.col("relates") | (by_shape & ~pl.col("has_setting"))
    with_iri = two & alike & sign
    several = pl.col("blank") & (pl.col("n_into") == 1) & (pl.col("relates") | interval)
    marked = nodes.select(
        ~pl.col("thing") & pl.when(two).then(pl.col("blank") | with_iri).otherwise(several)
    )
    return marked.to_series()


def _link_named(tables: Tables, nodes: pl.DataFrame) -> list[bool]:
    """Return for each node whether all entities that it links have a name."""
    named = tables.mark(
        tables.literals.filter(pl.col("relation").is_in(tables.numbers_of(LABELS)))["head"]
    )
    links = _links_of(tables, nodes["node"])
    links = links.with_columns(pl.Series("named", named[links["other"].to_numpy()]))
    all_named = links.group_by("node").agg(pl.col("named").all())
    return nodes.join(all_named, on="node", how="left", maintain_order="left")["named"].to_list()


def _state(tables: Tables, links: pl.DataFrame) -> pl.DataFrame:
    """Return the statements of the chosen nodes: node, head, relation, tail.

    The head is what points at the node, or else what the most subject-like predicate leads to, or
    the first in the file. The relation is the predicate that leads to the tail.
    """
    names = list(tables.collected.predicates)
    rank = pl.Series([subject_rank(name) for name in names], dtype=pl.Int32)
    links = links.with_columns(rank=rank.gather(links["relation"]))
    first = links.group_by("relation").agg(first=pl.col("place").min())
    links = links.join(first, on="relation", maintain_order="left")
    ordered = links.sort("node", "away", "rank", "first", "place")
    heads = ordered.unique("node", keep="first", maintain_order=True)
    tails = ordered.join(heads.select("node", "place"), on=["node", "place"], how="anti")
    stated = tails.sort("place").join(
        heads.select("node", head="other", lead="relation", into=~pl.col("away")), on="node"
    )
    return _name_relations(tables, stated.rename({"other": "tail"}))


def _name_relations(tables: Tables, stated: pl.DataFrame) -> pl.DataFrame:
    """Return the statements with relations that keep apart what the nodes keep apart.

    Where one predicate leads on from nodes of several kinds, the kind goes before it: the predicate
    that leads to the node, or else its class.
    """
    classes = _types(tables).sort("class_size", maintain_order=True)
    classes = classes.unique("node", keep="first", maintain_order=True)
    classes = classes.select("node", pl.col("tail").alias("class"))
    stated = stated.join(classes, on="node", how="left", maintain_order="left")
    names, nodes = list(tables.collected.predicates), tables.names
    kinds = [
        names[lead] if into else nodes[kind] if kind is not None else ""
        for lead, into, kind in stated.select("lead", "into", "class").iter_rows()
    ]
    stated = stated.with_columns(kind=pl.Series(kinds, dtype=pl.String))
    several = pl.col("kind").n_unique().over("relation") > 1
    keys = stated.select("kind", "relation", several=several)
    number = tables.collected.predicate_number
    relations = [
        number(_relation_name(kind, names[relation], several=is_several))
        for kind, relation, is_several in keys.iter_rows()
    ]
    return stated.with_columns(relation=pl.Series(relations, dtype=pl.Int32))


def _relation_name(kind: str, predicate: str, *, several: bool) -> str:
    """Return the relation of a statement from the kind of its node and the onward predicate."""
    if not kind or kind == predicate or kind.startswith("_:"):
        return predicate
    if leads_to_value(predicate):
        return kind
    separator = "" if kind.endswith(("/", "#")) else "/"
    return f"{kind}{separator}{local_name(predicate)}" if several else predicate
