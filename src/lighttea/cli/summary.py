"""The summary that `align` and `demo` end with: one screen, and all of it with `--verbose`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from lighttea.cli.console import print_sentence, print_table
from lighttea.cli.output import current_output
from lighttea.cli.wording import as_options
from lighttea.evaluate.run import Evaluation
from lighttea.progress.words import describe_seconds
from lighttea.results.expectation import (
    decoy_warning,
    describe_links,
    describe_origin,
    expected_wrong,
)
from lighttea.results.literals import describe_matches
from lighttea.results.names import graph_names
from lighttea.results.run import Run
from lighttea.results.seeds import seed_warning

_LARGE_GAP = 0.1
_SURE = 0.9  # confidence
_SHOWN_MATCHES = 5  # couples of attributes
_BANDS = ((0.9, 1.01), (0.5, 0.9), (0.1, 0.5), (0.0, 0.1))


def print_summary(
    console: Console, run: Run, folder: Path, evaluation: Evaluation | None = None
) -> None:
    """Print what a run found, what to do next and how it went; every figure with `--verbose`."""
    warnings = [text for text in (decoy_warning(run), seed_warning(run)) if text]
    for warning in warnings:
        print_sentence(console, f"warning: {as_options(warning)}\n", style="bold red")
    _print_links(console, run)
    if evaluation is not None:
        _print_few_figures(console, evaluation)
    _print_next_steps(console, run, folder)
    _print_inputs(console, run)
    if current_output().verbose:
        _print_everything(console, run)
    _print_end(console, run, folder)


# ------------------------------------------------------------------------------ one screen


def _print_links(console: Console, run: Run) -> None:
    """Print how many links there are, how many are expected to be wrong, and how sure they are."""
    console.print(f"{describe_links(run, with_origin=False)}\n", markup=False, style="bold")
    if run.links.is_empty():
        return
    confidence = run.links["confidence"].cast(float)
    has_errors = expected_wrong(run) is not None
    rows = []
    for low, high in _BANDS:
        own = confidence.filter((confidence >= low) & (confidence < high))
        if len(own) or low == _SURE:
            wrong = f"{len(own) - own.sum():,.1f}" if has_errors else "-"
            rows.append((f"{low:.1f} to {min(high, 1):.1f}", f"{len(own):,}", wrong))
    n_left = run.info["input"]["left"]["entities"] - run.info["seeds"]
    title = f"Links of the {n_left:,} {graph_names(run).left} entities without a seed"
    print_table(console, title, ("confidence", "links", "expected wrong"), rows)


def _print_few_figures(console: Console, evaluation: Evaluation) -> None:
    """Print the figures of an evaluation, and how many links the truth cannot judge."""
    links, known, rank = evaluation.links, evaluation.links_of_known, evaluation.ranking
    console.print(
        f"Against the truth: precision {links.precision:.3f}, recall {links.recall:.3f}, "
        f"F1 {links.f1:.3f}, Hits@1 {rank.hits_at_1:.3f}, MRR {rank.mrr:.3f}"
    )
    if n_others := links.n_links - known.n_links:
        what = "1 link is of an entity" if n_others == 1 else f"{n_others:,} links are of entities"
        text = f"{what} outside the truth; without them precision is {known.precision:.3f}"
        print_sentence(console, text.replace("them", "it") if n_others == 1 else text)
    console.print()


def _print_next_steps(console: Console, run: Run, folder: Path) -> None:
    """Print what to do next, with the command for it."""
    steps = list(_next_steps(run, shlex.quote(str(folder))))
    width = max(len(words) for words, _ in steps)
    console.print("Next", style="bold")
    for words, command in steps:
        console.print(f"  {words:{width}}  {command}", markup=False, soft_wrap=True)
    console.print()


def _next_steps(run: Run, folder: str) -> Iterator[tuple[str, str]]:
    confidence = run.links["confidence"]
    if run.links.is_empty():
        yield "Give known links", "lighttea align ... --seeds FILE"
        yield "See whether the graphs fit", "lighttea inspect LEFT RIGHT"
        return
    if n_doubtful := int((confidence < _SURE).sum()):
        what = "link" if n_doubtful == 1 else "links"
        yield f"Decide on {n_doubtful:,} doubtful {what}", f"lighttea review {folder}"
    yield "Explain a link", f"lighttea explain {folder} ENTITY"
    yield "Export the links", f"lighttea export {folder} --format sssom --out F"


def _print_inputs(console: Console, run: Run) -> None:
    """Print the sizes of both graphs, and what the alignment started from."""
    names = graph_names(run)
    for side, facts in (("left", run.facts_left), ("right", run.facts_right)):
        sizes = run.info["input"][side]
        timed = facts.select((pl.col("begin").is_not_null() | pl.col("end").is_not_null()).mean())
        console.print(
            f"{names.of_side(side)}: {sizes['entities']:,} entities, "
            f"{sizes['relations']:,} relations, {sizes['facts']:,} facts, "
            f"{timed.item() or 0.0:.0%} with time",
            markup=False,
        )
    print_sentence(console, _describe_start(run))


def _describe_start(run: Run) -> str:
    if "update" in run.info:
        return _describe_update(run)
    rounds, n_seeds = run.info["rounds"], f"{run.info['seeds']:,} seeds"
    taken = f"{len(rounds)} round" + "s" * (len(rounds) != 1)
    if not rounds[0].get("found_seeds"):
        return f"Started from {n_seeds}; {taken}"
    pairs = (
        f"{rounds[0]['found_seeds']:,} pairs found automatically (about "
        f"{_share(rounds[0]['found_seeds_precision'])} correct, estimated)"
    )
    start = f"{n_seeds} and {pairs}" if run.info["seeds"] else pairs
    return f"Started from {start}; {taken}"


def _describe_update(run: Run) -> str:
    """Return what an update was about, and what became of the links."""
    update, n_left = run.info["update"], run.info["input"]["left"]["entities"]
    counts = ", ".join(f"{count:,} {change}" for change, count in update["links"].items())
    what = f"{n_left:,} left entities aligned anew: {update['anew']}"
    if update["anew"] is None:
        what = f"{update['worked_on']:,} of {n_left:,} left entities worked on again"
    return f"Links of the last run: {counts} (changes.tsv); {what}"


def _share(part: float) -> str:
    """Return a share in percent; never 100 % where it is less."""
    return f"{min(part, 0.99) if part < 1 else part:.0%}"


def _print_end(console: Console, run: Run, folder: Path) -> None:
    """Print seconds, memory and folder, and how many notes are hidden."""
    info, n_notes = run.info, len(list(_notes(run)))
    cost = f"{describe_seconds(sum(info['seconds'].values()))}, {info['peak_rss_mb']:,.0f} MiB"
    hidden = f"; {n_notes} notes, shown by --verbose" if n_notes > 1 else ""
    hidden = "; 1 note, shown by --verbose" if n_notes == 1 else hidden
    console.print(f"{cost}{'' if current_output().verbose else hidden}")
    console.print(f"run folder: {folder}", soft_wrap=True, markup=False)


# ------------------------------------------------------------------------- with --verbose


def _print_everything(console: Console, run: Run) -> None:
    """Print the rounds, what each stage took, and all notes."""
    console.print()
    _print_rounds(console, run)
    rows = [
        (name.replace("_", " "), f"{seconds:.2f}", f"{run.info['peak_mb'].get(name, 0):,.0f}")
        for name, seconds in run.info["seconds"].items()
    ]
    print_table(console, "Stages", ("stage", "seconds", "peak MiB"), rows)
    for note in _notes(run):
        print_sentence(console, f"note: {note}")


def _notes(run: Run) -> Iterator[str]:
    """Yield what is worth knowing beside the links."""
    if (n_left_out := run.info.get("alarmed_links_left_out")) is not None:
        yield f"links left out because their times raise an alarm: {n_left_out:,}"
    elif n_alarmed := int((run.links["alarms"] != "").sum()):
        yield (
            f"links whose times raise an alarm (column alarms): {n_alarmed:,}; --no-alarmed leaves "
            "them out"
        )
    if origin := describe_origin(run):
        yield f"number of wrong links {origin}"
    yield from (f"attributes {words}" for words in describe_matches(run, _SHOWN_MATCHES))
    if (n_more := len(run.attribute_matches) - _SHOWN_MATCHES) > 0:
        yield f"{n_more:,} more matching attributes in attribute_matches.parquet"
    last, config = run.info["rounds"][-1], run.info["config"]
    if recall := describe_recall(last):
        yield recall
    if (gap := last["sinkhorn_marginal_gap"]) > _LARGE_GAP:
        yield (
            f"Sinkhorn stopped at {config['iterations']} iterations with a marginal gap of "
            f"{gap:.2g}; raise --iterations or --temperature to lower it"
        )


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


def describe_recall(last_round: Mapping[str, Any]) -> str:
    """Return the recall of an approximate search in words; nothing for an exact one."""
    if last_round.get("search") != "approximate":
        return ""
    return (
        f"candidates were searched approximately: the search found the best candidate of "
        f"{last_round['recall_best']:.1%} of a sample of entities, and "
        f"{last_round['recall_top_k']:.0%} of all their candidates; --search exact compares "
        "every pair"
    )


# ---------------------------------------------------------------------------- evaluation


def print_evaluation(console: Console, evaluation: Evaluation, title: str = "Evaluation") -> None:
    """Print the figures of an evaluation."""
    rank, links = evaluation.ranking, evaluation.links
    shares = (
        ("Hits@1", rank.hits_at_1),
        ("Hits@5", rank.hits_at_5),
        ("Hits@10", rank.hits_at_10),
        ("MRR", rank.mrr),
        ("precision of the links", links.precision),
        ("  links of entities in the truth", evaluation.links_of_known.precision),
        ("recall", links.recall),
        ("F1", links.f1),
    )
    counts = (
        ("true links", evaluation.n_truth),
        ("  not among the 50 kept candidates", rank.n_unranked),
        ("  with an entity not in the facts", evaluation.n_unknown),
        ("  left out because they are seeds", evaluation.n_seeds_left_out),
    )
    rows = [(name, f"{value:.4f}") for name, value in shares]
    rows += [(name, f"{count:,}") for name, count in counts]
    print_table(console, title, ("figure", "value"), rows)
