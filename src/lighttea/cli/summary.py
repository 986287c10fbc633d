"""The summary that `align` and `demo` end with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from lighttea.cli.console import print_table
from lighttea.evaluate.run import Evaluation
from lighttea.results.expectation import decoy_warning, describe_links
from lighttea.results.literals import describe_matches
from lighttea.results.names import graph_names
from lighttea.results.run import Run
from lighttea.results.seeds import seed_warning

_LARGE_GAP = 0.1
_SHOWN_MATCHES = 5  # couples of attributes
_BANDS = ((0.9, 1.01), (0.5, 0.9), (0.1, 0.5), (0.0, 0.1))


def print_summary(console: Console, run: Run, folder: Path) -> None:
    """Print sizes, rounds, links, seconds and memory of a run, after its warnings."""
    info = run.info
    for warning in filter(None, (decoy_warning(run), seed_warning(run))):
        console.print(f"warning: {warning}\n", soft_wrap=True, markup=False, style="bold red")
    _print_sizes(console, run)
    _print_rounds(console, run)
    _print_literals(console, run)
    _print_links(console, run)
    seconds = info["seconds"]
    stages = ", ".join(f"{name} {value:.1f}" for name, value in seconds.items() if value >= 0.05)
    console.print(
        f"{sum(seconds.values()):.1f} s ({stages}); peak memory {info['peak_rss_mb']:,.0f} MiB "
        f"(expected {info['expected_peak_mb']:,.0f})",
        soft_wrap=True,
    )
    console.print(
        f"run folder: {folder}  (links: {folder / 'links.tsv'})", soft_wrap=True, markup=False
    )


def _print_sizes(console: Console, run: Run) -> None:
    rows, names = [], graph_names(run)
    for side, facts in (("left", run.facts_left), ("right", run.facts_right)):
        source = run.info["input"][side]
        timed = facts.select((pl.col("begin").is_not_null() | pl.col("end").is_not_null()).mean())
        counts = [f"{source[name]:,}" for name in ("entities", "relations", "facts")]
        rows.append((names.of_side(side), *counts, f"{timed.item():.0%}"))
    print_table(
        console, "What went in", ("graph", "entities", "relations", "facts", "with time"), rows
    )


def _print_literals(console: Console, run: Run) -> None:
    """Print which attributes say the same, those that tell most first."""
    matches = run.attribute_matches
    if matches.is_empty():
        return
    for words in describe_matches(run, _SHOWN_MATCHES):
        console.print(f"literals: {words}", soft_wrap=True, markup=False)
    if (n_more := len(matches) - _SHOWN_MATCHES) > 0:
        console.print(f"literals: and {n_more:,} more (attribute_matches.parquet)")
    console.print()


def _print_rounds(console: Console, run: Run) -> None:
    columns = ("seeds", "left_with_candidates", "promoted")
    rows = [
        (
            str(number),
            *(f"{figures[c]:,}" for c in columns),
            f"{figures['sinkhorn_marginal_gap']:.3f}",
        )
        for number, figures in enumerate(run.info["rounds"], 1)
    ]
    left = graph_names(run).left
    headers = ("round", "seeds", f"{left} with candidates", "promoted", "Sinkhorn marginal gap")
    print_table(console, "Rounds", headers, rows)
    first = run.info["rounds"][0]
    if "found_seeds" in first:
        console.print(
            f"began with {first['found_seeds']:,} pairs that the graphs themselves tell, beside "
            f"{run.info['seeds']:,} seeds; about {first['found_seeds_precision']:.0%} of them are "
            "right by their own word",
            soft_wrap=True,
        )
    print_recall(console, run.info["rounds"][-1])
    gap, config = run.info["rounds"][-1]["sinkhorn_marginal_gap"], run.info["config"]
    if gap > _LARGE_GAP:
        console.print(
            f"Sinkhorn stopped at {config['iterations']} iterations, marginal gap {gap:.2g}; raise "
            "--iterations or --temperature to bring it down\n",
            soft_wrap=True,
        )


def print_recall(console: Console, last_round: Mapping[str, Any]) -> None:
    """Print the recall of an approximate search; nothing for an exact one."""
    if last_round.get("search") == "approximate":
        console.print(
            f"candidates were searched approximately: on a sample the exact best candidate was "
            f"found for {last_round['recall_best']:.1%} of the entities, and "
            f"{last_round['recall_top_k']:.0%} of all exact candidates; --search exact compares "
            "every couple\n",
            soft_wrap=True,
        )


def _print_links(console: Console, run: Run) -> None:
    n_unseeded = run.info["input"]["left"]["entities"] - run.info["seeds"]
    confidence = run.links["confidence"]
    rows = [
        (
            f"{low:.1f} to {min(high, 1):.1f}",
            f"{((confidence >= low) & (confidence < high)).sum():,}",
        )
        for low, high in _BANDS
    ]
    left = graph_names(run).left
    title = f"Links: {len(run.links):,} for {n_unseeded:,} {left} entities without a seed"
    print_table(console, title, ("confidence", "links"), rows)
    console.print(f"{describe_links(run)}\n", soft_wrap=True, markup=False)
    _print_alarms(console, run)


def _print_alarms(console: Console, run: Run) -> None:
    """Print how many links have an alarm, or were left out for one."""
    if (n_left_out := run.info.get("alarmed_links_left_out")) is not None:
        console.print(f"links left out for a temporal alarm: {n_left_out:,}\n")
    elif n_alarmed := (run.links["alarms"] != "").sum():
        console.print(
            f"links with a temporal alarm (column alarms): {n_alarmed:,}; --no-alarmed leaves them "
            "out\n",
            soft_wrap=True,
        )


def print_evaluation(console: Console, evaluation: Evaluation, title: str = "Evaluation") -> None:
    """Print the figures of an evaluation."""
    rank, links = evaluation.ranking, evaluation.links
    shares = (
        ("Hits@1", rank.hits_at_1),
        ("Hits@5", rank.hits_at_5),
        ("Hits@10", rank.hits_at_10),
        ("MRR", rank.mrr),
        ("precision of the links", links.precision),
        ("  of entities the truth names", evaluation.links_of_known.precision),
        ("recall", links.recall),
        ("F1", links.f1),
    )
    counts = (
        ("true links", evaluation.n_truth),
        ("  not among the 50 kept candidates", rank.n_unranked),
        ("  naming an entity without facts", evaluation.n_unknown),
        ("  given as seeds, left out", evaluation.n_seeds_left_out),
    )
    rows = [(name, f"{value:.4f}") for name, value in shares]
    rows += [(name, f"{count:,}") for name, count in counts]
    print_table(console, title, ("figure", "value"), rows)
