"""Whole runs on small worlds whose literals say who is who, or seem to."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lighttea.errors import StartError
from lighttea.graph.attributes import Attributes
from lighttea.graph.facts import Graph
from lighttea.results.run import Run
from tests.literals.worlds import (
    Literal,
    align_quietly,
    graph_of,
    invented_words,
    right_and_wrong,
    shuffled_pairs,
    with_typo,
)
from tests.worlds import Fact, make_world, random_facts

N_PEOPLE = 120
PAIRS = shuffled_pairs(N_PEOPLE)
Name = tuple[str, str]


def full_names(n: int = N_PEOPLE, n_given: int = 20, n_family: int = 100) -> list[Name]:
    """Given and family names; many share one of them, hardly any both."""
    rng = np.random.default_rng(11)
    given, family = invented_words(rng, n_given, 6), invented_words(rng, n_family)
    return [(given[rng.integers(n_given)], family[rng.integers(n_family)]) for _ in range(n)]


NAMES = full_names()
TOLD_APART = sum(NAMES.count(name) == 1 for name in NAMES)


def literals_of(side: int, *columns: tuple[str, list[str]]) -> list[Literal]:
    """The literals of one side of all pairs: an attribute and a text for each."""
    return [
        (pair[side], name, text)
        for name, texts in columns
        for pair, text in zip(PAIRS, texts, strict=True)
    ]


def run_of(left: list[Literal], right: list[Literal]) -> Run:
    return align_quietly(graph_of(left), graph_of(right))


def spaced(names: list[Name]) -> list[str]:
    return [" ".join(name) for name in names]


def turned(names: list[Name]) -> list[str]:
    return [f"{family}, {given}" for given, family in names]


# ----------------------------------------------------------------------- names and codes


def test_names_alone_link_two_graphs_without_any_fact() -> None:
    run = run_of(literals_of(0, ("name", spaced(NAMES))), literals_of(1, ("label", spaced(NAMES))))
    n_right, n_wrong = right_and_wrong(run, PAIRS)
    assert n_right >= TOLD_APART
    assert n_wrong <= N_PEOPLE - TOLD_APART
    assert run.info["literals"]["used"]
    assert run.attribute_matches.select("left", "right").rows() == [("name", "label")]


def test_a_name_may_be_split_and_turned_round() -> None:
    left = literals_of(0, ("given", [g for g, _ in NAMES]), ("family", [f for _, f in NAMES]))
    run = run_of(left, literals_of(1, ("label", turned(NAMES))))
    n_right, n_wrong = right_and_wrong(run, PAIRS)
    assert n_right >= 0.97 * TOLD_APART
    assert n_wrong <= N_PEOPLE - TOLD_APART
    assert set(run.attribute_matches["left"]) == {"given", "family"}


def test_typos_in_names() -> None:
    rng = np.random.default_rng(12)
    sloppy = [
        (with_typo(rng, given), family) if i % 4 == 0 else (given, with_typo(rng, family))
        for i, (given, family) in enumerate(NAMES)
    ]
    mixed = [
        own if i % 2 else other for i, (own, other) in enumerate(zip(NAMES, sloppy, strict=True))
    ]
    left, right = literals_of(0, ("name", spaced(NAMES))), literals_of(1, ("label", turned(mixed)))
    n_right, n_wrong = right_and_wrong(run_of(left, right), PAIRS)
    assert n_right > 0.8 * TOLD_APART
    assert n_wrong < 0.05 * N_PEOPLE


def test_a_typo_in_every_word() -> None:
    """Pieces of words link everybody where no word agrees."""
    rng = np.random.default_rng(12)
    names = list(zip(invented_words(rng, N_PEOPLE), invented_words(rng, N_PEOPLE), strict=True))
    sloppy = [(with_typo(rng, given), with_typo(rng, family)) for given, family in names]
    left, right = literals_of(0, ("name", spaced(names))), literals_of(1, ("label", spaced(sloppy)))
    n_right, n_wrong = right_and_wrong(run_of(left, right), PAIRS)
    assert n_right > 0.8 * N_PEOPLE
    assert n_wrong < 0.05 * N_PEOPLE


def test_phone_numbers_written_differently() -> None:
    rng = np.random.default_rng(13)
    digits = [f"{number:010}" for number in rng.integers(10**10, size=N_PEOPLE)]
    left = [f"{d[:3]}/{d[3:6]}-{d[6:]}" for d in digits]
    right = [f"({d[:3]}) {d[3:6]} {d[6:]}" if i % 2 else d for i, d in enumerate(digits)]
    run = run_of(literals_of(0, ("tel", left)), literals_of(1, ("phone", right)))
    n_right, n_wrong = right_and_wrong(run, PAIRS, 0.9)
    assert n_right > 0.9 * N_PEOPLE
    assert n_wrong == 0


def test_another_script_on_one_side() -> None:
    letters = dict(zip("abdefgiklmnoprstuvz", "абдефгиклмнопрстувз", strict=True))
    rng = np.random.default_rng(14)
    latin = ["".join(rng.choice(list(letters), 8)) for _ in range(N_PEOPLE)]
    cyrillic = ["".join(letters[letter] for letter in name).capitalize() for name in latin]
    run = run_of(literals_of(0, ("имя", cyrillic)), literals_of(1, ("name", latin)))
    n_right, n_wrong = right_and_wrong(run, PAIRS, 0.9)
    assert n_right > 0.95 * N_PEOPLE
    assert n_wrong == 0


def test_quantities_in_other_units_tell_namesakes_apart() -> None:
    rng = np.random.default_rng(15)
    heights = rng.uniform(20, 4000, N_PEOPLE)
    names = [f"{NAMES[i % 30][0]} {NAMES[i % 30][1]}" for i in range(N_PEOPLE)]
    left = literals_of(0, ("name", names), ("height", [f"{h:.0f} m" for h in heights]))
    right = literals_of(
        1, ("label", names), ("elevation", [f"{3.28084 * h:,.0f} ft" for h in heights])
    )
    # the first ones have a code beside: numbers count once links tell their ratio
    codes = invented_words(rng, 40)
    left += [(a, "code", code) for (a, _), code in zip(PAIRS, codes, strict=False)]
    right += [(b, "key", code) for (_, b), code in zip(PAIRS, codes, strict=False)]
    run = run_of(left, right)
    n_right, n_wrong = right_and_wrong(run, PAIRS)
    assert n_right > 0.8 * N_PEOPLE
    assert n_wrong < 0.05 * N_PEOPLE
    ratio = run.attribute_matches.filter(left="height")["log_ratio"][0]
    assert np.exp(ratio) == pytest.approx(1 / 3.28084, rel=0.02)


# ------------------------------------------------------------------------ names and time


def namesakes(*, timed: bool, random_seed: int = 16) -> tuple[Graph, Graph]:
    """Twelve people of each name, who hold offices in six towns, in other years."""
    rng = np.random.default_rng(random_seed)
    names = [" ".join(NAMES[i % 10]) for i in range(N_PEOPLE)]
    towns = invented_words(rng, 6)
    facts: list[list[Fact]] = [[], []]
    years, places = rng.integers(1900, 1960, N_PEOPLE), rng.integers(6, size=N_PEOPLE)
    for pair, year, place in zip(PAIRS, years, places, strict=True):
        time = str(year) if timed else None
        for side, relation, town in ((0, "mayor of", "town"), (1, "office", "city")):
            facts[side].append((pair[side], relation, f"{town}{place}", time, time))
    return (
        graph_of([*literals_of(0, ("name", names)), *named_towns("town", towns)], facts[0]),
        graph_of([*literals_of(1, ("label", names)), *named_towns("city", towns)], facts[1]),
    )


def named_towns(prefix: str, towns: list[str]) -> list[Literal]:
    return [(f"{prefix}{number}", "name", town) for number, town in enumerate(towns)]


def told_apart(*, timed: bool, literals: bool = True, random_seed: int = 16) -> tuple[int, int]:
    """How many right and wrong links there are; none where there is too little to begin with."""
    try:
        run = align_quietly(*namesakes(timed=timed, random_seed=random_seed), literals=literals)
    except StartError:
        return 0, 0
    return right_and_wrong(run, PAIRS)


def test_time_tells_people_of_the_same_name_apart() -> None:
    worlds = [told_apart(timed=True, random_seed=seed) for seed in (16, 17, 18)]
    n_right, n_wrong = np.mean(worlds, axis=0)
    assert n_right > 0.9 * N_PEOPLE
    assert n_wrong < 0.08 * N_PEOPLE  # some held the same office in the same year


def test_names_without_time_or_time_without_names_tell_too_little() -> None:
    assert told_apart(timed=False)[0] < 0.7 * N_PEOPLE
    assert told_apart(timed=True, literals=False)[0] < 0.8 * N_PEOPLE


def test_birth_dates_in_other_forms_tell_namesakes_apart() -> None:
    rng = np.random.default_rng(17)
    names = [" ".join(NAMES[i % 10]) for i in range(N_PEOPLE)]
    days = [
        datetime.date(1900, 1, 1) + datetime.timedelta(int(d))
        for d in rng.integers(9000, size=N_PEOPLE)
    ]
    left = literals_of(0, ("name", names), ("born", [day.isoformat() for day in days]))
    right = literals_of(
        1, ("label", names), ("birth date", [f"{day.day}.{day.month}.{day.year}" for day in days])
    )
    n_right, n_wrong = right_and_wrong(run_of(left, right), PAIRS, 0.9)
    assert n_right > 0.95 * N_PEOPLE
    assert n_wrong == 0


# ------------------------------------------------------------------------- what misleads


def test_a_misleading_code_does_not_win_against_names_and_facts() -> None:
    facts = random_facts(N_PEOPLE, 500, 18)
    partner = {f"e{i}": pair for i, pair in enumerate(PAIRS)}
    sides: list[list[Fact]] = [
        [(partner[h][side], r, partner[t][side], b, e) for h, r, t, b, e in facts]
        for side in (0, 1)
    ]
    codes = invented_words(np.random.default_rng(19), N_PEOPLE)
    left = literals_of(0, ("name", spaced(NAMES)), ("code", codes))
    right = literals_of(1, ("label", turned(NAMES)), ("key", codes[7:] + codes[:7]))
    run = align_quietly(graph_of(left, sides[0]), graph_of(right, sides[1]))
    n_right, n_wrong = right_and_wrong(run, PAIRS)
    assert n_right > 0.95 * N_PEOPLE
    assert n_wrong < 0.03 * N_PEOPLE
    assert run.info["literals"]["left_out"] == {"left": ["code"], "right": ["key"]}
    assert any("code (left) and key (right) are not used" in w for w in run.info["warnings"])


@pytest.mark.parametrize("seed", [20, 21, 22, 23])
def test_unrelated_people_with_names_of_one_small_list_are_not_linked(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given, family = invented_words(rng, 12, 6), invented_words(rng, 20)
    sides = [
        [
            (f"{side}{i}", "name", f"{rng.choice(given)} {rng.choice(family)}")
            for i in range(N_PEOPLE)
        ]
        for side in "lr"
    ]
    try:
        n_links = len(run_of(*sides).links)
    except StartError:
        n_links = 0
    assert n_links < 0.05 * N_PEOPLE


def test_literals_can_be_left_out() -> None:
    world = make_world(21, n_entities=100, n_facts=700)
    names = {entity: f"Person {i}" for i, entity in enumerate(world.left.entities)}
    named = [
        replace(
            graph,
            attributes=Attributes(
                entity=np.arange(len(graph.entities)),
                attribute=np.zeros(len(graph.entities), np.int32),
                value=np.arange(len(graph.entities)),
                begin=np.full(len(graph.entities), -1),
                end=np.full(len(graph.entities), -1),
                names=["name"],
                texts=[names[entity.removeprefix("x")] for entity in graph.entities],
                datatypes=[""] * len(graph.entities),
                languages=[""] * len(graph.entities),
            ),
        )
        for graph in (world.left, world.right)
    ]
    options: dict[str, Any] = {"seeds": world.seeds, "literals": False}
    plain = align_quietly(world.left, world.right, **options)
    without = align_quietly(*named, **options)
    assert without.links.equals(plain.links)
    assert without.info["literals"] == {"used": False}


# ------------------------------------------------------------------------------- honesty


def half_common(seed: int, kind: str) -> tuple[Run, list[tuple[str, str]]]:
    """A run on people of whom one in two is known to both sides, and who these are."""
    rng = np.random.default_rng(seed)
    n = 300
    given, family = invented_words(rng, 25, 5), invented_words(rng, 60, 7)
    names = [(given[rng.integers(25)], family[rng.integers(60)]) for _ in range(n)]
    years = rng.integers(1900, 1940, n)
    sides: list[list[Literal]] = [[], []]
    for number, ((first, last), year) in enumerate(zip(names, years, strict=True)):
        if number < 200:
            own = f"l{number}"
            sides[0] += [(own, "name", f"{first} {last}"), (own, "born", str(year))]
        if number >= 100:
            other = f"r{(number * 71) % n}"
            sloppy = with_typo(rng, last) if rng.random() < 0.3 else last
            sides[1] += [
                (other, "label", f"{sloppy}, {first}"),
                (other, "birth", birth(kind, year)),
            ]
    pairs = [(f"l{number}", f"r{(number * 71) % n}") for number in range(100, 200)]
    return run_of(*sides), pairs


def birth(kind: str, year: int) -> str:
    return str(year) if kind == "year" else f"in {year}"


@pytest.mark.parametrize("kind", ["year", "text"])
def test_sure_links_are_right_where_half_have_no_counterpart(kind: str) -> None:
    found = np.array(
        [
            right_and_wrong(run, pairs, 0.9)
            for run, pairs in (half_common(s, kind) for s in range(3))
        ]
    )
    n_right, n_wrong = found.sum(axis=0)
    assert n_right > 60
    assert n_right >= 0.9 * (n_right + n_wrong)
