"""Attributes that mean nothing are left out; identifiers stay, and ids where facts prove them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lighttea.config import make_config
from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.attribute_checks import FEWEST, AttributeCheck, judge_attributes
from lighttea.graph.pair import Links
from lighttea.literals.table import LiteralTable
from lighttea.similarity.carry import CarriedCandidates
from lighttea.solve.literal_check import (
    Namesakes,
    _are_row_numbers,
    _repeats,
    better_and_worse,
    check_attributes,
    start_literals,
    warn_of_attributes,
)
from lighttea.solve.problem import Problem, pose_problem
from lighttea.solve.round import run_round
from lighttea.solve.start import cpu_engine
from lighttea.solve.workspace import Workspace
from lighttea.types import LeftIds, NumpyArray, RightIds
from tests.literals.worlds import Literal, Silent, graph_of, invented_words
from tests.worlds import Fact, random_facts, renamed

N_PEOPLE = 120
Work = Workspace[NumpyArray]
Attributes = dict[str, list[str]]
ORDER = np.random.default_rng(1).permutation(N_PEOPLE).tolist()


def work_of(
    left: Attributes,
    right: Attributes,
    *,
    n_facts: int = 700,
    ids: tuple[str, str] = ("e{}", "xe{}"),
) -> Work:
    """People with facts, and a text of each attribute for each; ids are made of a number.

    Those of the right are numbered in another order, unless the id has `{same}`.
    """
    facts = random_facts(N_PEOPLE, n_facts, 3)
    named = {f"e{n}": ids[0].format(n, same=n) for n in range(N_PEOPLE)}
    other = {f"xe{n}": ids[1].format(ORDER[n], same=n) for n in range(N_PEOPLE)}
    sides = []
    for own, attributes, facts_of in ((named, left, facts), (other, right, renamed(facts))):
        literals: list[Literal] = [
            (entity, name, text)
            for name, texts in attributes.items()
            for entity, text in zip(own.values(), texts, strict=True)
        ]
        new: list[Fact] = [(own[h], r, own[t], b, e) for h, r, t, b, e in facts_of]
        sides.append(graph_of(literals, new))
    config = make_config("best", dim=32, threads=1)
    problem, config = pose_problem(sides[0], sides[1], Links.none(), config, Silent())
    work = Workspace(cpu_engine(problem, config), problem)
    start_literals(work, config)
    return work


def left_out(work: Work) -> set[str]:
    """The attributes that do not count."""
    literals = work.literals
    assert literals is not None
    names, trusted = literals.table.names, literals.judged.trusted
    return {names[n] for n in np.flatnonzero(~trusted & ~literals.table.is_id).tolist()}


def ids_count(work: Work) -> bool:
    literals = work.literals
    assert literals is not None
    counted = literals.judged.trusted[literals.table.is_id]
    assert counted.all() == counted.any()
    return bool(counted.all())


def warnings_of(work: Work) -> list[str]:
    warn_of_attributes(work)
    return [text for text in work.progress.warnings if text.startswith("literals of ")]


@pytest.fixture(scope="module")
def names() -> list[str]:
    return invented_words(np.random.default_rng(4), N_PEOPLE)


def numbered(text: str, *, shuffled: bool) -> list[str]:
    return [text.format(number) for number in (ORDER if shuffled else range(N_PEOPLE))]


# --------------------------------------------------------------------- what means nothing


def test_row_numbers_are_left_out(names: list[str]) -> None:
    work = work_of(
        {"row": numbered("{}", shuffled=False), "name": names},
        {"line": numbered("{}", shuffled=True), "label": names},
    )
    assert left_out(work) == {"row", "line"}
    (warning,) = warnings_of(work)
    assert warning.startswith("literals of row (left) and line (right) are not used: 120 pairs of")


def test_row_numbers_are_left_out_where_nothing_else_tells() -> None:
    work = work_of(
        {"row": numbered("{}", shuffled=False)},
        {"line": numbered("{}", shuffled=True)},
        n_facts=130,
    )
    assert left_out(work) == {"row", "line"}


def test_numbers_beside_a_word_are_row_numbers_too(names: list[str]) -> None:
    work = work_of(
        {"code": numbered("left {}", shuffled=False), "name": names},
        {"key": numbered("right {}", shuffled=True), "label": names},
    )
    assert left_out(work) == {"code", "key"}


def test_numbers_repeated_in_an_address_prove_nothing() -> None:
    """The address agrees wherever the number does: it is no witness for it."""
    work = work_of(
        {
            "number": numbered("n{}z", shuffled=False),
            "page": numbered("http://left.org/item/n{}z", shuffled=False),
        },
        {
            "number": numbered("n{}z", shuffled=True),
            "page": numbered("http://right.org/thing/n{}z", shuffled=True),
        },
    )
    assert left_out(work) == {"number", "page"}


def nodes_of(table: LiteralTable, name: str) -> dict[str, int]:
    """The real entity that has each text of an attribute."""
    rows = np.flatnonzero((table.attribute == list(table.names).index(name)) & table.is_real)
    return {table.texts[table.value[row]]: int(table.node[row]) for row in rows.tolist()}


def test_a_round_learns_from_its_seeds_which_attributes_say_the_same(names: list[str]) -> None:
    size = [str(100 + 7 * (n * n % 97)) for n in range(N_PEOPLE)]
    work = work_of({"name": names, "size": size}, {"label": names, "height": size})
    before = work.literals
    assert before is not None
    assert before.matches is None
    left, right = (nodes_of(before.table, name) for name in ("name", "label"))
    texts = list(left)[:30]
    seeds = Links(
        LeftIds(np.array([left[text] for text in texts], np.int32)),
        RightIds(np.array([right[text] for text in texts], np.int32) - work.problem.pair.n_left),
    )
    config = make_config("best", dim=32, threads=1)
    run_round(work, seeds, config, np.random.default_rng(0), CarriedCandidates.none())
    after = work.literals
    assert after is not None
    assert after.matches is not None
    matches, table = after.matches, after.table
    couples = zip(matches.left.tolist(), matches.right.tolist(), strict=True)
    found = {(table.names[one], table.names[other]) for one, other in couples}
    assert {("name", "label"), ("size", "height")} <= found


def test_row_numbers_are_nearly_all_whole_numbers_one_after_another() -> None:
    """A few gaps and texts among them change nothing; half of them do, and so do large gaps."""
    rows = numbered("{}", shuffled=False)
    words = invented_words(np.random.default_rng(4), N_PEOPLE)
    few, many = (
        [
            word if n % step == 0 else row
            for n, (row, word) in enumerate(zip(rows, words, strict=True))
        ]
        for step in (30, 2)
    )
    far = [str(7 * n) for n in range(N_PEOPLE)]
    work = work_of({"row": rows, "few": few, "many": many}, {"far": far, "word": words})
    assert work.literals is not None
    table = work.literals.table
    found = np.flatnonzero(_are_row_numbers(table) & ~table.is_id)
    assert [table.names[n] for n in found.tolist()] == ["row", "few"]


def test_what_repeats_an_attribute_is_of_its_own_side() -> None:
    """The page says the number again, the label does not; the other graph is another source."""
    names = invented_words(np.random.default_rng(4), N_PEOPLE)
    number, page = (numbered(f, shuffled=False) for f in ("n{}z", "http://left.org/item/n{}z"))
    own = {"number": number, "page": page, "label": names}
    work = work_of(own, {"code": number, "name": names})
    assert work.literals is not None
    table = work.literals.table
    repeats = _repeats(table, list(table.names).index("number"))
    assert [table.names[n] for n in np.flatnonzero(repeats).tolist()] == ["number", "page"]


def test_codes_that_contradict_names_are_left_out(names: list[str]) -> None:
    codes = invented_words(np.random.default_rng(9), N_PEOPLE)
    shuffled = [codes[number] for number in ORDER]
    work = work_of({"code": codes, "name": names}, {"key": shuffled, "label": names})
    assert left_out(work) == {"code", "key"}
    assert len(warnings_of(work)) == 1


# ------------------------------------------------------------------------ what is believed


def test_names_and_identifiers_are_kept(names: list[str]) -> None:
    codes = [f"{number:09}" for number in np.random.default_rng(2).integers(10**9, size=N_PEOPLE)]
    work = work_of({"code": codes, "name": names}, {"key": codes, "label": names})
    assert left_out(work) == set()
    assert warnings_of(work) == []


def test_numbers_from_one_on_count_where_facts_prove_them() -> None:
    same = numbered("{}", shuffled=False)
    assert left_out(work_of({"number": same}, {"no": same})) == set()


def test_identifiers_without_any_other_evidence_are_believed() -> None:
    codes = invented_words(np.random.default_rng(9), N_PEOPLE)
    work = work_of({"code": codes}, {"key": codes}, n_facts=0)
    assert left_out(work) == set()


def test_ids_that_facts_prove_count() -> None:
    work = work_of({}, {}, ids=("http://a.org/e{}", "http://b.org/e{same}"))
    assert ids_count(work)
    assert warnings_of(work) == []


def test_opaque_ids_do_not_count(names: list[str]) -> None:
    ids = ("http://a.org/e{}", "http://b.org/e{}")
    assert not ids_count(work_of({}, {}, ids=ids))
    work = work_of({"name": names}, {"label": names}, ids=ids)
    assert not ids_count(work)
    assert left_out(work) == set()
    assert warnings_of(work) == []  # ids are nobody's attribute


def test_without_literals_there_is_nothing_to_check(names: list[str]) -> None:
    graphs = [graph_of([(f"{s}{i}", "name", n) for i, n in enumerate(names)]) for s in "ab"]
    config = make_config("best", dim=32, literals=False)
    problem, config = pose_problem(graphs[0], graphs[1], Links.none(), config, Silent())
    work = Workspace(cpu_engine(problem, config), problem)
    start_literals(work, config)
    assert work.literals is None


# --------------------------------------------------------------------------- one by one


def slow_namesakes(table: LiteralTable, problem: Problem, couple: tuple[int, int]) -> set[Any]:
    """Pairs of entities that alone have a whole value of these attributes."""
    holders: dict[int, dict[int, list[int]]] = {number: {} for number in couple}
    for node, attribute, value in zip(table.node, table.attribute, table.value, strict=True):
        if attribute in couple and node < problem.pair.n_entities:
            for part in table.vocabulary.whole.of_row(value).tolist():
                holders[int(attribute)].setdefault(part, []).append(int(node))
    left, right = (holders[number] for number in couple)
    return {
        (left[part][0], right[part][0] - table.n_left)
        for part in left
        if part in right and len(left[part]) == len(right[part]) == 1
    }


def test_namesakes_are_pairs_that_alone_have_a_value(names: list[str]) -> None:
    common = [*names[:60], *["Smith"] * 60]
    work = work_of({"name": common}, {"label": common[::-1]})
    assert work.literals is not None
    table = work.literals.table
    ((left, right, links),) = Namesakes.of(table, work.problem).couples()
    assert (table.names[left], table.names[right]) == ("name", "label")
    found = set(zip(links.left.tolist(), links.right.tolist(), strict=True))
    assert found == slow_namesakes(table, work.problem, (left, right))
    assert len(found) == len(links) == 60


def check_of(better: int, worse: int, *, proof: bool = False) -> AttributeCheck:
    return AttributeCheck(0, 2, better + worse, better, worse, proof)


@pytest.mark.parametrize(
    ("check", "is_told", "share", "is_trusted"),
    [
        (check_of(FEWEST - 1, 0), False, 1.0, True),
        (check_of(0, FEWEST - 1), False, 0.0, True),
        (check_of(FEWEST - 1, 0, proof=True), False, 1.0, False),
        (check_of(50, 50), True, 0.0, False),
        (check_of(20, 60), True, 0.0, False),
        (check_of(70, 30), True, 0.4, True),
        (check_of(70, 30, proof=True), True, 0.4, False),
        (check_of(95, 5, proof=True), True, 0.9, True),
    ],
)
def test_judgement(check: AttributeCheck, is_told: bool, share: float, is_trusted: bool) -> None:
    assert (check.is_told, check.is_trusted) == (is_told, is_trusted)
    assert check.share_right == pytest.approx(share)


def test_the_partner_with_most_values_in_common_decides(names: list[str]) -> None:
    work = work_of({"name": names, "nick": names}, {"label": names, "other": names})
    assert work.literals is not None
    table = work.literals.table
    best, second = AttributeCheck(0, 3, 90, 80, 5, False), AttributeCheck(0, 4, 60, 30, 30, False)
    judged = judge_attributes(table, [best, second])
    assert judged.trusted.tolist() == [True, True, False, True, False, False]
    assert judged.doubtful.tolist() == [False, False, False, False, True, False]
    judged = judge_attributes(table, [second, best])
    assert judged.trusted.tolist() == [False, True, False, True, False, False]
    assert judged.without_doubt().trusted.tolist() == [True, True, False, True, True, False]


def test_where_most_is_contradicted_the_rest_is_not_believed(names: list[str]) -> None:
    work = work_of({"name": names, "street": names}, {"label": names, "road": names})
    assert work.literals is not None
    table = work.literals.table
    disproved = AttributeCheck(0, 3, 90, 40, 45, False)
    untold = AttributeCheck(1, 4, 60, 0, 0, False)
    judged = judge_attributes(table, [disproved, untold])
    assert not judged.trusted.any()
    assert not judged.doubtful.any()
    proved_ids = AttributeCheck(2, 5, 90, 85, 5, True)
    judged = judge_attributes(table, [proved_ids, disproved, untold])
    assert judged.trusted.tolist() == [False, False, True, False, False, True]
    more_is_proved = AttributeCheck(1, 4, 100, 90, 5, False)
    judged = judge_attributes(table, [more_is_proved, disproved])
    assert judged.trusted.tolist() == [False, True, False, False, True, False]
    assert judged.doubtful.tolist() == [True, False, False, True, False, False]


def test_what_needs_proof_is_in_no_doubt(names: list[str]) -> None:
    work = work_of({"name": names}, {"label": names})
    assert work.literals is not None
    row_numbers = AttributeCheck(0, 2, 90, 40, 40, True)
    judged = judge_attributes(work.literals.table, [row_numbers])
    assert not judged.trusted.any()
    assert not judged.doubtful.any()
    assert judged.unproved.all()


def test_checks_come_with_most_pairs_first(names: list[str]) -> None:
    half = [name if i % 2 else f"{name}x" for i, name in enumerate(names)]
    work = work_of({"name": names, "nick": half}, {"label": names})
    assert work.literals is not None
    config = make_config("best", dim=32, threads=1)
    checks = list(check_attributes(work, work.literals.table, config))
    pairs = [check.n_pairs for check in checks]
    assert pairs[:2] == [N_PEOPLE, N_PEOPLE // 2]
    assert pairs == sorted(pairs, reverse=True)
    assert checks[0].share_right > 0.9


def test_better_and_worse_are_counted_row_by_row() -> None:
    consensus = np.array([[0.5, 0.2], [0.1, 0.2], [0.3, 0.3], [0.0, 0.0], [0.9, 0.0]], np.float32)
    assert better_and_worse(PLAIN, consensus) == (2, 1)
