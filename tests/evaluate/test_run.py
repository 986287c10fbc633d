"""A run against a truth, beside a slow evaluation by dictionaries."""

from __future__ import annotations

import math
from statistics import mean

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea import Run

PAIR = ["left", "right"]
LEFT, RIGHT = [f"l{n}" for n in range(4)], [f"r{n}" for n in range(4)]
Pairs = list[tuple[str, str]]
Confidences = dict[tuple[str, str], float]
pairs = st.tuples(st.sampled_from(LEFT), st.sampled_from(RIGHT))


def make_run(candidates: Confidences, links: Pairs, seeds: Pairs) -> Run:
    def table(rows: Pairs) -> pl.DataFrame:
        return pl.DataFrame(rows, schema=dict.fromkeys(PAIR, pl.String), orient="row")

    def facts(names: list[str]) -> pl.DataFrame:
        return pl.DataFrame({"head": names, "relation": "r", "tail": names})

    return Run(
        links=table(links),
        candidates=table(list(candidates)).with_columns(
            confidence=pl.Series(list(candidates.values()), dtype=pl.Float32)
        ),
        relations=pl.DataFrame(),
        evidence_links=table([]),
        seeds=table(seeds),
        facts_left=facts(LEFT),
        facts_right=facts(RIGHT),
        info={},
    )


def rank_of(pair: tuple[str, str], candidates: Confidences) -> float:
    """The mean place of a true link among the candidates of its left entity; or none."""
    if pair not in candidates:
        return math.inf
    own = candidates[pair]
    others = [value for (left, _), value in candidates.items() if left == pair[0]]
    first = 1 + sum(value > own for value in others)
    return mean([first, first + sum(value == own for value in others) - 1])


@given(
    candidates=st.dictionaries(pairs, st.sampled_from([0.25, 0.5, 0.75]), max_size=14),
    links=st.lists(pairs, unique=True, max_size=4),
    seeds=st.lists(pairs, unique=True, max_size=2),
    truth=st.lists(pairs, min_size=1, max_size=5),
)
@example(  # three tie for the first place, one true link is no candidate, one is a seed
    candidates={("l0", "r0"): 0.5, ("l0", "r1"): 0.5, ("l0", "r2"): 0.5},
    links=[("l0", "r1")],
    seeds=[("l2", "r2")],
    truth=[("l0", "r0"), ("l1", "r1"), ("l2", "r2")],
)
def test_figures_are_those_of_the_slow_evaluation(
    candidates: Confidences, links: Pairs, seeds: Pairs, truth: Pairs
) -> None:
    judged = list(dict.fromkeys(pair for pair in truth if pair not in seeds))
    if not judged:
        return
    figures = make_run(candidates, links, seeds).evaluate(truth)
    ranks = [rank_of(pair, candidates) for pair in judged]
    assert figures.ranking.n == figures.n_truth == len(judged)
    assert figures.ranking.n_unranked == sum(map(math.isinf, ranks))
    assert figures.ranking.mrr == pytest.approx(mean(1 / rank for rank in ranks))
    assert figures.ranking.hits_at_1 == pytest.approx(mean(rank <= 1 for rank in ranks))
    right = len(set(links) & set(judged))
    named = [left for left, _ in links if left in {left for left, _ in judged}]
    assert figures.links.precision == pytest.approx(right / max(len(links), 1))
    assert figures.links.recall == pytest.approx(right / len(judged))
    assert figures.links_of_known.precision == pytest.approx(right / max(len(named), 1))
    assert figures.n_seeds_left_out == len(set(truth)) - len(judged)


def test_true_links_of_entities_without_facts_are_counted() -> None:
    figures = make_run({}, [], []).evaluate([("l0", "r0"), ("l1", "unheard of")])
    assert (figures.n_truth, figures.n_unknown) == (2, 1)
