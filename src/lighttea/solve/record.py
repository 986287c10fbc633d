"""What a round tells of itself without truth: its links, and what goes into the run's record."""

from __future__ import annotations

from typing import Any

import numpy as np

from lighttea.assign.decode import PlainBest, best_candidates, one_to_one_matches
from lighttea.assign.fdr import false_discovery_rates
from lighttea.assign.mutual import mutual_matches
from lighttea.assign.sinkhorn import Assignment
from lighttea.config import ADAPTABLE, Config, LinkRules
from lighttea.errors import ConfigError
from lighttea.similarity.candidates import count_with_candidates
from lighttea.solve.bootstrap import StartingPairs
from lighttea.solve.round import Round
from lighttea.solve.workspace import Workspace
from lighttea.types import A, Floats


def matches_of(work: Workspace[A], result: Round[A], rules: LinkRules | None = None) -> PlainBest:
    """Return the candidates that are links; no link where confidence is too low or fdr too high."""
    rules = rules or LinkRules()
    tables = result.candidates, result.assignment
    if rules.top_n or rules.many_to_one:
        matches = best_candidates(work.engine, *tables, rules.top_n or 1)
    else:
        matches = one_to_one_matches(work.engine, *tables)
    if result.settings.mutual:
        matches = mutual_matches(work.engine, *tables, matches)
    confident = np.flatnonzero(matches.confidence >= result.settings.min_confidence)
    return keep_below_fdr(matches.take(confident), result.assignment, result.settings.max_fdr)


def keep_below_fdr(matches: PlainBest, assignment: Assignment[A], max_fdr: float) -> PlainBest:
    """Return the surest matches, up to an expected share of wrong ones; 1 keeps all."""
    if max_fdr >= 1:
        return matches
    fdr = fdr_of(matches, assignment)
    if fdr is None:
        raise ConfigError(
            "`max_fdr` needs calibrated confidence, and there are too few candidates to "
            "calibrate it; leave `max_fdr` out"
        )
    return matches.take(np.flatnonzero(fdr <= max_fdr))


def fdr_of(matches: PlainBest, assignment: Assignment[A]) -> Floats | None:
    """Return the fdr of each match; None where confidence is not a probability."""
    if assignment.probability is None:
        return None
    return false_discovery_rates(matches.confidence)


def count_left_with_candidates(work: Workspace[A], result: Round[A]) -> int:
    """Return how many left entities have any candidate."""
    counts = work.engine.map(count_with_candidates, result.candidates)
    return sum(work.engine.fetch(count) for count in counts)


def record_of(work: Workspace[A], result: Round[A]) -> dict[str, Any]:
    """Return the course of one round, for the run's record."""
    n_with = count_left_with_candidates(work, result)
    return {
        **search_figures(result),
        "seeds": result.n_seeds,
        "left_with_candidates": n_with,
        "left_without_candidates": len(work.problem.left) - n_with,
        "promoted": len(result.promoted),
        **estimates(result),
        "sinkhorn_marginal_gap": round(result.assignment.marginal_gap, 6),
        "settings": chosen_settings(result.settings),
        "next_settings": chosen_settings(result.next_settings or result.settings),
    }


def record_of_start(start: StartingPairs) -> dict[str, Any]:
    """Return what is told of the pairs to begin with, where any were looked for."""
    if start.n_found is None:
        return {}
    return {
        "found_seeds": start.n_found,
        "found_seeds_precision": round(start.precision, 4),
    }


def chosen_settings(config: Config) -> dict[str, float]:
    """Return the settings that the data may choose, as they are."""
    return {name: getattr(config, name) for name in ADAPTABLE if name in config.adapted}


def estimates(result: Round[A]) -> dict[str, float]:
    """Return what a round estimates of itself, where confidence is a probability."""
    figures = {
        "promoted_precision_estimate": result.promoted_precision,
        "share_with_counterpart": result.assignment.share,
    }
    return {name: round(value, 4) for name, value in figures.items() if value is not None}


def search_figures(result: Round[A]) -> dict[str, Any]:
    """Return which search a round used, and what of the exact result it found on a sample."""
    if result.recall is None:
        return {"search": "exact"}
    best, all_k = round(result.recall.best, 4), round(result.recall.all_k, 4)
    return {"search": "approximate", "recall_best": best, "recall_top_k": all_k}
