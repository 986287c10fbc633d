"""One graph out of two: one id for linked entities, the facts of both sides, and their conflicts.

Linked entities get the id of their left member, matching relations the name of the left one; all
others keep their own. Facts are never merged: each keeps its side, its times and its original ids.
Literals keep their attribute; what both sides say of an entity in the same words stands once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy.sparse as sp

from lighttea.export.iris import IriSource, Namespaces
from lighttea.export.links import names_of_kind
from lighttea.results.run import Run

SIDES = ("left", "right")
_FACT = ["head", "relation", "tail"]
_TIMES = ["begin", "end"]
_LITERAL = ["entity", "attribute", "value", "datatype", "language", *_TIMES]
BOTH = "both"  # the side of a literal that both sides have


@dataclass(frozen=True)
class FusedGraph:
    """Tables of a fused graph.

    `entities`: entity, side, id, iri, name, confidence, fdr, a row for each member; `relations`:
    relation, side, id, name, turned; `facts`: head, relation, tail, begin, end, side, and
    source_head, source_relation, source_tail with the ids of the side; `disputed`: facts of both
    sides with the same entities and relation at contradicting times; `attributes`: entity,
    attribute, value, datatype, language, begin, end, side, which is left, right or both, and the
    name of the attribute.
    """

    entities: pl.DataFrame
    relations: pl.DataFrame
    facts: pl.DataFrame
    disputed: pl.DataFrame
    attributes: pl.DataFrame

    def conflicts(self) -> pl.DataFrame:
        """Return head, relation, tail, their names, and the contradicting times of each side."""
        text = pl.concat_str([pl.col(end).fill_null("..") for end in _TIMES], separator="/")
        times = [
            text.filter(pl.col("side") == side).sort().alias(f"{side}_times") for side in SIDES
        ]
        conflicts = self.disputed.group_by(_FACT, maintain_order=True).agg(times)
        for column, table in (
            ("head", self._names(self.entities, "entity")),
            ("relation", self._names(self.relations, "relation")),
            ("tail", self._names(self.entities, "entity")),
        ):
            names = table.rename({"key": column, "name": f"{column}_name"})
            conflicts = conflicts.join(names, on=column, how="left", maintain_order="left")
        return conflicts

    @staticmethod
    def _names(table: pl.DataFrame, key: str) -> pl.DataFrame:
        """Return one name, or else the id, of each entity or relation; the left one of two."""
        named = table.sort(pl.col("name").is_null(), "side", maintain_order=True)
        first = named.unique(key, keep="first", maintain_order=True)
        return first.select(key=key, name=pl.coalesce("name", "id"))


def fuse(run: Run, links: pl.DataFrame, namespaces: Namespaces) -> FusedGraph:
    """Return both graphs of a run fused along these links."""
    entities = _entities(run, links, namespaces)
    relations = _relations(run, namespaces)
    facts = pl.concat(
        [
            fuse_facts(run.facts_left, "left", entities, relations),
            fuse_facts(run.facts_right, "right", entities, relations),
        ]
    )
    attributes = fuse_attributes(
        [
            ("left", run.attributes_left, run.names_left),
            ("right", run.attributes_right, run.names_right),
        ],
        entities,
        namespaces,
    )
    return FusedGraph(entities, relations, facts, _find_disputed(facts), attributes)


def _entities(run: Run, links: pl.DataFrame, namespaces: Namespaces) -> pl.DataFrame:
    """Return the entities of both sides; those connected by links share one id."""
    members = pl.concat(
        [
            _side_members(side, ids, links, names, namespaces)
            for side, ids, names in (
                ("left", _ids(run.facts_left, run.attributes_left), run.names_left),
                ("right", _ids(run.facts_right, run.attributes_right), run.names_right),
            )
        ]
    ).with_row_index("place")
    ends = [
        links.join(members.filter(side=side), left_on=side, right_on="id", how="left")["place"]
        for side in SIDES
    ]
    joined = sp.coo_array(
        (np.ones(len(links), bool), tuple(end.to_numpy() for end in ends)),
        shape=(len(members), len(members)),
    )
    _, group = sp.csgraph.connected_components(joined, directed=False)
    return (
        members.with_columns(group=pl.Series(group))
        .sort("side", -pl.col("confidence"), "id", nulls_last=True)
        .with_columns(entity=pl.col("iri").first().over("group"))
        .select("entity", "side", "id", "iri", "name", "confidence", "fdr")
        .sort("entity", "side", "id")
    )


def _ids(facts: pl.DataFrame, attributes: pl.DataFrame) -> pl.Series:
    """Return the entities that have facts or literals."""
    return pl.concat([facts["head"], facts["tail"], attributes["entity"]])


def _side_members(
    side: str,
    stated: pl.Series,
    links: pl.DataFrame,
    names: pl.DataFrame,
    namespaces: Namespaces,
) -> pl.DataFrame:
    """Return side, id, iri, name, highest confidence and lowest fdr of a side's entities."""
    ids = pl.concat([stated, links[side]]).unique().sort().alias("id")
    linked = links.group_by(pl.col(side).alias("id")).agg(
        pl.col("confidence").max(), pl.col("fdr").min()
    )
    return (
        pl.DataFrame({"side": pl.repeat(side, len(ids), eager=True), "id": ids})
        .with_columns(
            iri=pl.Series([namespaces.entity(side, name) for name in ids], dtype=pl.String)
        )
        .join(names_of_kind(names), on="id", how="left", maintain_order="left")
        .join(linked, on="id", how="left", maintain_order="left")
    )


