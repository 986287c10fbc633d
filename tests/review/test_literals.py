"""Literals on the page of a pair: side by side, marked by signs and words, folded, escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lighttea.explain.explanation import Explanation
from lighttea.explain.statements import Literal
from lighttea.results.run import Run
from lighttea.review.literals import MOST_ROWS, SHOWN_ALONE, SHOWN_ROWS, make_literal_rows
from lighttea.review.timeline import make_waterfall
from tests.literal_worlds import CODE, HEBREW, LONG, RIGHT, STRANGER, left_id, literal_run, right_id
from tests.review.conftest import Reviewer, make_reviewer, text_of


@pytest.fixture(scope="module")
def run() -> Run:
    return literal_run()


@pytest.fixture
def literal_reviewer(run: Run, tmp_path: Path) -> Reviewer:
    return make_reviewer(run, run.save(tmp_path / "run"))


def page_of(reviewer: Reviewer, number: int) -> str:
    """The page of a person and their counterpart."""
    item = reviewer.session.queue.number_of(left_id(number))
    candidates = reviewer.session.explainer.candidates_of(left_id(number))["right"].to_list()
    return reviewer.page(f"/pair/{item}?choice={candidates.index(right_id(number)) + 1}")


def test_what_agrees_is_alike_and_differs_is_said_in_words(literal_reviewer: Reviewer) -> None:
    words = text_of(page_of(literal_reviewer, STRANGER))
    assert "Literals 2 alike, 2 differ, 1 only in left , 1 only in right" in words
    assert "≠ differs, counts against telephone 555-111-222 -0." in words
    assert "given Frances en" in words
    assert "~ alike displayName Alleni, Frances" in words
    assert "only in left" in words
    assert "= same" in text_of(page_of(literal_reviewer, 0))


def test_texts_are_whole_in_titles_and_safe(literal_reviewer: Reviewer) -> None:
    page = page_of(literal_reviewer, 0)
    assert LONG.strip() in text_of(page)
    assert f"p#about: {LONG}" in page
    assert f'<bdi dir="auto">{HEBREW}</bdi>' in page_of(literal_reviewer, 1)
    risky = page_of(literal_reviewer, 2)
    assert CODE not in risky
    assert "&lt;script&gt;" in risky


def test_names_come_before_ids(run: Run, tmp_path: Path) -> None:
    import polars as pl

    names = pl.DataFrame(
        {"kind": ["entity"], "id": [left_id(0)], "name": ["Hank Aaron"]}, strict=True
    )
    named = make_reviewer(replace(run, names_left=names), run.save(tmp_path / "run"))
    page = page_of(named, 0)
    assert f'<h1><bdi dir="auto" title="{left_id(0)}">Hank Aaron</bdi></h1>' in page
    whole, last = right_id(0), right_id(0).removeprefix(RIGHT)
    assert f'<h2><bdi dir="auto" title="{whole}">{last}</bdi></h2>' in page
    small = re.findall(r'<span class="id"><bdi>(.*?)</bdi></span>', page)
    assert [text.replace("<wbr>", "") for text in small[:2]] == [left_id(0), right_id(0)]


def many_literals(found: Explanation, n: int) -> Explanation:
    alone = tuple(Literal("label", f"text {i}", "", None, None) for i in range(n))
    return replace(found, only_left_literals=alone, only_right_literals=alone[:2])


def test_many_literals_are_folded(run: Run) -> None:
    found = many_literals(run.explain(left_id(0), right_id(0)), 500)
    rows = make_literal_rows(found)
    n_matched = len(found.literals)
    assert len(rows.shown) == n_matched + SHOWN_ALONE + 2 <= SHOWN_ROWS
    assert [row.kind for row in rows.shown[n_matched:]] == ["alone"] * (SHOWN_ALONE + 2)
    assert len(rows.folded) == MOST_ROWS
    assert len(rows.shown) + len(rows.folded) + rows.n_hidden == n_matched + 502
    many = make_literal_rows(replace(found, literals=found.literals * 10))
    assert len(many.shown) == SHOWN_ROWS
    assert {row.kind for row in many.shown} == {"same", "alike"}


def test_the_waterfall_has_literals_too(run: Run) -> None:
    found = run.explain(left_id(STRANGER), right_id(STRANGER))
    steps = make_waterfall(found)
    kinds = [step.kind for step in steps]
    assert kinds.count("literal") >= 2
    assert sum(step.value for step in steps) == pytest.approx(found.score, abs=1e-4)


def test_the_waterfall_stays_in_view_where_sums_fall_below_zero(run: Run) -> None:
    found = run.explain(left_id(STRANGER), right_id(STRANGER))
    sunk = replace(found, facts=tuple(replace(match, value=-1.0) for match in found.facts))
    for explanation in (found, sunk):
        steps = make_waterfall(explanation)
        assert min(step.x for step in steps) >= 0
        assert max(step.x + step.width for step in steps) <= 100.001
        ends = [(step.x, step.x + step.width) for step in steps]
        for step, (low, high), (next_low, next_high) in zip(steps, ends, ends[1:], strict=False):
            after = high if step.value > 0 else low
            assert min(abs(after - next_low), abs(after - next_high)) < 0.01  # one on the other
