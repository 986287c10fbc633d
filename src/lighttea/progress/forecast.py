"""How long a run will still take: expected seconds, corrected by what was measured so far.

A run is a row of phases: reading, preparing, first pairs, rounds, the end, writing. Each phase has
expected seconds by stage. What is over tells how fast this machine is on these graphs; a round that
is over tells what the next one takes. The estimate is never zero while the work goes on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

LOAD, PREPARE, START, FINISH, WRITE, REPORT = (
    *("load", "prepare", "start", "finish", "write", "report"),
)
LOOP = ("search", "consensus", "time_similarity", "contradictions", "sinkhorn")
_PHASE_OF_STAGE = {
    "load": LOAD,
    "graph": PREPARE,
    "literals": PREPARE,
    "seeds": START,
    "seed_check": FINISH,
    "alarms": FINISH,
    "write": WRITE,
    "report": REPORT,
}
GUESS = "guess"  # all of an alignment, before its sizes are known
_COMPUTED = (GUESS, PREPARE, START, FINISH)  # and the rounds; their speed tells that of the others
_PRIOR = 0.3  # seconds of work that are taken to go as expected
_OVERRUN = 0.25  # of a stage that takes longer than expected, what is taken to be left of it
_LEAST = 0.03  # of a phase that goes on, what is left of it at least
_UNKNOWN = 1.0  # seconds of a phase that nothing is known of
_MOST = 0.99  # of the whole, as long as the work goes on
_AHEAD = 0.1  # of the whole, by which the bar may be ahead before it goes back


def round_phase(number: int) -> str:
    """Return the name of a round's phase."""
    return f"round {number}"


def _is_round(phase: str) -> bool:
    return phase.startswith("round ")


def _is_computed(phase: str) -> bool:
    return phase in _COMPUTED or _is_round(phase)


@dataclass(frozen=True)
class Estimate:
    """How far a run is."""

    elapsed: float  # seconds
    remaining: float  # seconds, more than 0 as long as the work goes on; infinite: not known yet
    share: float  # of the whole that is done, below 1


@dataclass
class Phase:
    """A part of a run: what it is expected to take, and what it has taken so far."""

    name: str
    expected: dict[str, float] = field(default_factory=dict)  # seconds by stage
    spent: dict[str, float] = field(default_factory=dict)  # seconds by stage that is over
    begin: float | None = None
    end: float | None = None

    @property
    def cost(self) -> float:
        """Expected seconds of all stages."""
        return sum(self.expected.values()) or _UNKNOWN

    @property
    def seconds(self) -> float:
        """Measured seconds of a phase that is over."""
        return 0.0 if self.begin is None or self.end is None else self.end - self.begin

    def earned(self, current: str | None) -> tuple[float, float]:
        """Return the expected and the measured seconds of the stages that are over for good."""
        over = [
            name
            for name in self.spent
            if name in self.expected and name != current and name not in LOOP
        ]
        return sum(self.expected[name] for name in over), sum(self.spent[name] for name in over)


