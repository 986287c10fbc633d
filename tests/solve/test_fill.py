"""How full the right side may become: its share with a counterpart, where that is estimated."""

from __future__ import annotations

from typing import Any

import pytest

from lighttea.assign.sinkhorn import assign
from lighttea.config import Preset
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frame
from lighttea.solve import round as rounds
from tests.worlds import World, fact_frame, make_world, random_facts, renamed, rounds_of


def with_strangers() -> World:
    """A world whose right side has three times as many entities as the left one."""
    world = make_world(2)
    own = renamed(random_facts(60, 400, 2))
    strangers = [(f"s{h}", r, f"s{t}", b, e) for h, r, t, b, e in random_facts(120, 800, 9)]
    right: Graph = graph_of_frame(fact_frame(*own, *strangers))
    return World(world.left, right, world.seeds, world.truth)


@pytest.mark.parametrize(("preset", "is_filled"), [("paper", True), ("best", False)])
def test_strangers_on_the_right_are_not_filled_where_chances_are_told(
    monkeypatch: pytest.MonkeyPatch, preset: Preset, is_filled: bool
) -> None:
    fills: list[float] = []

    def watched(*given: Any, **named: Any) -> Any:
        fills.append(named["fill"])
        return assign(*given, **named)

    monkeypatch.setattr(rounds, "assign", watched)
    next(iter(rounds_of(with_strangers(), preset, dim=16, top_k=10)))
    assert fills
    assert (fills[0] == 1.0) == is_filled
    assert is_filled or fills[0] == pytest.approx(60 / 180, abs=0.05)
