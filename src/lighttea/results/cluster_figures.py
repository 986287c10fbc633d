"""The key figures of a run of several graphs, for the summary and the report."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from lighttea.results.clusters import ClusterRun

_FOUND = {
    "link": "by the alignment of the two graphs",
    "candidate": "a weaker candidate of the two graphs, which others support",
    "through": "through other graphs alone",
}


def describe_clusters(run: ClusterRun) -> str:
    """Return the number of clusters, of their entities and of links given up, in a sentence."""
    n_clusters, n_given_up = run.clusters["cluster"].n_unique(), len(run.conflicts)
    given_up = "1 link was" if n_given_up == 1 else f"{n_given_up:,} links were"
    return (
        f"{n_clusters:,} clusters of {len(run.clusters):,} entities of {len(run.graphs)} graphs; "
        f"{given_up} given up (conflicts.tsv)"
    )


def describe_duplicates(run: ClusterRun) -> str:
    """Return how many entities of a single graph are there more than once, in a sentence."""
    n_clusters, n_entities = run.info["clusters"], run.info["graphs"][0]["entities"]
    entities, are = ("entity", "is") if n_clusters == 1 else ("entities", "are")
    return f"{n_clusters:,} {entities} of {n_entities:,} {are} there twice or more"


def count_expected_wrong(run: ClusterRun) -> float:
    """Return how many pairs within clusters are expected to be wrong, by their confidence."""
    return float(len(run.links) - run.links["confidence"].cast(float).sum())


def count_by_size(run: ClusterRun) -> list[tuple[int, int]]:
    """Return the number of clusters of each size, the largest first."""
    sizes = run.clusters.group_by("cluster").len()["len"].value_counts().sort("len")
    return [(int(size), int(n)) for size, n in sizes.reverse().iter_rows()]


def count_by_found(run: ClusterRun) -> list[tuple[str, int, float]]:
    """Return how the links of clusters were found: words, number, and how many may be wrong."""
    kind = pl.col("found").str.split(" ").list.first()
    counts = run.links.group_by(kind=kind).agg(
        pl.len(), wrong=(1 - pl.col("confidence").cast(pl.Float64)).sum()
    )
    rows = {str(kind): (int(n), float(wrong)) for kind, n, wrong in counts.iter_rows()}
    return [(words, *rows[kind]) for kind, words in _FOUND.items() if kind in rows]


def describe_unaligned(run: ClusterRun) -> Iterator[str]:
    """Yield which graphs could not be aligned with each other, and what joins them."""
    for pair in run.info["unaligned"]:
        names = {"graph_left": pair["left"], "graph_right": pair["right"]}
        n_links = len(run.links.filter(**names))
        links = "1 link was" if n_links == 1 else f"{n_links:,} links were"
        yield (
            f"{pair['left']} and {pair['right']} have too little in common to be aligned with each "
            f"other; {links} found through other graphs"
        )
