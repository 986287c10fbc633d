"""Tables about several graphs that a user gives: clusters of entities, or pairs of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TypeAlias

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.inputs.links import LinkTable, read_link_table

ClusterTable: TypeAlias = LinkTable
MEMBER = ("cluster", "graph", "entity")
PAIR = ("graph_left", "left", "graph_right", "right")


def pairs_of_table(
    table: ClusterTable, entities: Mapping[str, set[str]], noun: str
) -> pl.DataFrame:
    """Return graph_left, left, graph_right and right of all pairs that a table says.

    It has cluster, graph and entity, or left and right. Of two entities without their graphs, each
    two graphs that have the one and the other are meant. `entities` are those of each graph, in the
    order of the graphs, and the earlier graph is on the left.
    """
    if isinstance(table, pl.DataFrame) and set(MEMBER) <= set(table.columns):
        return _pairs_of_clusters(table.select(MEMBER).cast(pl.String), entities, noun)
    rows = read_link_table(table, noun)
    placed = [
        list(_placed(left, right, entities)) for left, right in rows.select("left", "right").rows()
    ]
    unknown = [row for row, own in zip(rows.iter_rows(named=True), placed, strict=True) if not own]
    if unknown:
        graphs = ", ".join(entities)
        raise InputError.of_many(
            [
                f"{row['place']}: no two of the graphs ({graphs}) have {row['left']!r} and "
                f"{row['right']!r}"
                for row in unknown[:SHOWN_PROBLEMS]
            ],
            total=len(unknown),
        )
    pairs = [pair for own in placed for pair in own]
    return pl.DataFrame(pairs, schema=dict.fromkeys(PAIR, pl.String), orient="row").unique(
        maintain_order=True
    )


def _placed(
    entity: str, other: str, entities: Mapping[str, set[str]]
) -> Iterator[tuple[str, str, str, str]]:
    """Yield the pairs of graphs that have two entities; of one graph, that graph twice."""
    if len(entities) == 1:
        (graph,) = entities
        if {entity, other} <= entities[graph]:
            yield graph, min(entity, other), graph, max(entity, other)
    for left, right in combinations(entities, 2):
        if entity in entities[left] and other in entities[right]:
            yield left, entity, right, other
        elif other in entities[left] and entity in entities[right]:
            yield left, other, right, entity


def _pairs_of_clusters(
    table: pl.DataFrame, entities: Mapping[str, set[str]], noun: str
) -> pl.DataFrame:
    """Return all pairs within clusters, of entities of different graphs, or of one alone."""
    numbers = {graph: number for number, graph in enumerate(entities)}
    unknown = table.filter(~pl.col("graph").is_in(list(numbers)))["graph"].unique().sort()
    if len(unknown):
        raise InputError(
            f"the {noun} names a graph {unknown[0]!r}; the graphs are {', '.join(entities)}"
        )
    placed = table.with_columns(number=pl.col("graph").replace_strict(numbers))
    compared = "number" if len(entities) > 1 else "entity"
    before = pl.col(compared) < pl.col(f"{compared}_right")
    return (
        placed.join(placed, on="cluster", maintain_order="left_right")
        .filter(before)
        .select(graph_left="graph", left="entity", graph_right="graph_right", right="entity_right")
        .unique(maintain_order=True)
    )
