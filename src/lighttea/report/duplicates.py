"""What the report of a search for duplicates in one graph says."""

from __future__ import annotations

from collections.abc import Iterator

from lighttea.evaluate.clusters import ClusterEvaluation
from lighttea.report.blocks import Block, Cell, Section, bars, table_block, text_block
from lighttea.report.cluster_blocks import (
    conflict_blocks,
    count_doubtful_clusters,
    evaluation_block,
    least_certain_blocks,
    size_table,
    wrong_figure,
)
from lighttea.report.figures import count_by_band
from lighttea.report.overview import Figure
from lighttea.results.cluster_figures import describe_duplicates
from lighttea.results.clusters import ClusterRun


def duplicate_figures(run: ClusterRun) -> Iterator[Figure]:
    """Yield the key figures."""
    n_entities, n_clusters = run.info["graphs"][0]["entities"], run.info["clusters"]
    n_members, n_given_up = len(run.clusters), len(run.conflicts)
    yield Figure("Duplicates", f"{n_clusters:,}", "entities that are there twice or more")
    yield wrong_figure(run)
    left = n_entities - n_members + n_clusters
    yield Figure("Once merged", f"{left:,}", f"entities are left of {n_entities:,}")
    yield Figure("Pairs given up", f"{n_given_up:,}", "they contradict surer ones")


def duplicate_advice(run: ClusterRun, place: str) -> Iterator[str]:
    """Yield what to do next; commands stand between backquotes."""
    if run.clusters.is_empty():
        yield (
            "See with `lighttea inspect GRAPH` what the graph has: names, numbers and birthdays "
            "tell duplicates from look-alikes best."
        )
        return
    if n_doubtful := count_doubtful_clusters(run):
        noun = "cluster" if n_doubtful == 1 else "clusters"
        yield (
            f"Look at the {n_doubtful:,} doubtful {noun}: `lighttea explain {place} ENTITY`, and "
            f"decide on pairs with `lighttea review {place}`."
        )
    yield f"Merge the facts with `lighttea export {place} --format fused --out F`."


def duplicate_sections(run: ClusterRun, evaluation: ClusterEvaluation | None) -> Iterator[Section]:
    """Yield the sections below the first screen."""
    warnings = run.info["warnings"]
    yield Section("Warnings", [{"items": warnings}] if warnings else [])
    yield Section("How many, and how sure?", list(_count_blocks(run)))
    if evaluation is not None:
        caption = f"Pairs of entities, {evaluation.n_truth:,} true ones"
        block = evaluation_block(evaluation, caption, "pairs before clusters were made")
        yield Section("Against the truth", [block])
    if len(run.clusters):
        none = "No pairs contradict each other."
        yield Section("Pairs given up", list(conflict_blocks(run, none)))
    yield Section("The least certain clusters", list(least_certain_blocks(run)))


def _count_blocks(run: ClusterRun) -> Iterator[Block]:
    """Yield how many duplicates there are, how sure their pairs are, and why there are none."""
    yield text_block(f"{describe_duplicates(run)}.")
    if warning := run.info["dedupe"]["warning"]:
        yield text_block(f"{warning[:1].upper()}{warning[1:]}.")
    if run.clusters.is_empty():
        return
    yield size_table(run, "Entities by how often they are there", ("times", "entities"))
    bands = count_by_band(run.links["confidence"])
    cells = bars([band.count for band in bands], [f"{band.count:,}" for band in bands])
    rows: list[list[Cell]] = [
        [band.name, cell, f"{band.n_wrong:,.1f}"] for band, cell in zip(bands, cells, strict=True)
    ]
    columns = ("confidence", "pairs", "expected wrong")
    yield table_block("Pairs by confidence", columns, rows, half=True)
