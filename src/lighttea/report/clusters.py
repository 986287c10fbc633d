"""The report of a run of several graphs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from lighttea.evaluate.clusters import ClusterEvaluation
from lighttea.report.blocks import Block, Cell, Section, bars, note_block, table_block, text_block
from lighttea.report.overview import Figure, GraphLine, Overview, describe_date
from lighttea.report.page import can_report, render_page, write_page
from lighttea.results.cluster_figures import (
    count_by_found,
    count_by_size,
    describe_clusters,
    describe_unaligned,
)
from lighttea.results.clusters import ClusterRun
from lighttea.results.names import name_ids

_SHOWN = 30  # rows of a table
_DOUBTFUL = 0.9  # confidence
_MANY_WRONG = 0.05


def cluster_report_if_possible(
    run: ClusterRun, folder: Path, evaluation: ClusterEvaluation | None = None
) -> Path | None:
    """Write the report where its libraries are installed; return its path."""
    return write_cluster_report(run, folder, evaluation) if can_report() else None


def write_cluster_report(
    run: ClusterRun, folder: Path, evaluation: ClusterEvaluation | None = None
) -> Path:
    """Write report.html into the run folder and return its path."""
    title = f"Alignment report: {Path(folder).resolve().name}"
    page = render_page(title, _overview(run, str(folder)), _sections(run, evaluation))
    return write_page(page, folder)


# ------------------------------------------------------------------------------ first screen


def _overview(run: ClusterRun, folder: str) -> Overview:
    return Overview(
        date=describe_date(run.info),
        command=str(run.info.get("command") or ""),
        version=str(run.info["versions"]["lighttea"]),
        graphs=[
            GraphLine(
                str(graph["name"]),
                f"{graph['entities']:,} entities, {graph['facts']:,} facts",
                str(graph["source"] or "given in Python"),
            )
            for graph in run.info["graphs"]
        ],
        warning=None,
        figures=list(_figures(run)),
        advice=list(_advice(run, shlex.quote(folder))),
    )


def _figures(run: ClusterRun) -> Iterator[Figure]:
    sizes = dict(count_by_size(run))
    whole = sizes.get(len(run.graphs), 0)
    note = f"{len(run.clusters):,} entities; {whole:,} clusters have one of each graph"
    yield Figure("Clusters", f"{sum(sizes.values()):,}", note)
    n_wrong, n_links = sum(wrong for *_, wrong in count_by_found(run)), len(run.links)
    share = n_wrong / n_links if n_links else 0.0
    value = "under 1" if n_wrong < 0.5 else f"about {n_wrong:,.0f}"
    note = f"{share:.1%} of {n_links:,} pairs within clusters, by their confidence"
    yield Figure("Expected errors", value, note, share > _MANY_WRONG)
    n_new = len(run.links.filter(pl.col("found") != "link"))
    note = "pairs that their two graphs do not link by themselves"
    yield Figure("Links by a third graph", f"{n_new:,}", note)
    n_links = sum(len(own.links) for own in run.pairs.values())
    note = f"of {n_links:,} links of two graphs: they contradict surer ones"
    yield Figure("Links given up", f"{len(run.conflicts):,}", note)


def _advice(run: ClusterRun, place: str) -> Iterator[str]:
    """Yield what to do next; commands stand between backquotes."""
    doubtful = run.clusters.filter(pl.col("confidence") < _DOUBTFUL)["cluster"].n_unique()
    if doubtful:
        yield (
            f"Look at the {doubtful:,} doubtful clusters: `lighttea explain {place} ENTITY`, and "
            f"decide on links with `lighttea review {place}`."
        )
    yield (
        f"Write the clusters for other tools with `lighttea export {place} --format sameas --out "
        "clusters.nt`."
    )


# ---------------------------------------------------------------------------------- sections


def _sections(run: ClusterRun, evaluation: ClusterEvaluation | None) -> Iterator[Section]:
    warnings = run.info["warnings"]
    yield Section("Warnings", [{"items": warnings}] if warnings else [])
    yield Section("How large and how sure are the clusters?", list(_size_blocks(run)))
    if evaluation is not None:
        yield Section("Against the truth", [_evaluation_block(evaluation)])
    yield Section("Which graphs know each other?", list(_pair_blocks(run)))
    yield Section("Links given up", list(_conflict_blocks(run)))
    yield Section("The least certain clusters", list(_doubtful_blocks(run)))


def _size_blocks(run: ClusterRun) -> Iterator[Block]:
    yield text_block(f"{describe_clusters(run)}.")
    counts = count_by_size(run)
    shown = bars([n for _, n in counts], [f"{n:,}" for _, n in counts])
    rows: list[list[Cell]] = [
        [str(size), bar] for (size, _), bar in zip(counts, shown, strict=True)
    ]
    yield table_block("Clusters by size", ("entities", "clusters"), rows, half=True)
    origins = [(words, f"{n:,}", f"{wrong:,.1f}") for words, n, wrong in count_by_found(run)]
    headers = ("found", "links", "expected wrong")
    yield table_block("Links within clusters", headers, origins, half=True)


def _evaluation_block(evaluation: ClusterEvaluation) -> Block:
    rows = [
        (words, f"{own.precision:.4f}", f"{own.recall:.4f}", f"{own.f1:.4f}", f"{own.n_links:,}")
        for words, own in (
            ("pairs within clusters", evaluation.clusters),
            ("links of each two graphs", evaluation.pairwise),
        )
    ]
    caption = f"Pairs of two graphs, {evaluation.n_truth:,} true ones; seeds left out"
    return table_block(caption, ("", "precision", "recall", "F1", "pairs"), rows)


def _pair_blocks(run: ClusterRun) -> Iterator[Block]:
    rows = []
    for (left, right), own in run.pairs.items():
        names = {"graph_left": left, "graph_right": right}
        within = run.links.filter(**names)
        added = within.filter(pl.col("found") != "link")
        counts = (
            *(len(own.seeds), len(own.links), len(within), len(added)),
            len(run.conflicts.filter(**names)),
        )
        rows.append((left, right, *(f"{n:,}" for n in counts)))
    columns = ("", "", "seeds", "links", "pairs in clusters", "added", "given up")
    yield table_block("Each two graphs", columns, rows)
    yield from map(note_block, describe_unaligned(run))


def _conflict_blocks(run: ClusterRun) -> Iterator[Block]:
    if run.conflicts.is_empty():
        yield text_block("No links of two graphs contradict each other.")
        return
    first = run.conflicts.head(_SHOWN)
    rows = [
        (
            _named(run, row["graph_left"], row["left"]),
            _named(run, row["graph_right"], row["right"]),
            f"{row['confidence']:.3f}",
            row["evidence"],
        )
        for row in first.iter_rows(named=True)
    ]
    caption = f"The surest {len(rows):,} of {len(run.conflicts):,}; all are in conflicts.tsv"
    yield table_block(caption, ("", "", "confidence", "why not"), rows)


def _doubtful_blocks(run: ClusterRun) -> Iterator[Block]:
    least = run.clusters.sort("confidence", "cluster").unique(
        "cluster", keep="first", maintain_order=True
    )
    rows = []
    for cluster in least["cluster"].head(_SHOWN):
        for graph, entity, confidence in (
            run.clusters.filter(cluster=cluster).select("graph", "entity", "confidence").rows()
        ):
            rows.append((cluster, graph, _named(run, graph, entity), f"{confidence:.3f}"))
    if rows:
        yield table_block("Their members", ("cluster", "graph", "entity", "confidence"), rows)


def _named(run: ClusterRun, graph: str, entity: str) -> Cell:
    pair = next(pair for pair in run.pairs if graph in pair)
    return name_ids(run.pairs[pair], "left" if pair[0] == graph else "right", [entity])[0]
