"""What to do next with a run, in one or two sentences."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import islice

import polars as pl

from lighttea.report.expected import Cut, cuts_by_fdr
from lighttea.report.missing import linked_entities
from lighttea.results.expectation import decoy_warning, expected_wrong
from lighttea.results.run import Run
from lighttea.results.seeds import SUSPICIOUS_SEEDS_FILE, seed_warning

DOUBTFUL_MARGIN = 0.9  # below this lead over the runner-up a link is worth a look
_MANY_WRONG = 0.05  # expected share of wrong links from which a threshold is advised
_LIKELY = 0.5  # confidence of a pair that a stricter threshold leaves out
_MANY_MISSING = 0.3  # share of left entities without a link
_MOST = 2  # sentences


def advise(run: Run, folder: str) -> list[str]:
    """Return what to do next; commands stand between backquotes."""
    if decoy_warning(run) or run.links.is_empty():
        return [_start_again(run)]
    place = shlex.quote(folder)
    sentences = list(islice(_sentences(run, place), _MOST))
    return sentences or [
        f"No link needs a closer look. Export the links: "
        f"`lighttea export {place} --format sameas --out links.nt`."
    ]


def _start_again(run: Run) -> str:
    """Return how to get links that can be trusted."""
    problem = (
        "This run has no links" if run.links.is_empty() else "Do not use these links as they stand"
    )
    if not run.info["seeds"]:
        return f"{problem}: give some known links with `--seeds FILE` and align again."
    return (
        f"{problem}: check that both graphs describe the same things (`lighttea inspect LEFT "
        f"RIGHT`), or give more seeds than {run.info['seeds']:,}."
    )


def _sentences(run: Run, place: str) -> Iterator[str]:
    """Yield advice, the most urgent first."""
    if seed_warning(run):
        share = run.info["seed_check"]["share_wrong"]
        yield f"Check the seeds: about {share:.0%} look wrong, see `{SUSPICIOUS_SEEDS_FILE}`."
    n_wrong = expected_wrong(run)
    if n_wrong is None:
        yield (
            "Confidence is not a probability in this run: align with `--preset best`, or give "
            f"known links to `lighttea evaluate {place} --truth FILE`."
        )
    elif n_wrong > _MANY_WRONG * len(run.links):
        yield from _threshold(run, place)
    if n_doubtful := count_doubtful(run):
        links = "link" if n_doubtful == 1 else "links"
        yield f"Review the {n_doubtful:,} doubtful {links} with `lighttea review {place}`."
    yield from _left_out(run)
    yield from _seeds(run)


def count_doubtful(run: Run) -> int:
    """Return the number of links with an alarm, or with a small lead over the runner-up."""
    is_doubtful = (pl.col("margin") < DOUBTFUL_MARGIN) | (pl.col("alarms") != "")
    return len(run.links.filter(is_doubtful))


def _threshold(run: Run, place: str) -> Iterator[str]:
    """Yield the threshold that leaves few wrong links, where one keeps any."""
    cut = _best_cut(run)
    if cut is not None:
        yield (
            f"Keep only the surer links: `lighttea export {place} --max-fdr {cut.max_fdr:g} "
            f"--format tsv --out links.tsv` keeps {cut.n_links:,} of {len(run.links):,}, about "
            f"{cut.n_wrong:,.0f} of them wrong."
        )


def _best_cut(run: Run) -> Cut | None:
    """Return the cut with the most links among those with few wrong ones."""
    cuts = [cut for cut in cuts_by_fdr(run) if cut.n_links and cut.max_fdr <= _MANY_WRONG]
    return max(cuts, key=lambda cut: cut.n_links, default=None)


def _left_out(run: Run) -> Iterator[str]:
    """Yield which setting leaves out likely pairs, where it is stricter than by default."""
    config = run.info["config"]
    least, most = config["min_confidence"], config.get("max_fdr", 1.0)
    best = run.candidates.filter(pl.col("rank") == 1, pl.col("confidence") >= _LIKELY)
    free = best.join(run.links, on="left", how="anti").join(run.links, on="right", how="anti")
    if free.is_empty():
        return
    pairs = "pair was" if len(free) == 1 else "pairs were"
    setting = f"`--max-fdr {most:g}`" if most < 1 else f"`--min-confidence {least:g}`"
    change = "raise" if most < 1 else "lower"
    if most < 1 or least > _LIKELY:
        yield f"{len(free):,} likely {pairs} left out by {setting}: {change} it to get them."


def _seeds(run: Run) -> Iterator[str]:
    """Yield that seeds may help, where there are none and many entities have no link."""
    n_left = run.info["input"]["left"]["entities"]
    share = 1 - len(linked_entities(run, "left")) / max(n_left, 1)
    if not run.info["seeds"] and share > _MANY_MISSING:
        yield (
            f"No seed was given and {share:.0%} of the left entities have no link: a few dozen "
            "known links (`--seeds FILE`) may find more."
        )
