"""Names that mean harm, on every page and in every view of a notebook: text, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser, Page

import lighttea
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frames
from lighttea.report.page import write_report
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from tests.browser.conftest import Site
from tests.worlds import Fact, fact_frame

pytestmark = pytest.mark.slow
HARM = (
    "<script>broken=1</script>",
    '"><img src=x onerror=broken=1>',
    "'><svg onload=broken=1>",
    "</script><script>broken=1</script>",
    "</textarea></title></style><img src=x onerror=broken=1>",
    "javascript:broken=1",
    "{{ 7*7 }}{% raise %}${7*7}",
    "<!--",
    "]]><iframe srcdoc='<script>parent.broken=1</script>'>",
    "&lt;script&gt;broken=1&lt;/script&gt;",
    "\x1b[31m\x9b\x07\u202eturned\u2066",
    "<a href=javascript:broken=1 autofocus onfocus=broken=1>",
)
N = 60
HIDDEN = (
    "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066\\u2067]"
)
INTRUDERS = "img[src=x], svg[onload], iframe, [onerror], [onfocus], a[href^=javascript]"
PAGES = ("/", "/pair/0", "/pair/1", "/many?by=threshold&low=0&high=1", "/realign", "/?q=<script>")


def harmful(number: int) -> str:
    return HARM[number % len(HARM)]


def person(side: str, number: int) -> str:
    return f"{side}{number % N} {harmful(number % N)}"


def graph(side: str) -> Graph:
    """People, relations, attributes and texts, all of them hostile."""
    facts: list[Fact] = []
    literals = []
    for i in range(N):
        own, year = person(side, i), str(1950 + i)
        facts.append((own, f"{harmful(3)} {side}", person(side, i + 3), year, year))
        facts.append((own, f"{harmful(i % 4)} knows", person(side, 7 * i + 3), year, None))
        literals.append((own, f"name {harmful(1)}", f"Person {i} {harmful(i + 1)}"))
        literals.append((own, f"about {harmful(4)}", harmful(i + 2)))
    columns = ["entity", "attribute", "value"]
    table = pl.DataFrame(literals, schema=dict.fromkeys(columns, pl.String), orient="row")
    full = pl.concat([empty_table("attributes_left"), table], how="diagonal")
    made = graph_of_frames(fact_frame(*facts), full)
    return replace(made, name=f"graph {harmful(0)} {side}")


@lru_cache
def hostile_run() -> Run:
    left, right = graph("l"), graph("r")
    seeds = [(person("l", i), person("r", i)) for i in range(0, N, 2)]
    return lighttea.align(left, right, seeds=seeds, dim=32, min_confidence=0.0, threads=1)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab that notices what runs, opens or is asked for elsewhere."""
    context = browser.new_context()
    tab = context.new_page()
    trouble: list[str] = []
    tab.on("dialog", lambda dialog: trouble.append(dialog.message))
    tab.on("pageerror", lambda error: trouble.append(str(error)))
    tab.on("popup", lambda popup: trouble.append(popup.url))
    yield tab
    context.close()
    assert not trouble


def check(tab: Page, *, has_names: bool = True) -> None:
    """Nothing ran, nothing came in beside the text, and nothing hidden is in the text."""
    assert tab.evaluate("typeof broken") == "undefined"
    assert tab.locator(INTRUDERS).count() == 0
    text = "document.body.innerText + document.title"
    assert tab.evaluate(f"({text}).match(/{HIDDEN}/g)") is None
    assert "broken=1" in tab.evaluate(text) or not has_names


def test_pages_of_the_review(tmp_path: Path, page: Page) -> None:
    run = hostile_run()
    site = Site(run, run.save(tmp_path / "run"))
    try:
        site.session.decisions.set_note(str(site.session.queue.frame["left"][0]), HARM[4])
        page.goto(site.guard.address())
        for address in PAGES:
            page.goto(site.base + address)
            check(page, has_names=address != "/realign")
    finally:
        site.stop()


def test_the_report(tmp_path: Path, page: Page) -> None:
    run = hostile_run()
    page.goto(write_report(run, run.save(tmp_path / "run")).as_uri())
    check(page)
    page.locator("figure.plot [aria-label]").last.dispatch_event("pointerover", {"bubbles": True})
    check(page)  # a box tells what the mark is


def test_views_of_a_notebook(tmp_path: Path, page: Page) -> None:
    """Put into a page without any policy, where a script that came through would run."""
    run = hostile_run()
    left = str(run.links["left"][0])
    objects = (run, graph("l"), run.explain(left), run.evaluate(run.links.select("left", "right")))
    shown = "".join(one._repr_html_() for one in objects)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{shown}", encoding="utf-8")
    page.goto(path.as_uri())
    check(page)
