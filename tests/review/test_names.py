"""Names in the review app: searched for, shown before ids, safe whatever they hold."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from lighttea.graph.facts import Graph
from lighttea.progress import Progress
from lighttea.results.run import Run
from lighttea.review.again import align_again
from lighttea.review.selection import Selection
from tests.named_worlds import (
    ARABIC,
    BOELL,
    HEBREW,
    HOSTILE,
    NAMELESS,
    left_id,
    named_run,
    right_id,
)
from tests.review.conftest import Reviewer, make_reviewer, text_of


@pytest.fixture
def named(tmp_path: Path) -> Reviewer:
    run = named_run()
    return make_reviewer(run, run.save(tmp_path / "run"))


def found(reviewer: Reviewer, text: str) -> list[str]:
    page = reviewer.session.queue.page(Selection(search=text, state="all"), {})
    return [item["left"] for item in page.items]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (BOELL, 1),
        ("boll", 1),
        ("BÖLL (STAFF)", 1),
        (HEBREW, 2),
        (ARABIC, 3),
        (left_id(4), 4),
        (right_id(4), 4),
        ("evil", 5),
    ],
)
def test_names_and_ids_of_both_sides_are_searched(named: Reviewer, text: str, number: int) -> None:
    assert found(named, text) == [left_id(number)]


def test_a_search_without_letters_finds_everything(named: Reviewer) -> None:
    assert len(found(named, " _ ")) == len(named.session.queue)
    assert found(named, "no such name") == []


def test_the_queue_shows_names_then_ids(named: Reviewer) -> None:
    page = named.page("/?search=boll")
    assert f'<bdi dir="auto" title="{left_id(1)}">{BOELL}</bdi>' in page
    ids = re.findall(r'<span class="id"><bdi>(.*?)</bdi>', page)
    assert [text.replace("<wbr>", "") for text in ids] == [left_id(1), right_id(1)]
    assert "People" in text_of(page)
    assert re.search(r"<th[^>]*><bdi>staff</bdi></th>", page)


def test_a_pair_shows_the_names_of_graphs_entities_and_relations(named: Reviewer) -> None:
    page = named.page(f"/pair/{named.session.queue.number_of(left_id(1))}")
    words = text_of(page)
    assert f"<title>{BOELL} · run</title>" in page
    assert f"People {BOELL} {left_id(1)}" in words
    assert "0 only in People , 0 only in staff" in words
    assert "was born in : Person" in words
    assert 'title="→ http://people.example/ontology#r' in page
    assert re.search(r'<a href="[^"]*choice=2"[^>]*title="https://staff.example/record/xe', page)


def test_an_entity_without_a_name_goes_by_the_end_of_its_id(named: Reviewer) -> None:
    page = named.page(f"/pair/{named.session.queue.number_of(left_id(NAMELESS))}")
    shown = f'<h1><bdi dir="auto" title="{left_id(NAMELESS)}">e{NAMELESS}</bdi></h1>'
    assert shown in page


def test_hostile_names_are_only_text(named: Reviewer) -> None:
    page = named.page(f"/pair/{named.session.queue.number_of(left_id(5))}")
    assert "<script>document" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "\\u202eevil" in unescape(page)
    assert HOSTILE not in page


def test_decisions_are_told_with_names(named: Reviewer) -> None:
    number = named.session.queue.number_of(left_id(1))
    assert number is not None
    answer = named.decide(number, "accept")
    page = named.page(answer.headers["location"])
    assert f"Accepted: {BOELL} , {BOELL} (staff)" in text_of(page)
    again = named.decide(number, "reject")
    assert (
        f"{BOELL} was decided meanwhile, in another tab perhaps (accepted: {BOELL} (staff), "
        in text_of(again.text)
    )
    other = named.session.queue.number_of(left_id(9))
    assert other is not None
    taken = named.decide(other, "accept", right=right_id(1))
    assert f"{BOELL} (staff) is already accepted for {BOELL}" in text_of(taken.text)


def test_aligning_again_keeps_all_names(named: Reviewer) -> None:
    run = named.session.run
    given: list[Graph] = []

    def align(left: Graph, right: Graph, **_: Any) -> Run:
        given.extend((left, right))
        return run

    nothing = run.cannot_links.clear()
    align_again(align, run, nothing, nothing, Progress())
    left, right = given
    assert (left.name, right.name) == ("People", "")
    assert right.source == "data/staff.nt.gz"
    assert left.entity_names[left_id(1)] == BOELL
    assert "was born in" in left.relation_names.values()
