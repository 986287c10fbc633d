"""What the graphs, entities and relations of a run are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from lighttea.display import GraphNames, Named
from lighttea.graph.facts import Graph
from lighttea.results.run import Run

ENTITY, RELATION = "entity", "relation"  # kinds of names; attributes are named as relations


def graph_names(run: Run) -> GraphNames:
    """Return what the two graphs of a run are called."""
    inputs = run.info.get("input", {})
    left, right = (
        (str(inputs.get(side, {}).get("name") or ""), str(inputs.get(side, {}).get("source") or ""))
        for side in ("left", "right")
    )
    return GraphNames.of(left, right)


def names_by_id(run: Run, side: str, kind: str = ENTITY) -> dict[str, str]:
    """Return the names of one side by id, of everything that has one."""
    return dict(_table(run, side).filter(kind=kind).select("id", "name").iter_rows())


def name_ids(run: Run, side: str, ids: Iterable[str], kind: str = ENTITY) -> list[Named]:
    """Return a few ids with their names."""
    listed = list(ids)
    own = _table(run, side).filter(pl.col("id").is_in(listed), kind=kind)
    names = dict(own.select("id", "name").iter_rows())
    return [Named.of(own_id, names) for own_id in listed]


def with_names(graph: Graph, run: Run, side: str) -> Graph:
    """Return a graph that was made of a run's tables with the names and the source of its side."""
    own = run.info["input"][side]
    return replace(
        graph,
        name=own.get("name", ""),
        source=own.get("source", ""),
        entity_names=names_by_id(run, side),
        relation_names=names_by_id(run, side, RELATION),
    )


def _table(run: Run, side: str) -> pl.DataFrame:
    return run.names_left if side == "left" else run.names_right