class Forecast:
    """Keeps account of the phases of a run and estimates what is left."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._begin = now()
        self._phases: list[Phase] = [Phase(LOAD)]
        self._at = -1  # place of the phase that goes on
        self._stage: tuple[str, float] | None = None  # that goes on, and since when
        self._runs = (1, 1)  # number of the alignment that goes on, of how many
        self._run_begin: float | None = None
        self._run_seconds: list[float] = []  # of alignments that are over
        self._next_round = 1.0
        self._share = 0.0

    def expect(self, costs: Mapping[str, Mapping[str, float]], next_round: float = 1.0) -> None:
        """Set the expected seconds of phases; phases that are over stay as they were.

        Phases come in the order in which they are told. Those that were expected before and come
        after the alignment stay behind it. `next_round` is the chance that a round is followed by
        the next one.
        """
        has_rounds = any(map(_is_round, costs))
        if has_rounds:
            self._next_round = next_round
        done = self._phases[: self._at + 1]
        new = [Phase(name, dict(stages)) for name, stages in costs.items()]
        for phase in done:  # a phase that goes on gets its costs
            for told in [told for told in new if told.name == phase.name and phase.end is None]:
                phase.expected = told.expected
                new.remove(told)
        kept = [
            phase
            for phase in self._phases[self._at + 1 :]
            if phase.name not in costs and not (has_rounds and _is_computed(phase.name))
        ]
        before = [phase for phase in kept if phase.name == LOAD or _is_computed(phase.name)]
        after = [phase for phase in kept if phase not in before]
        self._phases = [*done, *before, *new, *after]

    def begin_run(self, number: int, runs: int) -> None:
        """Begin one of several alignments, which take about as long as each other."""
        now = self._now()
        if self._run_begin is not None:
            self._run_seconds.append(now - self._run_begin)
            mean = sum(self._run_seconds) / len(self._run_seconds)
            done, rest = self._phases[: self._at + 1], self._phases[self._at + 1 :]
            rest = [phase for phase in rest if not _is_computed(phase.name)]
            guess = Phase(GUESS, {GUESS: mean / self._speed()})  # until the costs are told
            self._phases = [*done, guess, *rest]
        self._run_begin, self._runs = now, (number, runs)

    def begin_round(self, number: int) -> None:
        """Begin the phase of a round."""
        self._go_to(round_phase(number))

    def enter(self, stage: str) -> None:
        """Begin a stage, and the phase that it stands for."""
        self._stage = (stage, self._now())
        phase = _PHASE_OF_STAGE.get(stage)
        is_at_work = self._at >= 0 and (
            self._current.name == START or _is_round(self._current.name)
        )
        if phase is None or (stage == "literals" and is_at_work):
            return
        self._go_to(phase)

    def leave(self, stage: str, seconds: float) -> None:
        """Note that a stage is over."""
        if self._at >= 0:
            spent = self._current.spent
            spent[stage] = spent.get(stage, 0.0) + seconds
        self._stage = None

    def estimate(self) -> Estimate:
        """Return how far the run is now.

        The share falls only where it was much too high. Before the first stage it is 0: libraries
        are being loaded, and nothing is known about the work.
        """
        now = self._now()
        elapsed = now - self._begin
        if self._at < 0:
            return Estimate(elapsed, math.inf, 0.0)
        remaining = self._left_of_current(now) + self._left_of_others()
        remaining += self._left_of_runs(now, remaining)
        share = min(_MOST, elapsed / max(elapsed + remaining, 1e-9))
        self._share = max(share, min(self._share, share + _AHEAD))
        return Estimate(elapsed, remaining, min(_MOST, self._share))

    # ------------------------------------------------------------------ phases

    @property
    def _current(self) -> Phase:
        return self._phases[self._at]

    def _go_to(self, name: str) -> None:
        """End the phase that goes on and begin this one; phases in between are left out."""
        if self._at >= 0 and self._current.name == name:
            return
        now = self._now()
        names = [phase.name for phase in self._phases[self._at + 1 :]]
        if name not in names:
            self._phases.insert(self._at + 1, Phase(name))
            names = [name]
        if self._at >= 0:
            self._current.end = now
        self._at += 1 + names.index(name)
        self._current.begin = now

    def _over(self) -> list[Phase]:
        """Return the phases that are over, of the computation alone."""
        return [p for p in self._phases if p.end is not None and _is_computed(p.name)]

    def _speed(self) -> float:
        """Return measured by expected seconds of what is over so far."""
        expected, measured = _PRIOR, _PRIOR
        for phase in self._over():
            if phase.expected:
                expected += phase.cost
                measured += phase.seconds
        if self._at >= 0 and _is_computed(self._current.name):
            own = self._current.earned(self._stage[0] if self._stage else None)
            expected, measured = expected + own[0], measured + own[1]
        return measured / expected

    def _expected(self, phase: Phase) -> float:
        """Return the seconds that a phase is expected to take, by what was measured so far."""
        if _is_round(phase.name):
            rounds = [p for p in self._over() if _is_round(p.name) and p.expected]
            if rounds:
                return rounds[-1].seconds * phase.cost / rounds[-1].cost
        return phase.cost * (self._speed() if _is_computed(phase.name) else 1.0)

    # -------------------------------------------------------------------- left

    def _left_of_current(self, now: float) -> float:
        """Return what is left of the phase that goes on."""
        phase = self._current if self._at >= 0 else Phase("")
        if phase.begin is None:
            return 0.0
        spent, expected = now - phase.begin, self._expected(phase)
        overrun = 0.0
        if self._stage is not None and self._stage[0] in phase.expected:
            name, since = self._stage
            own = phase.expected[name] * expected / phase.cost
            taken = now - since + phase.spent.get(name, 0.0)
            overrun = _OVERRUN * max(0.0, taken - own)
        return max(expected - spent, overrun, _OVERRUN * (spent - expected), _LEAST * expected)

    def _left_of_others(self) -> float:
        """Return what the phases take that are still to begin; a later round may not be needed."""
        seconds, chance = 0.0, 1.0
        for place, phase in enumerate(self._phases[self._at + 1 :], self._at):
            if _is_round(phase.name) and place >= 0 and _is_round(self._phases[place].name):
                chance *= self._next_round
            seconds += self._expected(phase) * (chance if _is_round(phase.name) else 1.0)
        return seconds

    def _left_of_runs(self, now: float, remaining: float) -> float:
        """Return what the alignments take that are still to begin."""
        number, runs = self._runs
        if number == runs or self._run_begin is None:
            return 0.0
        own = now - self._run_begin + remaining
        mean = sum(self._run_seconds) / len(self._run_seconds) if self._run_seconds else own
        return (runs - number) * mean
