"""What a round did: its links, and what it tells of itself without truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from lighttea.assign.decode import Best, one_to_one
from lighttea.config import ADAPTABLE, Config, LinkRules
from lighttea.engines.base import Engine
from lighttea.solve.round import Round


def links_of(on: Engine, result: Round, rules: LinkRules | None = None) -> Best:
    """The candidates that are links; the tool abstains where it is not sure."""
    rules = rules or LinkRules()
    if rules.top_n:
        best = on.best_n(result.candidates, result.assignment, rules.top_n)
    else:
        best = on.best(result.candidates, result.assignment)
        best = best if rules.many_to_one else one_to_one(best)
    return best.take(np.flatnonzero(best.confidence >= result.settings.min_confidence))


def what_it_did(on: Engine, result: Round) -> dict[str, Any]:
    """The course of one round, for the run's record."""
    reached = on.reached(result.candidates)
    return {
        **search_figures(result),
        "seeds": result.n_seeds,
        "left_with_candidates": reached,
        "left_without_candidates": len(on.problem.left) - reached,
        "promoted": len(result.promoted),
        **estimates(result),
        "sinkhorn_marginal_gap": round(result.assignment.marginal_gap, 6),
        "settings": chosen_settings(result.settings),
        "next_settings": chosen_settings(result.following or result.settings),
    }


def chosen_settings(config: Config) -> dict[str, float]:
    """The settings that the data may choose, as they are."""
    return {name: getattr(config, name) for name in ADAPTABLE if name in config.adapted}


def estimates(result: Round) -> dict[str, float]:
    """What a round tells of itself without truth, where confidence is estimated."""
    told = {
        "promoted_precision_estimate": result.promoted_estimate,
        "share_with_counterpart": result.assignment.share,
    }
    return {name: round(value, 4) for name, value in told.items() if value is not None}


def search_figures(result: Round) -> dict[str, Any]:
    """Which search a round used, and what of the exact result it found on a sample."""
    if result.recall is None:
        return {"search": "exact"}
    best, all_k = round(result.recall.best, 4), round(result.recall.all_k, 4)
    return {"search": "approximate", "recall_best": best, "recall_top_k": all_k}
