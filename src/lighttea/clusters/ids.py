"""Ids of clusters: made of their first member, and carried over from an earlier run."""

from __future__ import annotations

from hashlib import sha256

import polars as pl

_DIGITS = 12


def make_cluster_id(graph: str, entity: str) -> str:
    """Return the id of a cluster whose first member, by graph and id, is this one."""
    digest = sha256("\0".join((graph, entity)).encode()).hexdigest()
    return f"c{digest[:_DIGITS]}"


def carry_cluster_ids(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Return the new clusters with the ids of the old ones that they share most members with.

    Both have cluster, graph and entity. An old id goes to one new cluster: the one with most of its
    members, and where that is equal, the one whose own id is first. A new cluster that gets none
    keeps its own id, or another where an old one is called the same.
    """
    key = ["graph", "entity"]
    shared = (
        new.select("cluster", *key)
        .join(old.select(*key, old="cluster"), on=key)
        .group_by("cluster", "old")
        .len()
        .sort("len", "cluster", "old", descending=[True, False, False])
    )
    carried: dict[str, str] = {}
    used: set[str] = set()
    for own, earlier, _ in shared.iter_rows():
        if own not in carried and earlier not in used:
            carried[own] = earlier
            used.add(earlier)
    taken = used | set(old["cluster"])
    for own in new["cluster"].unique(maintain_order=True):
        if own not in carried:
            carried[own] = _free_id(own, taken)
            taken.add(carried[own])
    return new.with_columns(
        pl.col("cluster").replace_strict(carried, return_dtype=pl.String)
        if carried
        else pl.col("cluster")
    )


def _free_id(own: str, taken: set[str]) -> str:
    """Return an id that no cluster has: its own, or one made of it."""
    while own in taken:
        own = make_cluster_id("again", own)
    return own
