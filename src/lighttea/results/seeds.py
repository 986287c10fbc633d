"""What a run says of its seeds: how many look wrong, and which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from lighttea.graph.facts import Graph
from lighttea.results.names import name_ids
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from lighttea.solve.seed_check import SeedCheck
from lighttea.types import NO_CANDIDATE

SUSPICIOUS_SEEDS_FILE = "suspicious_seeds.tsv"
_SHOWN = 5
_BEATEN = "another right entity fits better"
_UNSUPPORTED = "fits no better than a random pair"


def suspicious_seeds_frame(check: SeedCheck | None, left: Graph, right: Graph) -> pl.DataFrame:
    """Return the suspicious seeds with names, the most suspicious first."""
    if check is None or not len(check.suspicious):
        return empty_table("suspicious_seeds")
    seeds = check.suspicious
    better = [right.entities[i] if i != NO_CANDIDATE else None for i in seeds.better.tolist()]
    return pl.DataFrame(
        {
            "left": [left.entities[i] for i in seeds.links.left.tolist()],
            "right": [right.entities[i] for i in seeds.links.right.tolist()],
            "better": pl.Series(better, dtype=pl.String),
            "score": seeds.score,
            "better_score": [
                score if name is not None else None
                for score, name in zip(seeds.better_score.tolist(), better, strict=True)
            ],
            "why": [_UNSUPPORTED if name is None else _BEATEN for name in better],
        },
        schema=empty_table("suspicious_seeds").schema,
    )


def seed_check_info(check: SeedCheck, run: Run) -> dict[str, Any]:
    """Return what `run.json` tells of the seeds."""
    suspicious = run.suspicious_seeds
    return {
        "share_wrong": round(check.share, 4),
        "interval": [round(check.low, 4), round(check.high, 4)],
        "seeds": check.n_seeds,
        "judged": check.n_judged,
        "fits_by_chance": check.fits_by_chance,
        "suspicious": len(suspicious),
        "most_suspicious": suspicious.head(_SHOWN).to_dicts() if check.is_notable else [],
        "warning": describe_wrong_seeds(check, run) if check.is_notable else None,
    }


def describe_wrong_seeds(check: SeedCheck, run: Run) -> str:
    """Return how many seeds look wrong, the most suspicious ones, and where the others are."""
    suspicious = run.suspicious_seeds
    if check.fits_by_chance and suspicious["better"].is_null().all():
        text = (
            f"the seeds fit no better than random pairs ({check.n_seeds:,} seeds): they are "
            "wrong, or the graphs have almost nothing in common"
        )
    else:
        text = (
            f"about {check.share:.0%} of the seeds look wrong (between {check.low:.0%} and "
            f"{check.high:.0%}; judged on {check.n_judged:,} of {check.n_seeds:,} seeds)"
        )
    if suspicious.is_empty():
        return text
    shown = "; ".join(_describe_seeds(run))
    place = f"; all {len(suspicious):,} are in {SUSPICIOUS_SEEDS_FILE} of the run"
    return f"{text}; the most suspicious: {shown}{place if len(suspicious) > _SHOWN else ''}"


def _describe_seeds(run: Run) -> Iterator[str]:
    """Yield the most suspicious seeds by names and ids, each with what fits better."""
    shown = run.suspicious_seeds.head(_SHOWN)
    left, right, better = (
        name_ids(run, side, shown[column].fill_null(""))
        for side, column in (("left", "left"), ("right", "right"), ("right", "better"))
    )
    for own, other, fitting in zip(left, right, better, strict=True):
        advice = f" ({own.text} fits {fitting.words} better)" if fitting.id else ""
        yield f"{own.words} = {other.words}{advice}"


def seed_warning(run: Run) -> str | None:
    """Return what the run warns of its seeds; None where it does not."""
    warning = (run.info.get("seed_check") or {}).get("warning")
    return str(warning) if warning else None
