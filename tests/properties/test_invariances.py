"""What must not matter, does not: names, order, sides, unrelated parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lighttea
from lighttea.io.frames import graph_of_frame
from lighttea.results.run import Run
from tests.fuzzing import examples
from tests.worlds import Fact, fact_frame, random_facts, renamed

SMALL: dict[str, Any] = {"preset": "paper", "dim": 64, "top_k": 100, "rounds": 1}


def run_of(
    left: list[Fact], right: list[Fact], seeds: list[tuple[str, str]], **options: Any
) -> Run:
    return lighttea.align(
        graph_of_frame(fact_frame(*left)),
        graph_of_frame(fact_frame(*right)),
        seeds=seeds,
        **{**SMALL, **options},
    )


def partial_world(random_seed: int) -> tuple[list[Fact], list[Fact], list[tuple[str, str]]]:
    """Two thirds of the facts on each side; seeds among entities that both have."""
    facts = random_facts(50, 360, random_seed)
    left, right = facts[:240], renamed(facts[120:])
    both = sorted({f[0] for f in left} & {f[0][1:] for f in right})
    return left, right, [(name, f"x{name}") for name in both[:10]]


@given(st.integers(0, 1000))
@examples(8)
def test_a_copy_aligns_with_itself(random_seed: int) -> None:
    facts = random_facts(40, 300, random_seed)
    names = sorted({f[0] for f in facts} | {f[2] for f in facts})
    links = [(name, f"x{name}") for name in names]
    run = run_of(facts, renamed(facts, random_seed), links[:10])
    assert run.evaluate(links).ranking.hits_at_1 == 1.0


@given(st.integers(0, 1000))
@examples(6)
def test_new_names_and_another_order_change_no_score(random_seed: int) -> None:
    """The same random generator, the same seeds in the same order: the same table of scores."""
    left, right, seeds = partial_world(3)
    rng = np.random.default_rng(random_seed)
    new = {name: f"n{i}" for i, name in enumerate(rng.permutation(sorted(entity_names(left))))}
    moved = [(new[h], f"z{r}", new[t], b, e) for h, r, t, b, e in left]
    shuffled = [moved[i] for i in rng.permutation(len(moved))]
    before = run_of(left, right, seeds).candidates
    after = run_of(shuffled, right, [(new[a], b) for a, b in seeds]).candidates
    old = {name: was for was, name in new.items()}
    after = after.with_columns(pl.col("left").replace(old))
    assert_same_scores(before, after)


def test_swapping_the_sides_transposes_the_scores() -> None:
    left, right, seeds = partial_world(4)
    there = run_of(left, right, seeds).candidates
    back = run_of(right, left, [(b, a) for a, b in seeds]).candidates
    back = back.rename({"left": "right", "right": "left"})
    assert_same_scores(there, back)


def test_an_unrelated_component_changes_nothing_outside_it() -> None:
    left, right, seeds = partial_world(5)
    far: list[Fact] = [
        (f"far{i}", "other", f"far{(7 * i + 1) % 30}", "0007", "0007") for i in range(30)
    ]
    alone = run_of(left, right, seeds)
    beside = run_of([*left, *far], right, seeds)
    assert not [name for name in beside.links["left"] if name.startswith("far")]
    assert_same_scores(alone.candidates, beside.candidates)


@pytest.mark.parametrize("random_seed", [0, 1, 2])
def test_ids_carry_no_answer(random_seed: int) -> None:
    """Entities that nothing distinguishes are told to be tied, however they are numbered."""
    star: list[Fact] = [(f"leaf{i:02d}", "r", "hub", "1990", "1990") for i in range(20)]
    links = [(f"leaf{i:02d}", f"xleaf{i:02d}") for i in range(20)]
    right = sorted(renamed(star), key=lambda fact: fact[0])  # in the order of the left side
    run = run_of(star, right, [("hub", "xhub")], random_seed=random_seed)
    figures = run.evaluate(links).ranking
    assert figures.hits_at_1 == 0
    assert figures.mrr == pytest.approx(1 / 10.5, abs=0.02)


def entity_names(facts: list[Fact]) -> set[str]:
    return {fact[0] for fact in facts} | {fact[2] for fact in facts}


def assert_same_scores(one: pl.DataFrame, other: pl.DataFrame) -> None:
    """Equal candidates and equal terms, up to rounding; all candidates are kept here."""
    both = one.join(other, on=["left", "right"], suffix="_other")
    assert len(both) >= 0.9 * min(len(one), len(other)) > 0
    gap = (both["score"] - both["score_other"]).abs().to_numpy()
    assert gap.max() < 2e-4


@pytest.mark.parametrize("random_seed", range(3))
def test_the_default_preset_does_not_look_at_names_or_order_either(random_seed: int) -> None:
    """Its random numbers fall otherwise, so scores differ a little; the sure links do not."""
    left, right, seeds = partial_world(random_seed)
    other = {
        name: f"other{i}" for i, name in enumerate(sorted({n for f in right for n in (f[0], f[2])}))
    }
    shuffled = [(other.get(h, h), r, other.get(t, t), b, e) for h, r, t, b, e in reversed(right)]
    options: dict[str, Any] = {"preset": "best", "top_k": 50}
    one = run_of(left, right, seeds, **options).links
    again = run_of(left, shuffled, [(a, other[b]) for a, b in seeds], **options).links
    sure = {
        (a, other[b]) for a, b in one.filter(pl.col("confidence") > 0.9)["left", "right"].rows()
    }
    found = set(again["left", "right"].rows())
    assert len(sure) > 10
    assert len(sure & found) >= 0.9 * len(sure)


@pytest.mark.parametrize("preset", ["best", "paper"])
def test_the_order_of_lines_changes_no_link(preset: str) -> None:
    """Not one link, not one digit: numbers, decoys and ties follow from the names."""
    left, right, seeds = partial_world(6)
    rng = np.random.default_rng(0)
    options: dict[str, Any] = {"preset": preset, "top_k": 50, "threads": 1}
    one = run_of(left, right, seeds, **options)
    first, second = ([side[i] for i in rng.permutation(len(side))] for side in (left, right))
    other = run_of(first, second, seeds, **options)
    assert len(one.links)
    assert one.links.equals(other.links)


def test_the_order_of_literals_changes_no_link() -> None:
    left, right, seeds = partial_world(6)
    rng = np.random.default_rng(0)

    def graph_of(facts: list[Fact], prefix: str, order: bool) -> lighttea.Graph:
        rows = [{"head": h, "relation": r, "tail": t, "time": b} for h, r, t, b, _ in facts]
        names = sorted(entity_names(facts))
        rows += [
            {"head": n, "relation": "name", "value": f"{n.removeprefix(prefix)} smith"}
            for n in names
        ]
        return lighttea.graph_from([rows[i] for i in rng.permutation(len(rows))] if order else rows)

    one, other = (
        lighttea.align(
            *(graph_of(facts, prefix, order) for facts, prefix in ((left, ""), (right, "x"))),
            seeds=seeds,
            dim=32,
            threads=1,
        )
        for order in (False, True)
    )
    assert len(one.links)
    assert one.links.equals(other.links)
    assert one.facts_left["head"].to_list() == [fact[0] for fact in left]  # as they were given