def _relations(run: Run, namespaces: Namespaces) -> pl.DataFrame:
    """Return the relations; a right one gets the name of a left one if both match best."""
    partner: dict[str, tuple[str | None, bool]] = {**mutual_relations(run)}
    rows = [
        (namespaces.relation("left", name), "left", name, False)
        for name in run.facts_left["relation"].unique().sort()
    ]
    for name in run.facts_right["relation"].unique().sort():
        left, turned = partner.get(name, (None, False))
        own = ("right", name) if left is None else ("left", left)
        rows.append((namespaces.relation(*own), "right", name, turned))
    schema = {"relation": pl.String, "side": pl.String, "id": pl.String, "turned": pl.Boolean}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    names = pl.concat(
        names_of_kind(names, "relation").with_columns(side=pl.lit(side))
        for side, names in (("left", run.names_left), ("right", run.names_right))
    )
    return table.join(names, on=["side", "id"], how="left", maintain_order="left")


def mutual_relations(run: Run) -> dict[str, tuple[str, bool]]:
    """Return the left relation of each right one that matches best, and whether it is turned."""
    best = run.relations.sort(
        "agreement", "shared", "inverse", "left", "right", descending=[True, True, *[False] * 3]
    )
    mutual = best.filter(pl.col("left").is_first_distinct() & pl.col("right").is_first_distinct())
    return {row["right"]: (row["left"], row["inverse"]) for row in mutual.rows(named=True)}


def fuse_facts(
    facts: pl.DataFrame, side: str, entities: pl.DataFrame, relations: pl.DataFrame
) -> pl.DataFrame:
    """Return the distinct facts of one side with fused ids and with their own."""
    members = entities.filter(side=side)
    fused = facts.unique(maintain_order=True).rename({name: f"source_{name}" for name in _FACT})
    for end in ("head", "tail"):
        ids = members.select(pl.col("id").alias(f"source_{end}"), pl.col("entity").alias(end))
        fused = fused.join(ids, on=f"source_{end}", how="left", maintain_order="left")
    relation_names = relations.filter(side=side).select("relation", "turned", source_relation="id")
    fused = fused.join(relation_names, on="source_relation", how="left", maintain_order="left")
    return fused.select(
        head=pl.when("turned").then("tail").otherwise("head"),
        relation="relation",
        tail=pl.when("turned").then("head").otherwise("tail"),
        begin="begin",
        end="end",
        side=pl.lit(side),
        source_head="source_head",
        source_relation="source_relation",
        source_tail="source_tail",
    )


