"""How many threads a run takes: what its size and the other programs leave it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import psutil
import pytest

from lighttea.kernels.threads import idle_cores, worthwhile_threads


class Times(NamedTuple):
    """What a core has done since it was started, in seconds."""

    user: float
    idle: float


@pytest.fixture
def four_cores(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that says how idle four cores are, look after look, in percent."""

    def say(*looks: Sequence[float]) -> list[Sequence[float]]:
        rest, so_far = list(looks), [Times(7, 3)] * 4

        def sleep(seconds: float) -> None:
            idle = rest.pop(0)
            for core, own in enumerate(so_far):
                busy = seconds * (1 - idle[core] / 100)
                so_far[core] = Times(own.user + busy, own.idle + seconds - busy)

        monkeypatch.setattr(time, "sleep", sleep)
        monkeypatch.setattr(psutil, "cpu_times", lambda percpu: list(so_far))
        return rest

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    return say


def test_all_cores_are_used_where_all_are_idle(four_cores: Any) -> None:
    four_cores([100, 97, 99, 100])
    assert idle_cores() == 4


def test_cores_that_others_use_are_left_to_them(four_cores: Any) -> None:
    four_cores([0, 100, 3, 100], [0, 100, 3, 100])
    assert idle_cores() == 2


def test_one_thread_is_left_where_no_core_is_idle(four_cores: Any) -> None:
    four_cores([0, 0, 0, 0], [0, 0, 0, 0])
    assert idle_cores() == 1


def test_a_short_burst_does_not_count(four_cores: Any) -> None:
    four_cores([0, 0, 100, 100], [100, 90, 100, 100])
    assert idle_cores() == 4


def test_cores_that_the_process_may_not_use_do_not_count(
    four_cores: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    four_cores([0, 100, 100, 100], [0, 100, 100, 100])
    assert idle_cores() == 1


def test_small_graphs_take_one_thread_without_looking(four_cores: Any) -> None:
    rest = four_cores([100, 100, 100, 100])
    assert worthwhile_threads(1_000, 1_000) == 1
    assert len(rest) == 1
    four_cores([100, 100, 100, 100])
    assert worthwhile_threads(10_000, 10_000) == 4
