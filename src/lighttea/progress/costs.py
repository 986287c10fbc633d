"""About how many seconds the stages of an alignment take, by the sizes of the graphs.

Fitted by hand to runs of 6,000 to 85,000 entities on two cores. Only the proportions matter much:
`Forecast` corrects the rest as soon as something was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lighttea.config import Config
from lighttea.progress.forecast import (
    FINISH,
    GUESS,
    LOAD,
    PREPARE,
    REPORT,
    START,
    WRITE,
    round_phase,
)

_DIM = 512  # that the figures hold for
_MOST_EXACT = 2.5e9  # couples of entities; from there the search is approximate
_LATER = {"propagate": 0.5, "search": 0.4, "sinkhorn": 0.6}  # a later round by the first
_LATER_OTHERS = 0.5
_GOES_ON = 0.6  # chance of one more round where rounds may converge
_ALIGNING = 30.0  # times as long as reading
_BYTES_A_SECOND, _PACKED = 12e6, 6.0  # reading; a packed file holds so many times its bytes


@dataclass(frozen=True)
class Costs:
    """Expected seconds by phase and stage, in order."""

    phases: Mapping[str, Mapping[str, float]]
    next_round: float = field(default=1.0)  # chance that a round is followed by the next


def reading_costs(n_bytes: int, *, is_packed: bool = False, aligns: bool = False) -> Costs:
    """Return what it takes to read files of so many bytes, and about what to align them."""
    unpacked = n_bytes * (_PACKED if is_packed else 1.0)
    reading = 0.2 + unpacked / _BYTES_A_SECOND
    guess = {GUESS: {"guess": 2 + _ALIGNING * reading}} if aligns else {}
    return Costs({LOAD: {"load": reading}, **guess})


def writing_costs(n_facts: int, *, has_report: bool) -> Costs:
    """Return what it takes to write a run of so many facts, and its report."""
    report = {REPORT: {"report": 4 + 4e-6 * n_facts}} if has_report else {}
    return Costs({WRITE: {"write": 0.1 + 1e-6 * n_facts}, **report})


def alignment_costs(
    config: Config,
    *,
    n_left: int,
    n_right: int,
    n_nodes: int,
    n_facts: int,
    n_literals: int,
    finds_pairs: bool,
) -> Costs:
    """Return what it takes to align graphs of these sizes; facts count in both directions."""
    first = _round(config, n_left, n_right, n_nodes, n_facts)
    later = {name: cost * _LATER.get(name, _LATER_OTHERS) for name, cost in first.items()}
    rounds = {round_phase(n): first if n == 1 else later for n in range(1, config.rounds + 1)}
    prepare = {"graph": 0.05 + 6e-7 * n_facts}
    if n_literals:
        prepare["literals"] = 0.3 + 1.5e-5 * n_literals
    start = {START: {"seeds": 1 + 1e-5 * n_facts + 1e-4 * n_nodes}} if finds_pairs else {}
    finish = {"seed_check": 0.3, "alarms": 0.1 + 3e-7 * n_facts}
    return Costs(
        {PREPARE: prepare, **start, **rounds, FINISH: finish},
        next_round=_GOES_ON if config.convergence else 1.0,
    )


def _round(
    config: Config, n_left: int, n_right: int, n_nodes: int, n_facts: int
) -> dict[str, float]:
    """Return the expected seconds of the stages of a first round."""
    width = config.dim / _DIM
    n_couples = float(n_left) * n_right
    search = 2.5e-8 * n_couples if n_couples <= _MOST_EXACT else 1.2e-3 * n_left
    stages = {
        "propagate": width * (1e-6 * n_facts + 1e-5 * n_nodes),
        "search": 0.2 + width * search,
        "sinkhorn": 0.1 + 2.5e-4 * n_left,
        "iterate": 0.05 + 5e-6 * n_left,
    }
    if config.whitening:
        stages["propagate"] += width * (1 + 5e-6 * n_facts + 1.5e-4 * n_nodes)
    if config.consensus:
        stages["consensus"] = 0.1 + 7e-6 * n_facts + 3e-5 * n_left
    if config.uses_likelihood:
        stages["consensus"] += 5e-6 * n_facts
    if config.time_weight:
        stages["time_similarity"] = 1e-6 * n_facts
    if config.contradictions:
        stages["contradictions"] = 0.1 + 1e-6 * n_facts
    return stages
