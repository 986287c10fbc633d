"""A candidate beside its runner-up, and the palette of the pages."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from lighttea.explain.explanation import Explanation
from lighttea.review.choice import compare_candidates
from tests.review.conftest import Reviewer, text_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def explanation(reviewer: Reviewer) -> Explanation:
    return reviewer.session.explain("George_Porter", "porter-george")


def with_other_score(explanation: Explanation, score: float) -> Explanation:
    assert explanation.runner_up is not None
    return replace(explanation, runner_up=replace(explanation.runner_up, score=score))


def test_terms_of_both_add_up_to_their_scores(explanation: Explanation) -> None:
    choice = compare_candidates(explanation, {}, {})
    assert choice is not None
    assert explanation.runner_up is not None
    assert choice.heading == "runner-up"
    assert sum(row.here for row in choice.rows) == pytest.approx(explanation.score, abs=1e-4)
    other = explanation.runner_up.score
    assert sum(row.there for row in choice.rows) == pytest.approx(other, abs=1e-4)
    assert choice.reasons == ()  # the surer one has the higher score
    alone = replace(explanation, runner_up=None)
    assert compare_candidates(alone, {}, {}) is None


def test_a_lower_score_that_won_is_explained(explanation: Explanation) -> None:
    odd = with_other_score(explanation, explanation.score + 1)
    assert odd.runner_up is not None
    other = odd.runner_up.right
    choice = compare_candidates(odd, {other: "Max_Perutz"}, {"Max_Perutz": "Max Perutz"})
    assert choice is not None
    first, second = choice.reasons
    assert first == f"{other} has the higher score, but porter-george is the surer candidate."
    assert second.startswith(f"{other} is linked to Max Perutz, and each entity is linked")
    free = compare_candidates(odd, {}, {})
    assert free is not None
    assert "compares all left entities" in free.reasons[1]


def test_the_page_of_another_candidate_says_why_it_lost(reviewer: Reviewer) -> None:
    number = reviewer.session.queue.number_of("George_Porter")
    page = text_of(reviewer.page(f"/pair/{number}?choice=2"))
    assert "Why another one is surer Surest one: porter-george" in page
    assert "Competing left entities" in page
    assert "Why this one Runner-up:" in text_of(reviewer.page(f"/pair/{number}"))


def test_the_note_and_the_facts_are_never_folded_or_cut(reviewer: Reviewer) -> None:
    page = reviewer.page("/pair/0")
    before = page[: page.index('id="note"')]
    assert before.count("<details") == before.count("</details")
    style = files("lighttea.review").joinpath("static/app.css").read_text(encoding="utf-8")
    assert "line-clamp" not in style
    assert "ellipsis" not in style


def test_colours_are_defined_once_and_documented() -> None:
    style = files("lighttea.review").joinpath("static/app.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, flags=re.S)
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in blocks)
    assert set(light) == set(dark)
    rest = re.sub(r":root \{.*?\}", "", style, flags=re.S)
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b(?=[;\s])", rest)  # none beside the palette
    page = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
    for name in ("left", "right", "good", "bad", "act", "soft"):
        assert f"| `{light[name]}` | `{dark[name]}` |" in page
    meanings = [light[name] for name in ("left", "right", "good", "bad", "act", "soft", "ink")]
    assert len(set(meanings)) == len(meanings)