def fuse_attributes(
    sides: Sequence[tuple[str, pl.DataFrame, pl.DataFrame]],
    entities: pl.DataFrame,
    namespaces: IriSource,
) -> pl.DataFrame:
    """Return the distinct literals of all sides with fused ids; `side` may be both, or several.

    A side is its name, its literals and its names. Several stand as `text_of_sides` writes them.
    """
    tables = [
        _side_attributes(literals, side, names_of_kind(names, "relation"), entities, namespaces)
        for side, literals, names in sides
    ]
    own = pl.col("side").unique()
    is_pair = tuple(side for side, _, _ in sides) == SIDES
    both = pl.when(own.len() > 1).then(pl.lit(BOTH)).otherwise(own.first())
    side = (both if is_pair else text_of_sides(own.sort())).alias("side")
    name = pl.col("attribute_name").drop_nulls().first()  # the left one of two
    return pl.concat(tables).group_by(_LITERAL, maintain_order=True).agg(side, name)


def text_of_sides(graphs: pl.Expr) -> pl.Expr:
    """Return names of graphs as one text; a comma within a name has a backslash before it."""
    return graphs.str.replace_all(r"([\\,])", r"\${1}").str.join(", ")


def _side_attributes(
    literals: pl.DataFrame,
    side: str,
    names: pl.DataFrame,
    entities: pl.DataFrame,
    namespaces: IriSource,
) -> pl.DataFrame:
    """Return the literals of one side with fused ids."""
    ids = literals["attribute"].unique()
    iris = pl.Series([namespaces.relation(side, own) for own in ids], dtype=pl.String)
    named = names.rename({"id": "attribute", "name": "attribute_name"})
    members = entities.filter(side=side).select("id", fused="entity")
    fused = literals.join(
        members, left_on="entity", right_on="id", how="left", maintain_order="left"
    ).join(named, on="attribute", how="left", maintain_order="left")
    return fused.with_columns(
        pl.col("attribute").replace_strict(ids, iris, return_dtype=pl.String),
        entity="fused",
        side=pl.lit(side),
    ).select(*_LITERAL, "side", "attribute_name")


def _find_disputed(facts: pl.DataFrame) -> pl.DataFrame:
    """Return the facts with a time that the other side contradicts, where both sides have such.

    Times that only one side has in addition, such as a second term of office, are no conflict.
    """
    timed = facts.filter(pl.any_horizontal(pl.col(_TIMES).is_not_null()))
    timed = timed.select(*_FACT, "side", *_TIMES).unique(maintain_order=True)
    both = timed.filter(pl.col("side").n_unique().over(_FACT) == 2)
    # only where both sides have a time that the other has not literally can there be a conflict
    same = pl.struct(pl.col(_TIMES).fill_null(""))
    is_only = pl.col("side").n_unique().over([*_FACT, same]) == 1
    differing = both.filter(pl.col("side").filter(is_only).n_unique().over(_FACT) == 2)
    groups = differing.partition_by(_FACT, maintain_order=True)
    return pl.concat([both.clear(), *(_contradicted_rows(group) for group in groups)])


def _contradicted_rows(group: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of one fact whose times agree with no time of the other side."""
    times = {side: group.filter(side=side).select(_TIMES).rows() for side in SIDES}
    keep = [
        not any(_agree(own, other) for other in times["right" if side == "left" else "left"])
        for side, *own in group.select("side", *_TIMES).rows()
    ]
    rest = group.filter(pl.Series(keep, dtype=pl.Boolean))
    return rest if rest["side"].n_unique() == 2 else rest.clear()


def _agree(times: list[str | None], other_times: tuple[str | None, ...]) -> bool:
    """Whether two times may be equal: an unknown end agrees with any, a year with its days."""
    return all(
        a is None or b is None or _within(a, b) or _within(b, a)
        for a, b in zip(times, other_times, strict=True)
    )


def _within(fine: str, coarse: str) -> bool:
    return fine == coarse or bool(re.match(rf"{re.escape(coarse)}[-T]", fine))
