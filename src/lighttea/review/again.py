"""Aligning a run's facts again, with its settings and the decisions.

The function that aligns comes from the caller: reviewing reads runs and does not make them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, TypeAlias

import polars as pl

from lighttea.config import PRESETS, stored_config
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frames
from lighttea.progress import Progress
from lighttea.results.names import with_names
from lighttea.results.run import Run

Align: TypeAlias = Callable[..., Run]  # `lighttea.align`, or one that takes the same arguments

TYPES_LOST = "the types that the run was made with are not kept in it, so this one goes without"


def align_again(
    align: Align,
    run: Run,
    must: pl.DataFrame,
    cannot: pl.DataFrame,
    progress: Progress,
    **changes: Any,
) -> Run:
    """Return what `align` makes of a run's facts with its settings, the changes and the decisions.

    Accepted pairs become seeds; rejected ones are forbidden, as are those that the run forbade.
    A pair that the run forbade and a reviewer accepted since is accepted.
    """
    pairs = ["left", "right"]
    forbidden = pl.concat([run.cannot_links, cannot]).unique(maintain_order=True)
    forbidden = forbidden.join(must, on=pairs, how="anti", maintain_order="left")
    types = {
        f"{side}_types": table
        for side, table in (("left", run.types_left), ("right", run.types_right))
        if not table.is_empty()
    }
    if run.info.get("types") and not types:
        progress.warn(TYPES_LOST)
    named = [run.seeds, run.evidence_links, must, forbidden]
    left, right = (_graph(run, side, pl.concat([table[side] for table in named])) for side in pairs)
    return align(
        left,
        right,
        seeds=None if run.seeds.is_empty() else run.seeds,
        must_link=must,
        cannot_link=forbidden,
        progress=progress,
        **types,
        **settings_of(run) | changes,
    )


def align_without_time(align: Align, run: Run, progress: Progress) -> pl.DataFrame:
    """Return the links of a second run of the same facts that does not look at time."""
    nothing = run.cannot_links.clear()
    off = {"temporal_propagation": False, "temporal_constraint": False}
    return align_again(align, run, nothing, nothing, progress, **off).links


def settings_of(run: Run) -> dict[str, Any]:
    """Return the preset, every setting and the rules of a run, as keywords of `align`."""
    preset = {"preset": run.info["preset"]} if run.info["preset"] in PRESETS else {}
    config = asdict(stored_config(run.info["config"]))
    return {**preset, **config, **run.info.get("rules", {})}


def _graph(run: Run, side: str, entities: pl.Series) -> Graph:
    """Return the graph of one side, with the entities that links name, and with names."""
    facts, literals = (getattr(run, f"{table}_{side}") for table in ("facts", "attributes"))
    graph = with_names(graph_of_frames(facts, literals), run, side)
    without_facts = [
        name for name in entities.unique(maintain_order=True) if name not in graph.entity_ids
    ]
    return replace(graph, entities=[*graph.entities, *without_facts])
