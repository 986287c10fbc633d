"""Which entities are worked on again, beside an obvious reference in sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.graph.pair import Links
from lighttea.io.frames import graph_of_frame
from lighttea.types import LeftIds, RightIds
from lighttea.update.last import NOBODY, SURE, LastLinks
from lighttea.update.part import Part, find_part
from tests.worlds import fact_frame, random_facts


def last_links(rng: np.random.Generator, n: int) -> LastLinks:
    partner = np.where(rng.random(n) < 0.7, rng.permutation(n), NOBODY).astype(np.int32)
    confidence = np.where(partner == NOBODY, 0, rng.uniform(0.5, 1, n)).astype(np.float32)
    candidates = Links(
        LeftIds(np.repeat(np.arange(n, dtype=np.int32), 2)),
        RightIds(rng.integers(0, n, 2 * n).astype(np.int32)),
    )
    return LastLinks(partner, confidence, candidates, n)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_a_part_is_what_sets_say(number: int) -> None:
    rng = np.random.default_rng(number)
    graph = graph_of_frame(fact_frame(*random_facts(30, 60, number)))
    n = len(graph.entities)
    last = last_links(rng, n)
    changed_left, changed_right = rng.random(n) < 0.1, rng.random(n) < 0.1
    seeds = rng.permutation(n)[:3].astype(np.int32)
    known = Links(LeftIds(seeds), RightIds(seeds))
    part = find_part(last, graph, graph, changed_left, changed_right, known)

    free = set(range(n)) - set(seeds.tolist())
    linked = {left: right for left, right in enumerate(last.partner) if right != NOBODY}
    doubtful = {left for left in free if last.confidence[left] < SURE}
    touched = {
        left
        for left in free
        if changed_left[left] or (left in linked and changed_right[linked[left]])
    }
    couples = list(zip(last.candidates.left.tolist(), last.candidates.right.tolist(), strict=True))
    wanted = {right for left, right in couples if left in touched & doubtful}
    rivals = {left for left, right in linked.items() if right in wanted}
    rivals |= {left for left, right in couples if changed_right[right]}
    rivals = (rivals & doubtful) - touched
    moving = (touched | rivals) & doubtful
    facts = list(zip(graph.facts.head.tolist(), graph.facts.tail.tolist(), strict=True))
    near = {tail for head, tail in facts if head in moving}
    near |= {head for head, tail in facts if tail in moving}
    near = (near & doubtful) - touched - rivals

    assert set(np.flatnonzero(part.touched)) == touched
    assert set(np.flatnonzero(part.touched_right)) == set(np.flatnonzero(changed_right)) | {
        linked[left] for left in touched & linked.keys()
    }
    assert set(np.flatnonzero(part.rivals)) == rivals
    assert set(np.flatnonzero(part.neighbours)) == near
    assert set(np.flatnonzero(part.chosen)) == free  # fewer than are needed for confidence


def test_company_is_near_and_no_more_than_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of_frame(fact_frame(*random_facts(200, 500, 3)))
    n = len(graph.entities)
    last = LastLinks(np.arange(n, dtype=np.int32), np.ones(n, np.float32), Links.none(), n)
    changed, nothing = np.zeros(n, bool), np.zeros(n, bool)
    changed[7] = True
    monkeypatch.setattr("lighttea.update.part.FEWEST", 5)
    part = find_part(last, graph, graph, changed, nothing, Links.none())
    assert np.flatnonzero(part.touched).tolist() == [7]
    assert part.chosen.sum() == 5
    assert part.share == 1 / n


def test_nothing_is_worked_on_where_there_is_nobody() -> None:
    none = np.zeros(0, bool)
    assert Part(none, none, none, none, none, none).share == 0.0
