"""Names in the report: entities, relations, attributes and graphs, with their ids at hand."""

from __future__ import annotations

import re

import pytest

from lighttea.report.page import report_html
from tests.literal_worlds import literal_run
from tests.named_worlds import BOELL, left_id, named_run, right_id


@pytest.fixture(scope="module")
def page() -> str:
    return report_html(named_run())


def body(page: str) -> str:
    """The page without its scripts and styles."""
    return re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)


def test_graphs_go_by_their_names(page: str) -> None:
    assert re.search(r"<b><bdi[^>]*>People</bdi></b>: 60 entities", page)
    assert re.search(r"<b><bdi[^>]*>staff</bdi></b>: 60 entities", page)
    assert re.search(r"<bdi[^>]*>People</bdi></td><td[^>]*><bdi[^>]*>left</bdi></td>", page)
    assert '<th scope="col"><bdi>People</bdi></th><th scope="col"><bdi>staff</bdi></th>' in page
    assert re.search(r'aria-label="People, \d+: \d+ facts"', page)


def test_links_have_names_and_ids(page: str) -> None:
    heading = re.findall(r"<h3>(.*?)</h3>\n<p class=\"ids\">(.*?)</p>", page)
    assert len(heading) == 12
    named = {left_id(i): right_id(i) for i in range(60)}
    for names, ids in heading:
        left, right = re.findall(r'title="([^"]+)"', names)
        assert re.sub("<[^>]+>", "", ids) == f"{left} = {right}"
        assert named[left] == right


def test_facts_have_names_and_their_ids_as_titles(page: str) -> None:
    assert re.search(r'title="[→←] http://people.example/ontology#r[01]: http://people', page)
    assert 'bdi dir="auto">was born in</bdi>' in page or 'bdi dir="auto">works at</bdi>' in page


def test_what_stands_in_a_name_is_only_text(page: str) -> None:
    visible = body(page)
    assert "<script>document" not in visible
    assert "\x1b" not in visible
    assert "\u202e" not in visible
    assert BOELL in visible


def test_attributes_have_names_too() -> None:
    page = body(report_html(literal_run()))
    assert re.search(r'title="http://left.example/p#phone">phone</bdi> <small class="id">', page)
    assert page.count(": 67 entities") == 2
