"""A catalogue from a run folder, a file or a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import polars as pl

from lighttea.display import Named
from lighttea.io.frames import graph_of_frames
from lighttea.results.names import graph_names, names_by_id, with_names
from lighttea.results.run import Run
from lighttea.results.schema import RECORD
from lighttea.serve.catalogue import Catalogue, Link

Side = Literal["left", "right"]
_SEED_CONFIDENCE = 1.0


def is_run_folder(path: Path) -> bool:
    """Whether a path is a run folder rather than a graph."""
    return (path / RECORD).is_file()


def catalogue_of_run(
    run: Run, side: Side, given_types: Sequence[tuple[str, str]] = ()
) -> Catalogue:
    """Return the entities of one side of a run, with their counterparts on the other."""
    facts, literals = (
        (run.facts_left, run.attributes_left)
        if side == "left"
        else (run.facts_right, run.attributes_right)
    )
    links = _links(run, side)
    graph = graph_of_frames(facts, literals)
    missing = [
        own for own in links["own"].unique(maintain_order=True) if own not in graph.entity_ids
    ]
    graph = replace(
        graph, entities=[*graph.entities, *missing], name=graph_names(run).of_side(side)
    )
    graph = with_names(graph, run, side)
    names = names_by_id(run, "right" if side == "left" else "left")
    by_entity = {
        graph.entity_ids[own]: Link(Named.of(other, names), confidence)
        for own, other, confidence in links.reverse().iter_rows()  # the surest one stays
    }
    return Catalogue(graph, by_entity, given_types)


def _links(run: Run, side: Side) -> pl.DataFrame:
    """Return own, other and confidence of seeds and links, the surest first."""
    other = "right" if side == "left" else "left"
    tables = (run.seeds.with_columns(confidence=pl.lit(_SEED_CONFIDENCE)), run.links)
    return pl.concat(
        table.select(own=side, other=other, confidence=pl.col("confidence").cast(pl.Float64))
        for table in tables
    )
