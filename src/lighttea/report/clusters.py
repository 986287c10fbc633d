"""The report of a run with clusters, and what it says of several graphs."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from lighttea.evaluate.clusters import ClusterEvaluation
from lighttea.report.blocks import Block, Section, note_block, table_block, text_block
from lighttea.report.cluster_blocks import (
    conflict_blocks,
    count_doubtful_clusters,
    evaluation_block,
    least_certain_blocks,
    size_table,
    wrong_figure,
)
from lighttea.report.duplicates import duplicate_advice, duplicate_figures, duplicate_sections
from lighttea.report.overview import Figure, GraphLine, Overview, describe_date
from lighttea.report.page import can_report, render_page, write_page
from lighttea.results.cluster_figures import (
    count_by_found,
    count_by_size,
    describe_clusters,
    describe_unaligned,
)
from lighttea.results.clusters import ClusterRun


def cluster_report_if_possible(
    run: ClusterRun, folder: Path, evaluation: ClusterEvaluation | None = None
) -> Path | None:
    """Write the report where its libraries are installed; return its path."""
    return write_cluster_report(run, folder, evaluation) if can_report() else None


def write_cluster_report(
    run: ClusterRun, folder: Path, evaluation: ClusterEvaluation | None = None
) -> Path:
    """Write report.html into the run folder and return its path."""
    name, place = Path(folder).resolve().name, shlex.quote(str(folder))
    if "dedupe" in run.info:
        title, sections = f"Duplicates report: {name}", duplicate_sections(run, evaluation)
        overview = _overview(run, duplicate_figures(run), duplicate_advice(run, place))
    else:
        title, sections = f"Alignment report: {name}", _sections(run, evaluation)
        overview = _overview(run, _figures(run), _advice(run, place))
    return write_page(render_page(title, overview, sections), folder)


# ------------------------------------------------------------------------------ first screen


def _overview(run: ClusterRun, figures: Iterable[Figure], advice: Iterable[str]) -> Overview:
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
        figures=list(figures),
        advice=list(advice),
    )


def _figures(run: ClusterRun) -> Iterator[Figure]:
    sizes = dict(count_by_size(run))
    whole = sizes.get(len(run.graphs), 0)
    note = f"{len(run.clusters):,} entities; {whole:,} clusters have one of each graph"
    yield Figure("Clusters", f"{sum(sizes.values()):,}", note)
    yield wrong_figure(run)
    n_new = len(run.links.filter(pl.col("found") != "link"))
    note = "pairs that their two graphs do not link by themselves"
    yield Figure("Links by a third graph", f"{n_new:,}", note)
    n_links = sum(len(own.links) for own in run.pairs.values())
    note = f"of {n_links:,} links of two graphs: they contradict surer ones"
    yield Figure("Links given up", f"{len(run.conflicts):,}", note)


def _advice(run: ClusterRun, place: str) -> Iterator[str]:
    """Yield what to do next; commands stand between backquotes."""
    if n_doubtful := count_doubtful_clusters(run):
        noun = "cluster" if n_doubtful == 1 else "clusters"
        yield (
            f"Look at the {n_doubtful:,} doubtful {noun}: `lighttea explain {place} ENTITY`, and "
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
        caption = f"Pairs of two graphs, {evaluation.n_truth:,} true ones; seeds left out"
        block = evaluation_block(evaluation, caption, "links of each two graphs")
        yield Section("Against the truth", [block])
    yield Section("Which graphs know each other?", list(_pair_blocks(run)))
    none = "No links of two graphs contradict each other."
    yield Section("Links given up", list(conflict_blocks(run, none)))
    yield Section("The least certain clusters", list(least_certain_blocks(run)))


def _size_blocks(run: ClusterRun) -> Iterator[Block]:
    yield text_block(f"{describe_clusters(run)}.")
    yield size_table(run, "Clusters by size", ("entities", "clusters"))
    origins = [(words, f"{n:,}", f"{wrong:,.1f}") for words, n, wrong in count_by_found(run)]
    headers = ("found", "links", "expected wrong")
    yield table_block("Links within clusters", headers, origins, half=True)


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
    columns = ("graph", "and", "seeds", "links", "in clusters", "added", "given up")
    yield table_block("Each two graphs", columns, rows)
    yield from map(note_block, describe_unaligned(run))
