"""What stages, and the time that is left, are called in progress lines."""

from __future__ import annotations

import math

_STAGES = {
    "load": "reading",
    "graph": "building ticks and views",
    "literals": "comparing literals",
    "changes": "comparing with the last run",
    "seeds": "finding first pairs",
    "propagate": "propagating labels",
    "search": "searching candidates",
    "consensus": "comparing neighbours",
    "time_similarity": "comparing times",
    "contradictions": "looking for contradictions",
    "sinkhorn": "assigning (Sinkhorn)",
    "iterate": "promoting sure pairs",
    "seed_check": "checking the seeds",
    "alarms": "checking the times of links",
    "rehearsal": "rehearsing with divided entities",
    "clusters": "making clusters",
    "evaluate": "evaluating",
    "write": "writing the run folder",
    "report": "writing the report",
    "export": "writing the export",
    "profile": "looking at the graph",
}
_MINUTE, _HOUR = 60, 3600


def describe_stage(name: str) -> str:
    """Return what a stage does, in words."""
    return _STAGES.get(name, name.replace("_", " "))


def describe_seconds(seconds: float) -> str:
    """Return a duration in words, as exact as matters: `8.1 s`, `2 min 5 s`, `1 h 12 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def describe_remaining(seconds: float) -> str:
    """Return the time that is left in words, rounded as an estimate: `about 40 s left`."""
    if math.isinf(seconds):
        return "estimating the time left"
    if seconds < 3:
        return "a few seconds left"
    if seconds < _MINUTE:
        step = 1 if seconds < 10 else 5
        return f"about {step * round(seconds / step)} s left"
    minutes = round(seconds / _MINUTE)
    if minutes < 60:
        return f"about {minutes} min left"
    return f"about {minutes // 60} h {minutes % 60} min left"
