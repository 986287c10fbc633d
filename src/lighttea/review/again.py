"""Alignment of a run's facts again, with its settings and the decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

import lighttea
from lighttea.config import FIELD_TYPES
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frame
from lighttea.progress import Progress
from lighttea.results.run import Run

TYPES_LOST = "the types that the run was made with are not kept in it, so this one goes without"


def align_again(
    run: Run, must: pl.DataFrame, cannot: pl.DataFrame, progress: Progress, **changes: Any
) -> Run:
    """Return a run with accepted pairs as seeds and rejected ones as cannot-links.

    Cannot-links of the run stay, unless they were accepted since.
    """
    pairs = ["left", "right"]
    forbidden = pl.concat([run.cannot_links, cannot]).unique(maintain_order=True)
    forbidden = forbidden.join(must, on=pairs, how="anti", maintain_order="left")
    if run.info.get("types"):
        progress.warn(TYPES_LOST)
    tables = [run.seeds, run.evidence_links, must, forbidden]
    left, right = (
        _graph(run, side, pl.concat([table[side] for table in tables])) for side in pairs
    )
    return lighttea.align(
        left,
        right,
        seeds=None if run.seeds.is_empty() else run.seeds,
        must_link=must,
        cannot_link=forbidden,
        progress=progress,
        **settings_of(run) | changes,
    )


def align_without_time(run: Run, progress: Progress) -> pl.DataFrame:
    """Return the links of a second run of the same facts without time."""
    nothing = run.cannot_links.clear()
    off = {"temporal_propagation": False, "temporal_constraint": False}
    return align_again(run, nothing, nothing, progress, **off).links


def settings_of(run: Run) -> dict[str, Any]:
    """Return preset, settings and rules of a run as keywords of `align`."""
    config = {name: value for name, value in run.info["config"].items() if name in FIELD_TYPES}
    return {"preset": run.info["preset"], **config, **run.info.get("rules", {})}


def _graph(run: Run, side: str, entities: pl.Series) -> Graph:
    """Return the graph of one side, with the entities that links name, and with names."""
    facts, names = (
        (run.facts_left, run.names_left) if side == "left" else (run.facts_right, run.names_right)
    )
    graph = graph_of_frame(facts, source=run.info["input"][side]["source"])
    without_facts = [
        name for name in entities.unique(maintain_order=True) if name not in graph.entity_ids
    ]
    names_of_kind = {
        kind: dict(names.filter(pl.col("kind") == kind).select("id", "name").rows())
        for kind in ("entity", "relation")
    }
    return replace(
        graph,
        entities=[*graph.entities, *without_facts],
        entity_names=names_of_kind["entity"],
        relation_names=names_of_kind["relation"],
    )
