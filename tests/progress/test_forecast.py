"""How long a run will still take, told by a clock that is turned by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lighttea.config import make_config
from lighttea.progress.costs import Costs, alignment_costs, reading_costs, writing_costs
from lighttea.progress.forecast import Estimate, Forecast
from lighttea.progress.words import describe_remaining, describe_seconds, describe_stage

ROUND = ("propagate", "search", "consensus", "sinkhorn", "iterate")


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def costs(**settings: object) -> Costs:
    config = make_config("best", **settings)  # type: ignore[arg-type]
    sizes = {"n_left": 9_500, "n_right": 14_500, "n_nodes": 19_000, "n_facts": 1_200_000}
    return alignment_costs(config, **sizes, n_literals=0, finds_pairs=True)


def simulate(slowness: float, rounds: int) -> Iterator[Estimate]:
    """Yield the estimate after each second of a run that is so much slower than expected."""
    clock, expected = Clock(), costs()
    forecast = Forecast(clock)
    forecast.expect(writing_costs(600_000, has_report=True).phases)
    forecast.expect(reading_costs(20_000_000).phases)
    forecast.enter("load")
    clock.now += 2.0
    forecast.leave("load", 2.0)
    forecast.expect(expected.phases, expected.next_round)
    for phase, stages in expected.phases.items():
        number = int(phase.split()[1]) if phase.startswith("round") else 0
        if number > rounds:
            continue
        if number:
            forecast.begin_round(number)
        for stage, seconds in stages.items():
            forecast.enter(stage)
            end = clock.now + slowness * seconds
            while clock.now + 1 < end:
                clock.now += 1.0
                yield forecast.estimate()
            clock.now = end
            forecast.leave(stage, slowness * seconds)
    for stage in ("write", "report"):
        forecast.enter(stage)
        clock.now += 3.0
        yield forecast.estimate()
        forecast.leave(stage, 3.0)


@pytest.mark.parametrize("slowness", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_the_estimate_is_honest(slowness: float, rounds: int) -> None:
    seen = list(simulate(slowness, rounds))
    total = seen[-1].elapsed
    assert all(estimate.remaining > 0 for estimate in seen)
    assert all(0 <= estimate.share < 1 for estimate in seen)
    for estimate in seen:  # the bar is at most a tenth ahead of the estimate
        assert estimate.share - estimate.elapsed / (estimate.elapsed + estimate.remaining) < 0.11
    late = [e for e in seen if e.elapsed > 0.5 * total and rounds == 4]
    for estimate in late:  # all rounds took place: half way the rest is known within its double
        left = total - estimate.elapsed
        assert estimate.remaining < 2 * left + 0.25 * total
        assert estimate.remaining > 0.3 * left - 0.1 * total


def test_nothing_is_promised_before_the_first_stage() -> None:
    clock = Clock()
    forecast = Forecast(clock)
    clock.now = 5.0
    start = forecast.estimate()
    assert (start.elapsed, start.share) == (5.0, 0.0)
    assert describe_remaining(start.remaining) == "estimating the time left"
    forecast.expect(reading_costs(20_000_000, aligns=True).phases)
    forecast.enter("load")
    assert 0 < forecast.estimate().share < 0.5
    assert forecast.estimate().remaining < 300


def test_a_stage_that_takes_much_longer_than_expected_is_never_over() -> None:
    clock = Clock()
    forecast = Forecast(clock)
    forecast.expect({"load": {"load": 1.0}})
    forecast.enter("load")
    clock.now = 100.0
    estimate = forecast.estimate()
    assert estimate.remaining > 10
    assert estimate.share < 0.9


def test_what_is_measured_corrects_what_is_left() -> None:
    fast, slow = (
        next(estimate for estimate in simulate(slowness, 4) if estimate.share > 0.4)
        for slowness in (0.5, 5.0)
    )
    assert slow.remaining > 4 * fast.remaining


def test_later_runs_count() -> None:
    clock, expected = Clock(), costs()
    forecast = Forecast(clock)
    forecast.begin_run(1, 5)
    forecast.expect(expected.phases)
    forecast.enter("graph")
    first = forecast.estimate().remaining
    forecast.begin_run(5, 5)
    assert first > 4 * forecast.estimate().remaining / 1.5


def test_costs_follow_the_settings() -> None:
    every, paper = costs(), costs(whitening=False, consensus=0.0, rounds=1)
    assert [name for name in every.phases if name.startswith("round")] == [
        f"round {n}" for n in (1, 2, 3, 4)
    ]
    assert "round 2" not in paper.phases
    assert "consensus" not in paper.phases["round 1"]
    assert sum(paper.phases["round 1"].values()) < sum(every.phases["round 1"].values())


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "a few seconds left"),
        (7.4, "about 7 s left"),
        (43.0, "about 45 s left"),
        (150.0, "about 2 min left"),
        (7300.0, "about 2 h 2 min left"),
    ],
)
def test_the_time_left_in_words(seconds: float, words: str) -> None:
    assert describe_remaining(seconds) == words


def test_seconds_and_stages_in_words() -> None:
    assert describe_seconds(8.13) == "8.1 s"
    assert describe_seconds(125) == "2 min 5 s"
    assert describe_seconds(4321) == "1 h 12 min"
    assert describe_stage("search") == "searching candidates"
    assert describe_stage("some_new_stage") == "some new stage"


def test_nothing_is_nearly_done_before_the_sizes_are_known() -> None:
    clock, expected = Clock(), costs()
    forecast = Forecast(clock)
    forecast.expect(reading_costs(20_000_000, aligns=True).phases)
    forecast.enter("load")
    clock.now = 2.0
    assert forecast.estimate().share < 0.1
    forecast.expect(expected.phases)
    names = [phase.name for phase in forecast._phases]
    assert "guess" not in names  # the costs stand for it


def test_the_second_run_begins_in_the_middle() -> None:
    clock, expected = Clock(), costs()
    forecast = Forecast(clock)
    forecast.begin_run(1, 2)
    forecast.expect(expected.phases)
    forecast.enter("graph")
    clock.now = 60.0
    forecast.leave("graph", 60.0)
    forecast.begin_run(2, 2)
    assert 0.3 < forecast.estimate().share < 0.7
