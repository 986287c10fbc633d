"""The blocks of a report on clusters, of several graphs or of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from lighttea.display import Named
from lighttea.evaluate.clusters import ClusterEvaluation
from lighttea.report.blocks import Block, Cell, Heading, bars, table_block, text_block
from lighttea.report.overview import Figure
from lighttea.results.cluster_figures import count_by_size, count_expected_wrong
from lighttea.results.clusters import ClusterRun
from lighttea.results.names import name_ids

_SHOWN = 30  # links given up
_SHOWN_CLUSTERS = 15
_DOUBTFUL = 0.9  # confidence
_MANY_WRONG = 0.05


def count_doubtful_clusters(run: ClusterRun) -> int:
    """Return the number of clusters with a member that is not sure."""
    return run.clusters.filter(pl.col("confidence") < _DOUBTFUL)["cluster"].n_unique()


def wrong_figure(run: ClusterRun) -> Figure:
    """Return how many pairs within clusters are expected to be wrong."""
    title, n_links, n_wrong = "Expected errors", len(run.links), count_expected_wrong(run)
    if not n_links:
        return Figure(title, "none", "no two entities are in one cluster")
    value = "under 1" if n_wrong < 0.5 else f"about {n_wrong:,.0f}"
    noun = "pair" if n_links == 1 else "pairs"
    note = f"{n_wrong / n_links:.1%} of {n_links:,} {noun} within clusters, by their confidence"
    return Figure(title, value, note, n_wrong > _MANY_WRONG * n_links)


def size_table(run: ClusterRun, caption: str, columns: Sequence[str]) -> Block:
    """Return how many clusters there are of each size."""
    counts = count_by_size(run)
    shown = bars([n for _, n in counts], [f"{n:,}" for _, n in counts])
    rows: list[list[Cell]] = [
        [str(size), bar] for (size, _), bar in zip(counts, shown, strict=True)
    ]
    return table_block(caption, columns, rows, half=True)


def evaluation_block(evaluation: ClusterEvaluation, caption: str, pairwise: str) -> Block:
    """Return the figures of clusters beside those of the links that they were made of."""
    rows = [
        (words, f"{own.precision:.4f}", f"{own.recall:.4f}", f"{own.f1:.4f}", f"{own.n_links:,}")
        for words, own in (
            ("pairs within clusters", evaluation.clusters),
            (pairwise, evaluation.pairwise),
        )
    ]
    return table_block(caption, ("", "precision", "recall", "F1", "pairs"), rows)


def conflict_blocks(run: ClusterRun, none: str) -> Iterator[Block]:
    """Yield the links that no cluster keeps, the surest first; `none` says that there are none."""
    if run.conflicts.is_empty():
        yield text_block(none)
        return
    rows = [
        (
            _named(run, row["graph_left"], row["left"]),
            _named(run, row["graph_right"], row["right"]),
            f"{row['confidence']:.3f}",
            row["evidence"],
        )
        for row in run.conflicts.head(_SHOWN).iter_rows(named=True)
    ]
    caption = f"The surest {len(rows):,} of {len(run.conflicts):,}; all are in conflicts.tsv"
    yield table_block(caption, ("left", "right", "confidence", "why not"), rows)


def least_certain_blocks(run: ClusterRun) -> Iterator[Block]:
    """Yield the members of the least certain clusters, each cluster below its id."""
    least = run.clusters.sort("confidence", "cluster").unique(
        "cluster", keep="first", maintain_order=True
    )
    columns = ("graph", "entity", "confidence")[len(run.graphs) == 1 :]
    rows: list[Sequence[Cell] | Heading] = []
    for cluster in least["cluster"].head(_SHOWN_CLUSTERS):
        rows += [Heading(cluster), *(row[-len(columns) :] for row in _members(run, cluster))]
    if rows:
        yield table_block("Their members", columns, rows)


def _members(run: ClusterRun, cluster: str) -> list[tuple[str, Named, str]]:
    """Return graph, entity and confidence of each member, in the order of the graphs."""
    own = run.clusters.filter(cluster=cluster).sort("entity")
    rows = own.select("graph", "entity", "confidence").rows()
    rows.sort(key=lambda row: run.graphs.index(row[0]))
    return [
        (graph, _named(run, graph, entity), f"{confidence:.3f}")
        for graph, entity, confidence in rows
    ]


def _named(run: ClusterRun, graph: str, entity: str) -> Named:
    pair = next(pair for pair in run.pairs if graph in pair)
    return name_ids(run.pairs[pair], "left" if pair[0] == graph else "right", [entity])[0]
