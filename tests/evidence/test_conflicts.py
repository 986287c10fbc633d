"""Values that differ, against references that look at every value and every candidate."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from lighttea.evidence.attributes import match_attributes
from lighttea.evidence.conflicts import (
    ALIKE,
    ROLLS,
    SIMILAR,
    ValueConflict,
    conflict_terms,
    find_conflicts,
    stored_conflicts,
)
from lighttea.evidence.disagreement import LEAST, RAREST
from lighttea.graph.pair import Links
from lighttea.literals.table import LiteralTable
from lighttea.literals.text import split_pieces, split_words
from tests.evidence.test_attributes import People, people
from tests.literals.worlds import invented_words, with_typo
from tests.plain import call

N_PEOPLE = 150


def found_in(world: People) -> dict[tuple[str, str], ValueConflict]:
    """What differences count, by the names of the attributes."""
    matches, _ = match_attributes(world.table, world.links)
    names = world.table.names
    found = find_conflicts(world.table, matches, world.links)
    return {(names[c.left], names[c.right]): c for c in found}


# -------------------------------------------------------------------------- slow reference


def values_of(table: LiteralTable, attribute: int) -> dict[int, list[str]]:
    values: dict[int, list[str]] = {}
    for row in np.flatnonzero(table.attribute == attribute).tolist():
        values.setdefault(int(table.node[row]), []).append(table.texts[table.value[row]])
    return values


def parts_of(texts: list[str]) -> set[str]:
    """Words and pieces of words, which never are the same."""
    words = [word for text in texts for word in split_words(text)]
    return {f"word {w}" for w in words} | {f"piece {p}" for w in words for p in split_pieces(w)}


def slow_parts(table: LiteralTable, left: int, right: int) -> dict[int, set[str]]:
    values = {**values_of(table, left), **values_of(table, right)}
    return {node: parts for node, texts in values.items() if (parts := parts_of(texts))}


def slow_cosine(one: set[str], other: set[str], weight: dict[str, float]) -> float:
    lengths = [math.sqrt(sum(weight[p] for p in own)) for own in (one, other)]
    shared = sum(weight[p] for p in one & other)
    return shared / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def slow_weights(parts: dict[int, set[str]], n_nodes: int) -> dict[str, float]:
    holders = Counter(part for own in parts.values() for part in own)
    return {part: math.log(n_nodes / n) ** 2 for part, n in holders.items()}


def slow_conflict(table: LiteralTable, left: int, right: int, links: Links) -> tuple[float, float]:
    """What values count that are a little alike, and what those count that are not."""
    parts = slow_parts(table, left, right)
    weight = slow_weights(parts, table.n_nodes)
    nodes = [
        (a, table.n_left + b)
        for a, b in zip(links.left.tolist(), links.right.tolist(), strict=True)
    ]
    known = [(a, b) for a, b in nodes if a in parts and b in parts]
    right_nodes = [b for _, b in known]
    own = [slow_cosine(parts[a], parts[b], weight) for a, b in known]
    chance = [
        slow_cosine(parts[a], parts[right_nodes[place - shift]], weight)
        for shift in range(1, ROLLS + 1)
        for place, (a, _) in enumerate(known)
    ]

    def log_ratio(low: float, high: float) -> float:
        n_own = sum(low <= c < high for c in own)
        share = sum(low <= c < high for c in chance) / len(chance)
        rate = max(RAREST, (n_own + 1) / (len(own) + 2))
        return min(0.0, math.log(rate / max(share, RAREST)))

    different = log_ratio(-1.0, SIMILAR)
    return max(log_ratio(SIMILAR, ALIKE), different), different


def some_people(typos: float = 0.2, wrong: float = 0.1, missing: float = 0.1) -> People:
    """Names with mistakes and gaps."""
    rng = np.random.default_rng(5)
    given, family = invented_words(rng, 15, 5), invented_words(rng, 60, 7)
    names = [(given[rng.integers(15)], family[rng.integers(60)]) for _ in range(N_PEOPLE)]

    def written(first: str, last: str) -> str:
        if rng.random() < missing:
            return ""
        if rng.random() < wrong:
            return f"{given[rng.integers(15)]} {family[rng.integers(60)]}"
        return f"{last}, {with_typo(rng, first) if rng.random() < typos else first}"

    left = {"name": [" ".join(name) for name in names]}
    return people(left, {"label": [written(*name) for name in names]})


@pytest.mark.parametrize("wrong", [0.0, 0.1, 0.3])
def test_what_differences_count_is_that_of_a_slow_count(wrong: float) -> None:
    world = some_people(wrong=wrong)
    (conflict,) = found_in(world).values()
    expected = slow_conflict(world.table, conflict.left, conflict.right, world.links)
    assert (conflict.similar, conflict.different) == pytest.approx(expected, abs=1e-5)


def test_links_of_which_one_side_has_no_value_are_not_counted() -> None:
    """Entities with another attribute stay in the graph where their name is missing."""
    words = invented_words(np.random.default_rng(8), N_PEOPLE)
    other = ["same"] * N_PEOPLE
    gaps = [word if n % 3 else "" for n, word in enumerate(words)]
    world = people({"name": words, "kind": other}, {"label": gaps, "sort": other})
    assert len(world.links) == N_PEOPLE
    conflict = found_in(world)["name", "label"]
    expected = slow_conflict(world.table, conflict.left, conflict.right, world.links)
    assert (conflict.similar, conflict.different) == pytest.approx(expected, abs=1e-5)


def test_terms_are_levels_of_cosines() -> None:
    world = some_people()
    table = world.table
    (conflict,) = found_in(world).values()
    parts = slow_parts(table, conflict.left, conflict.right)
    weight = slow_weights(parts, table.n_nodes)
    n_right = table.n_nodes - table.n_left
    rng = np.random.default_rng(2)
    index = rng.integers(-1, n_right, (table.n_left, 6)).astype(np.int32)
    index[world.links.left, 0] = world.links.right
    left, right = np.arange(table.n_left), np.arange(table.n_left, table.n_nodes)
    levels = -1.0, -3.0
    terms = call(conflict_terms, conflict.tokens, left, right, index, *levels)
    expected = np.zeros(index.shape)
    for row, column in np.ndindex(index.shape):
        place = int(index[row, column])
        if place >= 0 and row in parts and table.n_left + place in parts:
            alike = slow_cosine(parts[row], parts[table.n_left + place], weight)
            expected[row, column] = -3 if alike < SIMILAR else -1 if alike < ALIKE else 0
    np.testing.assert_array_equal(terms, expected)
    assert {-3, -1, 0} == set(expected.ravel().tolist())
    np.testing.assert_array_equal(
        conflict.weigh(np.array([0.1, 0.3, 0.7])),
        np.array([conflict.different, conflict.similar, 0.0], np.float32),
    )


# --------------------------------------------------------------------------- known answers


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(8)


def test_a_constant_counts_nothing(rng: np.random.Generator) -> None:
    names, same = invented_words(rng, N_PEOPLE), ["person"] * N_PEOPLE
    found = found_in(people({"name": names, "type": same}, {"label": names, "kind": same}))
    assert set(found) == {("name", "label")}


def test_a_gender_counts_against(rng: np.random.Generator) -> None:
    names = invented_words(rng, N_PEOPLE)
    genders = [("male", "female")[i] for i in rng.integers(2, size=N_PEOPLE)]
    world = people({"name": names, "sex": genders}, {"label": names, "gender": genders})
    conflict = found_in(world)["sex", "gender"]
    assert conflict.different < -2  # half of all chance pairs, hardly any link
    assert conflict.similar <= 0


def test_a_sloppy_source_counts_less(rng: np.random.Generator) -> None:
    genders = [("m", "f")[i] for i in rng.integers(2, size=N_PEOPLE)]
    names = invented_words(rng, N_PEOPLE)
    counted = []
    for share in (0.0, 0.05, 0.15):
        other = [g if rng.random() > share else ("m", "f")[g == "m"] for g in genders]
        world = people({"name": names, "sex": genders}, {"label": names, "gender": other})
        counted.append(found_in(world)["sex", "gender"].different)
    assert counted[0] < counted[1] < counted[2] <= -LEAST


def test_an_attribute_with_several_values_counts_nothing(rng: np.random.Generator) -> None:
    names = invented_words(rng, N_PEOPLE)
    world = people({"name": names}, {"label": names})
    assert len(found_in(world)) == 1
    table = world.table
    extra = rng.choice(np.flatnonzero(table.is_left), N_PEOPLE // 5, replace=False)
    rows = np.sort(np.concatenate([np.arange(len(table)), extra]))
    value = table.value[rows]
    value[1:][rows[1:] == rows[:-1]] = 0  # a fifth of the left ones has another name beside
    several = LiteralTable(
        **{
            **vars(table),
            "node": table.node[rows],
            "attribute": table.attribute[rows],
            "value": value,
        }
    )
    matches, _ = match_attributes(several, world.links)
    assert len(matches) == 1
    assert find_conflicts(several, matches, world.links) == []


def test_too_few_links_count_nothing(rng: np.random.Generator) -> None:
    names = invented_words(rng, N_PEOPLE)
    assert found_in(people({"name": names}, {"label": names}, n_links=19)) == {}
    assert len(found_in(people({"name": names}, {"label": names}, n_links=20))) == 1


def test_what_was_found_can_be_stored() -> None:
    world = some_people()
    (conflict,) = found_in(world).values()
    weights = [(conflict.left, conflict.right, conflict.similar, conflict.different)]
    (again,) = stored_conflicts(world.table, weights)
    for name, column in vars(conflict.tokens).items():
        np.testing.assert_array_equal(getattr(again.tokens, name), column)
    assert (again.similar, again.different) == (conflict.similar, conflict.different)
