"""What the decoys of a run tell, for its record: counts, a curve, and a warning in words."""

from __future__ import annotations

from typing import Any

from lighttea.assign.competition import Competition

LEVELS = (0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)  # of confidence, where winners are counted
NOTHING, LITTLE = 0.1, 0.5  # expected share of right ones among those that look sure
_FEWEST = 10  # winners that look sure, below which nothing is said of their share


def describe_competition(competition: Competition | None) -> dict[str, Any] | None:
    """Return what the run's record says of decoys; None where there were none."""
    if competition is None:
        return None
    n_targets, n_decoys = competition.sure_counts()
    if not n_targets:  # where decoys are much like right entities no score alone makes sure
        n_targets, n_decoys = competition.counts_from(LEVELS[-1])
    counts = [competition.counts_from(level) for level in LEVELS]
    return {
        "per_entity": round(competition.per_target, 4),
        "targets": n_targets,
        "decoys": n_decoys,
        "share_right": round(competition.share_right, 4),
        "curve": {
            "confidence": list(LEVELS),
            "targets": [targets for targets, _ in counts],
            "decoys": [decoys for _, decoys in counts],
        },
        "warning": warning_of(competition),
    }


def warning_of(competition: Competition) -> str | None:
    """Return what a user must know before any link is used; None where all is well."""
    n_targets, n_decoys = competition.sure_counts()
    if n_targets + n_decoys < _FEWEST or competition.share_right >= LITTLE:
        return None
    how_much = "nothing" if competition.share_right < NOTHING else "little"
    return (
        f"{how_much} in these graphs distinguishes a match from chance: {n_targets:,} pairs win, "
        f"and {n_decoys:,} decoys{_how_many(competition.per_target)}; expect about "
        f"{1 - competition.share_right:.0%} of such pairs to be wrong"
    )


def _how_many(per_target: float) -> str:
    if per_target > 0.95:
        return ""
    return f" (one decoy for {1 / per_target:.1f} right entities)"
