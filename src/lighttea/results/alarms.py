"""The alarms of a run: as a table of their own, and as codes beside its links."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from lighttea.alarms.find import alarm_codes, find_alarms
from lighttea.alarms.graphs import LinkedGraphs
from lighttea.assign.fdr import false_discovery_rates
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.io.frames import graph_of_frame
from lighttea.results.names import with_names
from lighttea.results.run import Run
from lighttea.types import LeftIds, RightIds


def alarms_of_run(run: Run) -> pl.DataFrame:
    """Return all alarms of a run, most severe first."""
    left, right = (
        with_names(graph_of_frame(facts), run, side)
        for side, facts in (("left", run.facts_left), ("right", run.facts_right))
    )
    links = _links_of(run.links, left, right)
    known = _links_of(run.seeds, left, right).extended(_links_of(run.best_links, left, right))
    return find_alarms(LinkedGraphs.of(left, right, links, known))


def with_alarm_codes(links: pl.DataFrame, alarms: pl.DataFrame) -> pl.DataFrame:
    """Return the links with the codes of their alarms, empty where there are none, at the end."""
    codes = alarm_codes(alarms)
    joined = links.join(codes, on=["left", "right"], how="left", maintain_order="left")
    return joined.with_columns(pl.col("alarms").fill_null(""))


def without_alarmed(run: Run) -> tuple[Run, int]:
    """Return the run without the links that raise an alarm, and how many these are.

    The fdr of the others is that among themselves.
    """
    kept = run.links.filter(pl.col("alarms") == "")
    if kept["fdr"].is_not_null().any():
        fdr = false_discovery_rates(kept["confidence"].to_numpy())
        kept = kept.with_columns(pl.Series("fdr", fdr))
    return replace(run, links=kept), len(run.links) - len(kept)


def _links_of(links: pl.DataFrame, left: Graph, right: Graph) -> Links:
    """Return links as numbers of entities; those of entities without facts are left out."""
    rows = [
        (left.entity_ids[a], right.entity_ids[b])
        for a, b in links.select("left", "right").rows()
        if a in left.entity_ids and b in right.entity_ids
    ]
    left_numbers, right_numbers = np.array(rows, np.int32).reshape(-1, 2).T
    return Links(LeftIds(left_numbers), RightIds(right_numbers))
