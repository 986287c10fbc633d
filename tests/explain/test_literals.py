"""Literals in explanations: couples, what they add or take, sums that are exact, safe views."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import lighttea
from lighttea.cli.explain import print_explanation
from lighttea.evidence.attribute_checks import JudgedAttributes
from lighttea.evidence.attributes import AttributeMatches
from lighttea.evidence.literals import LITERAL_KINDS, LiteralEvidence, literal_tokens
from lighttea.explain.explanation import Explanation
from lighttea.explain.literals import LiteralRows, are_same
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair
from lighttea.io.frames import graph_of_frame, graph_of_frames
from lighttea.io.literals import literal_rows
from lighttea.literals.table import LiteralTable
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from tests.explain.test_explain import check_faithful
from tests.literal_worlds import (
    HEBREW,
    LEFT,
    STRANGER,
    left_id,
    literal_run,
    right_id,
)
from tests.worlds import Fact, fact_frame


@pytest.fixture(scope="module")
def run() -> Run:
    return literal_run()


def explained(run: Run, number: int) -> Explanation:
    return run.explain(left_id(number), right_id(number))


def by_attribute(found: Explanation) -> dict[tuple[str, str], Any]:
    return {(m.left.short_attribute, m.right.short_attribute): m for m in found.literals}


# ---------------------------------------------------------------------------------- exactness


@pytest.mark.filterwarnings("ignore:neither graph has a fact with a known time")
@pytest.mark.parametrize(
    ("timed", "literals"),
    [
        (True, True),
        pytest.param(True, False, marks=pytest.mark.slow),
        pytest.param(False, True, marks=pytest.mark.slow),
    ],
)
def test_terms_add_up_with_literals_and_without(
    timed: bool, literals: bool, tmp_path: Path
) -> None:
    run = literal_run(timed=timed, literals=literals)
    check_faithful(lighttea.load_run(run.save(tmp_path / "run")), 100)


def test_what_literals_add_is_the_cosine_of_their_tokens(run: Run) -> None:
    """The slow way: sets of token numbers of two entities, kind by kind."""
    source = run.explainer.source
    total = sum(kind.weight for kind, _ in source.tokens)
    for left, right in run.candidates.select("left", "right").rows()[::101]:
        nodes = source.left.number_of(left), source.right.number_of(right)
        expected = 0.0
        for kind, tokens in source.tokens:
            a, b = nodes[0], nodes[1] + source.pair.n_left
            sets = [set(tokens.token[tokens.start[n] : tokens.start[n + 1]]) for n in (a, b)]
            if kind in LITERAL_KINDS and sets[0] & sets[1]:
                shared = tokens.weight[list(sets[0] & sets[1])].sum()
                expected += kind.weight / total * shared / (tokens.length[a] * tokens.length[b])
        found = run.explain(left, right)
        of_literals = [
            part.value
            for part in found.terms
            if part.term == "consensus" and (part.literal is not None or "literals" in part.words)
        ]
        assert sum(of_literals) == pytest.approx(source.config.consensus * expected, abs=1e-6)


def numbered_side(side: str, numbers: list[float]) -> Graph:
    """Twelve entities with numbers of three attributes, and no fact."""
    literals = literal_rows(
        (f"{side}{i % 12}", f"{side} {i % 3}", f"{number:.3f}", "", "")
        for i, number in enumerate(numbers)
    )
    return graph_of_frames(
        fact_frame(), pl.concat([empty_table("attributes_left"), literals], how="diagonal")
    )


def test_tokens_of_literals_are_those_of_their_entities() -> None:
    """Also those of numbers, of which an entity has several."""
    rng = np.random.default_rng(3)
    left, right = (numbered_side(side, rng.normal(0, 3, 60).tolist()) for side in "lr")
    table = LiteralTable.of(Pair.of(left, right, timed=False), left, right, rng)
    is_usable = np.ones(table.n_attributes, bool)
    matches = AttributeMatches(
        left=np.array([0, 1]),
        right=np.array([4, 5]),
        known=np.array([9, 9]),
        agreeing=np.array([8, 8]),
        chance=np.array([0.01, 0.01]),
        log_ratio=np.array([0.0, 0.0]),
        n_attributes=table.n_attributes,
    )
    tokens = list(literal_tokens(table, is_usable, matches))
    judged = JudgedAttributes((), is_usable, ~is_usable)
    rows = LiteralRows.of(LiteralEvidence(table, judged, is_usable, tokens, matches))
    assert len(rows.tokens) == len(tokens) == len(LITERAL_KINDS)
    for (_, of_nodes), of_rows in zip(tokens, rows.tokens, strict=True):
        for node in range(table.n_nodes):
            own = rows.of_node(node)
            together = set(of_rows.token[of_rows.start[own.start] : of_rows.start[own.stop]])
            assert together == set(of_nodes.token[of_nodes.start[node] : of_nodes.start[node + 1]])


def test_facts_of_an_entity_with_itself_are_explained_exactly() -> None:
    """A birth is a fact without a neighbour: its link would speak for itself."""
    rng = np.random.default_rng(2)
    facts: list[Fact] = []
    for i in range(80):
        year = str(1900 + int(rng.integers(60)))
        facts.append((f"p{i}", "born", f"p{i}", year, year))
        facts.append((f"p{i}", "met", f"p{int(rng.integers(80))}", year, None))
        facts.append((f"p{i}", "lives in", f"t{i % 9}", None, None))
    right = [(f"x{a}", f"x{r}", f"x{b}", begin, end) for a, r, b, begin, end in facts]
    seeds = [(f"p{i}", f"xp{i}") for i in range(0, 80, 4)]
    run = lighttea.align(
        graph_of_frame(fact_frame(*facts)),
        graph_of_frame(fact_frame(*right)),
        seeds=seeds,
        dim=32,
        min_confidence=0.0,
    )
    check_faithful(run, 200)


# ------------------------------------------------------------------------------- what is said


def test_what_is_the_same_and_what_is_alike(run: Run) -> None:
    couples = by_attribute(explained(run, 0))
    assert set(couples) == {
        ("given", "displayName"),
        ("family", "displayName"),
        ("phone", "telephone"),
        ("born", "birth date"),
    }
    assert couples["phone", "telephone"].how == "same"  # other punctuation
    assert couples["born", "birth date"].how == "same"  # another way to write the date
    given = couples["given", "displayName"]
    assert given.how == "alike"
    assert given.words == 'given "Hank" ~ displayName "Aarona, Hank"'
    assert (given.left.attribute, given.left.language) == (f"{LEFT}p#given", "en")
    assert given.left.time.startswith("since ")
    assert all(match.value > 0 and match.exact for match in couples.values())


def test_what_differs_counts_against(run: Run) -> None:
    found = explained(run, STRANGER)
    couples = by_attribute(found)
    for couple in (("phone", "telephone"), ("born", "birth date")):
        assert couples[couple].how == "differs"
        assert couples[couple].contradicts
    assert couples["phone", "telephone"].value < 0
    parts = [part for part in found.terms if part.term == "contradiction"]
    assert len(parts) == 2
    assert all(part.value < 0 and part.literal is not None for part in parts)
    assert sum(part.value for part in parts) == pytest.approx(
        found.aspects["contradiction"], abs=1e-6
    )
    assert couples["given", "displayName"].how == "alike"
    assert "2 differ" in repr(found)
    alone = replace(found, literals=(couples["born", "birth date"],))
    assert alone.literals_in_words() == "literals: 1 differs"


def test_what_has_no_partner_stands_alone(run: Run) -> None:
    found = explained(run, 1)
    assert [(one.short_attribute, one.text) for one in found.only_left_literals] == [
        ("about", HEBREW)
    ]
    assert [one.attribute for one in found.only_right_literals] == ["note"]


def test_the_runner_up_lacks_literals(run: Run) -> None:
    found = explained(run, 0)
    assert found.runner_up is not None
    assert "phone" in {one.short_attribute for one in found.runner_up.missing_literals}


def test_largest_contributions_come_first_and_parts_name_them(run: Run) -> None:
    found = explained(run, STRANGER)
    sizes = [abs(match.value) for match in found.literals]
    assert sizes == sorted(sizes, reverse=True)
    for number, match in enumerate(found.literals):
        own = [part.value for part in found.terms if part.literal == number]
        assert sum(own) == pytest.approx(match.value)
    content = json.loads(json.dumps(found.to_dict()))
    assert content["literals"][0]["how"] in ("same", "alike", "differs")
    assert any('"Alleni, Frances"' in term["words"] for term in content["terms"])
    assert all(term["words"] for term in content["terms"])


def test_literals_that_did_not_count_are_shown_alone() -> None:
    found = explained(literal_run(literals=False), 0)
    assert not found.literals
    assert len(found.only_left_literals) == 5
    assert len(found.only_right_literals) == 4


def test_a_run_of_an_earlier_version_is_explained() -> None:
    old = literal_run(literals=False)
    info = {name: value for name, value in old.info.items() if name != "literals"}
    none = empty_table("attributes_left")
    old = replace(old, attributes_left=none, attributes_right=none, info=info)
    found = explained(old, 0)
    assert not found.literals
    assert not found.only_left_literals
    assert not found.only_right_literals


def test_the_terminal_shows_literals_and_names(run: Run) -> None:
    out = StringIO()
    found = replace(explained(run, STRANGER), left_name="Frances [Allen]")
    print_explanation(Console(file=out, width=160), found)
    text = out.getvalue()
    assert f"Frances [Allen] ({left_id(STRANGER)}) is" in text
    assert "Literals side by side (4)" in text
    lines = [line.split() for line in text.splitlines()]
    phone = next(line for line in lines if line[:1] == ["phone:"])
    assert "≠" in phone
    assert "against" in phone
    assert f"Literals on the left alone (1): about: \u2068{HEBREW}\u2069" in text


def test_a_notebook_shows_literals_escaped(run: Run) -> None:
    found = explained(run, 2)
    first = found.literals[0]
    risky = replace(first, left=replace(first.left, text="<script>alert(1)</script>"))
    page = replace(found, literals=(risky,))._repr_html_()
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert first.verdict in page


# -------------------------------------------------------------------------------------- texts


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("213/467-1108", "213-467-1108", True),
        ("Müller", "MULLER", True),
        ("1921-03-04", "4 March 1921", True),
        ("3.50", "3.5", True),
        ("Aaron, Hank", "Hank Aaron", False),
        ("!", "?", False),
        ("a" * 300, "a" * 300, True),
        ("a" * 300, "a" * 300 + "b", False),
    ],
)
def test_same_texts(left: str, right: str, same: bool) -> None:
    assert are_same(left, right) == same
    assert are_same(right, left) == same
