"""How many links of a run are expected to be wrong, and how that was estimated, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lighttea.results.run import Run


def expected_wrong(run: Run) -> float | None:
    """Return how many links are expected to be wrong; None where that was not estimated.

    It is the sum of 1 - confidence, so confidence has to be a probability.
    """
    if not _has_probabilities(run):
        return None
    return float(len(run.links) - run.links["confidence"].cast(float).sum())


def describe_links(run: Run, *, with_origin: bool = True) -> str:
    """Return the number of links, and of those that are expected to be wrong, in words."""
    n_links = f"{len(run.links):,} {'link' if len(run.links) == 1 else 'links'}"
    if run.links.is_empty():
        return n_links
    n_wrong = expected_wrong(run)
    if n_wrong is None:
        return f"{n_links}, errors not estimated (confidence is not calibrated)"
    number = "less than one" if n_wrong < 0.5 else f"about {n_wrong:,.0f}"
    origin = describe_origin(run) if with_origin else ""
    return f"{n_links}, {number} of them wrong" + (origin and f" ({origin})")


def decoy_warning(run: Run) -> str | None:
    """Return what the decoys warn of; None where they don't."""
    warning = (run.info.get("decoys") or {}).get("warning")
    return str(warning) if warning else None


def describe_origin(run: Run) -> str:
    """Return the counts that the estimate rests on, in words; empty where there are none."""
    decoys: Mapping[str, Any] | None = run.info.get("decoys")
    if not decoys:
        return ""
    n_decoys, n_targets = decoys["decoys"], decoys["targets"]
    word = "decoy" if n_decoys == 1 else "decoys"
    return f"estimated from {n_decoys:,} {word} that won beside {n_targets:,} real candidates"


def _has_probabilities(run: Run) -> bool:
    """Return whether confidence is a probability.

    Runs of earlier versions have no fdr; a share of entities with a counterpart was estimated
    together with their probabilities.
    """
    if run.links["fdr"].is_not_null().any():
        return True
    last_round = run.info["rounds"][-1] if run.info.get("rounds") else {}
    many_to_one = run.info.get("rules", {}).get("many_to_one", False)
    return "share_with_counterpart" in last_round and not many_to_one
