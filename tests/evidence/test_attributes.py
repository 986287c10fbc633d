"""Attributes that say the same: known answers, and counts by a double loop over links."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest

from lighttea.evidence.attributes import (
    CLOSE,
    HALF,
    MIN_KNOWN,
    MIN_TOLD,
    ROLLS,
    AttributeMatches,
    join,
    match_attributes,
)
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.literals.kinds import parse_number
from lighttea.literals.table import LiteralTable
from lighttea.types import Bools
from tests.literals.worlds import (
    Literal,
    graph_of,
    invented_words,
    links_of,
    shuffled_pairs,
    table_of,
)

N_PEOPLE = 120
Attributes = dict[str, list[str]]  # a text for each person; none where it is empty


class People(NamedTuple):
    """Two graphs of the same people, and who is who."""

    left: Graph
    right: Graph
    table: LiteralTable
    links: Links

    @property
    def matched(self) -> AttributeMatches:
        return match_attributes(self.table, self.links)[0]

    @property
    def usable(self) -> dict[str, bool]:
        """Whether attributes may count, by name."""
        usable: Bools = match_attributes(self.table, self.links)[1]
        return dict(zip(self.table.names, usable.tolist(), strict=True))

    def named(self, left: str, right: str) -> int:
        """The place of a couple of attributes among the matches."""
        names, found = self.table.names, self.matched
        couples = [(names[a], names[b]) for a, b in zip(found.left, found.right, strict=True)]
        return couples.index((left, right))


def people(left: Attributes, right: Attributes, n_links: int | None = None) -> People:
    pairs = shuffled_pairs(len(next(iter(left.values()))))
    sides: list[list[Literal]] = [[], []]
    for rows, attributes, own in zip(sides, (left, right), zip(*pairs, strict=True), strict=True):
        for name, texts in attributes.items():
            rows += [(e, name, text) for e, text in zip(own, texts, strict=True) if text]
    one, other = (graph_of(rows) for rows in sides)
    known = [(a, b) for a, b in pairs if a in one.entity_ids and b in other.entity_ids]
    links = links_of(one, other, known[:n_links])
    return People(one, other, table_of(one, other), links)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


# ------------------------------------------------------------------------- slow reference

Couple = tuple[int, int]


class Counted(NamedTuple):
    known: int
    agreeing: int
    log_ratio: float


def texts_of(table: LiteralTable) -> dict[int, dict[int, list[int]]]:
    """The values of each node, attribute by attribute."""
    values: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for node, attribute, value in zip(
        table.node.tolist(), table.attribute.tolist(), table.value.tolist(), strict=True
    ):
        values[node][attribute].append(value)
    return {node: dict(own) for node, own in values.items()}


def weights_of(table: LiteralTable) -> dict[int, float]:
    """The logarithm of entities over values that have a word."""
    holders: defaultdict[int, int] = defaultdict(int)
    for value in table.value.tolist():
        for word in table.vocabulary.words.of_row(value).tolist():
            holders[word] += 1
    return {word: math.log(max(table.n_nodes / n, 1.0)) + 1e-9 for word, n in holders.items()}


def log_of(table: LiteralTable, value: int) -> float:
    number = parse_number(table.texts[value])
    return math.log(abs(number)) if number else math.nan


def slow_count(
    table: LiteralTable, links: Links, ratios: dict[Couple, float] | None = None
) -> dict[Couple, Counted]:
    """Compare every left attribute of every link with every right one."""
    values, weight = texts_of(table), weights_of(table)
    alike: defaultdict[Couple, list[bool]] = defaultdict(list)
    logs: defaultdict[Couple, list[tuple[float, float]]] = defaultdict(list)
    for left, right in zip(links.left.tolist(), links.right.tolist(), strict=True):
        for one, mine in values.get(left, {}).items():
            for other, theirs in values.get(table.n_left + right, {}).items():
                words = [
                    {w for v in own for w in table.vocabulary.words.of_row(v).tolist()}
                    for own in (mine, theirs)
                ]
                total = [sum(weight[w] for w in own) for own in words]
                shared = sum(weight[w] for w in words[0] & words[1])
                alike[one, other].append(shared >= HALF * min(total) - 1e-12)
                logs[one, other].append((log_of(table, mine[0]), log_of(table, theirs[0])))
    result = {}
    for couple, agrees in alike.items():
        usual = usual_ratio(logs[couple]) if ratios is None else ratios.get(couple, math.nan)
        numbers = sorted(
            log
            for own in (v for node in values.values() for v in node.get(couple[1], []))
            if not math.isnan(log := log_of(table, own))
        )
        close = [are_close(a - usual, b, numbers) for a, b in logs[couple]]
        n_agreeing = sum(a or c for a, c in zip(agrees, close, strict=True))
        result[couple] = Counted(len(agrees), n_agreeing, usual)
    return result


def usual_ratio(logs: list[tuple[float, float]]) -> float:
    ratios = sorted(a - b for a, b in logs if not math.isnan(a - b))
    if 2 * len(ratios) <= len(logs):
        return math.nan
    median = ratios[len(ratios) // 2]
    return 0.0 if abs(median) < 0.02 else median


def are_close(one: float, other: float, numbers: list[float]) -> bool:
    if math.isnan(one) or math.isnan(other):
        return False
    low, high = min(one, other), max(one, other)
    n_between = sum(low - 1e-9 <= number < high - 1e-9 for number in numbers)
    return high - low < 1e-9 or n_between < CLOSE * len(numbers)


def slow_chance(
    table: LiteralTable, links: Links, own: dict[Couple, Counted]
) -> dict[Couple, float]:
    known: defaultdict[Couple, int] = defaultdict(int)
    agreeing: defaultdict[Couple, int] = defaultdict(int)
    ratios = {couple: counted.log_ratio for couple, counted in own.items()}
    for shift in range(1, ROLLS + 1):
        rolled = Links(links.left, np.roll(links.right, shift))
        for couple, counted in slow_count(table, rolled, ratios).items():
            known[couple] += counted.known
            agreeing[couple] += counted.agreeing
    return {couple: (agreeing[couple] + 0.5) / (known[couple] + 1) for couple in own}


def mixed_people(seed: int, n: int = 60) -> People:
    """Names in several attributes, some missing, some wrong; heights; a code that means nothing."""
    rng = np.random.default_rng(seed)
    given, family = invented_words(rng, 12, 5), invented_words(rng, 40, 7)
    names = [(given[rng.integers(12)], family[rng.integers(40)]) for _ in range(n)]
    heights = rng.integers(140, 210, n)
    left = {
        "given": [g for g, _ in names],
        "family": [f if rng.random() < 0.9 else "" for _, f in names],
        "height": [f"{h} cm" for h in heights],
        "sex": [("m", "f")[rng.integers(2)] for _ in range(n)],
    }
    right = {
        "label": [f"{f}, {g}" for g, f in names],
        "also": [f"{g} {family[rng.integers(40)]}" if rng.random() < 0.5 else "" for g, _ in names],
        "size": [f"{h / 100 + rng.normal(0, 0.02):.2f}" for h in heights],
        "sex": [s if rng.random() < 0.8 else "f" for s in left["sex"]],
    }
    return people(left, right)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_counts_are_those_of_a_double_loop(seed: int) -> None:
    world = mixed_people(seed)
    table, links, found = world.table, world.links, world.matched
    expected = slow_count(table, links)
    chance = slow_chance(table, links, expected)
    assert 4 <= len(found) < len(expected)
    for place, couple in enumerate(zip(found.left.tolist(), found.right.tolist(), strict=True)):
        own = expected[couple]
        assert (found.known[place], found.agreeing[place]) == (own.known, own.agreeing)
        np.testing.assert_allclose(found.log_ratio[place], own.log_ratio)
        np.testing.assert_allclose(found.chance[place], chance[couple])
    matched = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
    for couple, own in expected.items():
        noise = math.sqrt(own.known * chance[couple] * (1 - chance[couple]))
        is_match = (
            own.known >= MIN_KNOWN
            and own.agreeing >= 0.3 * own.known
            and own.agreeing - own.known * chance[couple] > 3 * noise
        )
        assert (couple in matched) == is_match
    assert (np.diff(found.gain) <= 0).all()


# -------------------------------------------------------------------------- known answers


def test_a_name_in_one_attribute_and_in_two_is_one_class(rng: np.random.Generator) -> None:
    given, family = invented_words(rng, N_PEOPLE, 6), invented_words(rng, N_PEOPLE)
    names = [f"{f}, {g}" for g, f in zip(given, family, strict=True)]
    towns = [f"town{i % 9}" for i in range(N_PEOPLE)]
    world = people({"name": names, "town": towns}, {"first": given, "last": family, "city": towns})
    classes = dict(zip(world.table.names, world.matched.classes().tolist(), strict=True))
    assert classes["name"] == classes["first"] == classes["last"] >= 0
    assert classes["town"] == classes["city"] >= 0
    assert classes["town"] != classes["name"]
    assert classes["id"] == -1


@pytest.mark.parametrize(("unit", "factor"), [("ft", 3.28084), ("m", 1.0), ("km", 0.001)])
def test_numbers_get_their_ratio(rng: np.random.Generator, unit: str, factor: float) -> None:
    heights = rng.lognormal(5, 1, N_PEOPLE)
    metres = [f"{h:.1f}" for h in heights]
    others = [f"{h * factor * rng.normal(1, 0.001):.5f} {unit}" for h in heights]
    world = people({"height": metres}, {"altitude": others})
    place = world.named("height", "altitude")
    found = world.matched
    assert math.exp(found.log_ratio[place]) == pytest.approx(1 / factor, rel=0.01)
    assert found.agreeing[place] > 0.95 * N_PEOPLE
    scale = dict(zip(world.table.names, found.log_scale().tolist(), strict=True))
    assert scale["height"] == 0
    assert scale["altitude"] == found.log_ratio[place]
    assert math.isnan(scale["id"])
    assert found.log_ratio[place] == 0 or factor != 1  # one is one exactly


def test_rows_of_digits_are_codes_and_no_quantities(rng: np.random.Generator) -> None:
    codes = [f"{c:06}" for c in rng.choice(900_000, N_PEOPLE, replace=False)]
    world = people({"code": codes}, {"number": codes})
    found, place = world.matched, world.named("code", "number")
    assert math.isnan(found.log_ratio[place])
    assert found.agreeing[place] == N_PEOPLE
    far = [f"{900_000 - int(c):06}" for c in codes]  # as quantities they would be in order
    assert len(people({"code": codes}, {"number": far}).matched) == 0


def test_row_numbers_match_nothing_and_do_not_count(rng: np.random.Generator) -> None:
    names = invented_words(rng, N_PEOPLE)
    numbers = [[str(i) for i in rng.permutation(N_PEOPLE)] for _ in range(2)]
    world = people({"name": names, "row": numbers[0]}, {"label": names, "line": numbers[1]})
    assert [world.table.names[a] for a in world.matched.left] == ["name"]
    assert world.usable == {"name": True, "row": False, "label": True, "line": False, "id": True}


def test_too_few_links_tell_nothing(rng: np.random.Generator) -> None:
    names = invented_words(rng, N_PEOPLE)
    others = invented_words(rng, N_PEOPLE)
    left, right = {"name": names, "row": others}, {"label": names, "line": others[::-1]}
    few = people(left, right, n_links=MIN_TOLD - 1)
    assert all(few.usable.values())
    assert len(few.matched) == 1
    assert len(people(left, right, n_links=MIN_KNOWN - 1).matched) == 0
    assert not people(left, right, n_links=MIN_TOLD).usable["row"]


def test_a_gender_matches_with_few_bits(rng: np.random.Generator) -> None:
    names = invented_words(rng, N_PEOPLE)
    genders = [("male", "female")[i] for i in rng.integers(2, size=N_PEOPLE)]
    world = people({"name": names, "sex": genders}, {"label": names, "gender": genders})
    found = world.matched
    assert 0.5 < found.bits[world.named("sex", "gender")] < 1.5
    assert found.bits[world.named("name", "label")] > 6
    assert world.named("name", "label") == 0  # what tells most comes first


@pytest.mark.parametrize("n_values", [2, 5, 20])
def test_chance_is_near_the_true_one(rng: np.random.Generator, n_values: int) -> None:
    texts = [f"value{chr(97 + i)}" for i in rng.integers(n_values, size=600)]
    world = people({"one": texts}, {"other": texts})
    shares = np.array([texts.count(text) / 600 for text in set(texts)])
    true = float((shares**2).sum())
    assert world.matched.chance[0] == pytest.approx(true, rel=0.15)
    assert world.matched.bits[0] == pytest.approx(-math.log2(true), abs=0.2)


def test_a_constant_matches_nothing(rng: np.random.Generator) -> None:
    names = invented_words(rng, N_PEOPLE)
    same = ["person"] * N_PEOPLE
    world = people({"name": names, "type": same}, {"label": names, "kind": same})
    assert [world.table.names[a] for a in world.matched.left] == ["name"]
    assert not world.usable["type"]


def test_an_attribute_of_wrong_links_matches_nothing(rng: np.random.Generator) -> None:
    names = invented_words(rng, N_PEOPLE)
    world = people({"name": names}, {"label": names})
    wrong = Links(world.links.left, np.roll(world.links.right, 1))
    matches, usable = match_attributes(world.table, wrong)
    assert len(matches) == 0
    assert not usable[~world.table.is_id].any()


def test_equal_entries_are_joined() -> None:
    rng = np.random.default_rng(1)
    left, right = rng.integers(0, 8, 20), np.sort(rng.integers(0, 8, 15))
    own, other = join(left, right)
    expected = [(i, j) for i in range(20) for j in range(15) if left[i] == right[j]]
    assert list(zip(own.tolist(), other.tolist(), strict=True)) == expected


def test_what_an_agreement_is_worth() -> None:
    """Half an agreement is added, so that few links prove little and none prove nothing."""
    whole = np.array([0, 1, 2], np.int32)
    found = AttributeMatches(
        left=whole,
        right=whole,
        known=np.array([9, 9, 0]),
        agreeing=np.array([9, 0, 0]),
        chance=np.array([0.05, 0.1, 0.5]),
        log_ratio=np.full(3, np.nan),
        n_attributes=3,
    )
    expected = [math.log2(0.95 / 0.05), math.log2(0.05 / 0.1), 0.0]
    assert found.bits.tolist() == pytest.approx(expected)
    assert found.gain.tolist() == pytest.approx([9 * expected[0], 0.0, 0.0])
