"""Keys: numbers that look random, of names and facts alone."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.graph.facts import Graph
from lighttea.graph.keys import Keys, draw_number, mix_keys, name_keys
from lighttea.graph.numbering import number_by_name
from lighttea.graph.pair import Pair
from lighttea.io.frames import graph_of_frame
from lighttea.types import Bools
from tests.worlds import fact_frame, random_facts

NAMES = [f"name {number}" for number in range(4000)]
SUM = (1 << 64) - 1


def splitmix64(state: int) -> int:
    """As its authors write it, for one number."""
    z = (state + 0x9E3779B97F4A7C15) & SUM
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & SUM
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & SUM
    return z ^ (z >> 31)


def bits_of(keys: Keys) -> Bools:
    """Return the bits of each key, (n, 64)."""
    return np.unpackbits(keys.view(np.uint8).reshape(-1, 8), axis=1).astype(bool)


def test_keys_are_those_of_splitmix64_column_after_column() -> None:
    first, second = name_keys(NAMES[:50]), np.arange(-1, 49)
    expected = [
        splitmix64(splitmix64(splitmix64(int(key)) ^ (int(number) & SUM)) ^ 7)
        for key, number in zip(first, second, strict=True)
    ]
    assert mix_keys(first, second, 7).tolist() == expected
    assert splitmix64(0) == 0xE220A8397B1DCDAF  # the first number that is published for seed 0


def test_keys_of_names_stay_the_same_on_every_machine() -> None:
    assert name_keys(["", "Köln"]).tolist() == [13020603013274838756, 9223939959547934889]
    assert len(set(name_keys(NAMES).tolist())) == len(NAMES)


@pytest.mark.parametrize("number", [1, 2, 12345])
def test_one_name_has_unrelated_keys_on_both_sides(number: int) -> None:
    """No bit of the one tells a bit of the other: the name tells nobody who belongs together."""
    facts = fact_frame(*((name, "r", "hub", None, None) for name in NAMES))
    graphs = [number_by_name(graph_of_frame(facts), side) for side in ("left", "right")]
    pair = Pair.of(*graphs)
    by_name = [
        mix_keys(keys, number)[np.argsort(np.array(graph.entities))]
        for keys, graph in zip((pair.left_keys, pair.right_keys), graphs, strict=True)
    ]
    left, right = (2.0 * bits_of(keys) - 1 for keys in by_name)
    correlations = left.T @ right / len(left)  # of each bit with each, standard deviation 1/63
    assert np.abs(correlations).max() < 5 / len(left) ** 0.5
    one, other = (np.argsort(np.argsort(keys)).astype(float) for keys in by_name)
    order = float(np.corrcoef(one, other)[0, 1])
    assert abs(order) < 4 / len(left) ** 0.5


def test_every_bit_is_set_half_of_the_time() -> None:
    keys = mix_keys(np.arange(4000), 1)
    assert np.abs(bits_of(keys).mean(axis=0) - 0.5).max() < 0.04


def test_keys_of_facts_depend_on_what_they_say_alone() -> None:
    facts = random_facts(30, 300, 1)
    graph, other = (graph_of_frame(fact_frame(*own)) for own in (facts, facts[::-1]))
    numbered = number_by_name(other, "right")
    keys = [g.fact_keys().tolist() for g in (graph, other, numbered)]
    assert keys[0] == keys[1][::-1] == keys[2][::-1]
    assert len(set(keys[0])) == len(set(facts))


def test_what_is_unknown_or_different_makes_another_key() -> None:
    one = ("a", "r", "b", "1990", "1991")
    others = [
        ("b", "r", "a", "1990", "1991"),
        ("a", "s", "b", "1990", "1991"),
        ("a", "r", "b", "1990", None),
        ("a", "r", "b", None, "1991"),
        ("a", "r", "b", "1990-01", "1991"),  # begins at the same second
    ]
    assert len(set(graph_of_frame(fact_frame(one, *others)).fact_keys().tolist())) == 6


def test_no_facts_have_no_keys() -> None:
    graph = graph_of_frame(fact_frame(("a", "r", "b", None, None)))
    assert isinstance(graph, Graph)
    assert len(graph.fact_keys()) == 1
    assert len(name_keys([])) == len(mix_keys(name_keys([]), 3)) == 0


def test_a_number_is_drawn_in_one_step() -> None:
    rng, other = np.random.default_rng(0), np.random.default_rng(0)
    assert draw_number(rng) == int(other.integers(1 << 62))
    assert rng.bit_generator.state == other.bit_generator.state
