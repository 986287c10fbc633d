"""The report in a real browser: opens offline, fits, and is fit to be seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import lighttea
from lighttea.example import example_file
from lighttea.report.page import write_report
from lighttea.run import Run
from tests.browser.test_review import SIGHTS, check_access


@pytest.fixture(scope="module")
def report(example_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = example_run.save(tmp_path_factory.mktemp("report") / "example")
    return write_report(example_run, folder, truth=lighttea.read_links(example_file("truth.tsv")))


@pytest.mark.parametrize("sight", SIGHTS)
def test_the_report_is_fit_to_be_seen(
    browser: Browser, report: Path, keep: Callable[[Page, str], None], sight: str
) -> None:
    scheme, width = SIGHTS[sight]
    size = {"width": width, "height": 1000}
    context = browser.new_context(viewport=size, color_scheme=scheme, offline=True)  # type: ignore[arg-type]
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text))
    page.on("request", lambda asked: complaints.append(asked.url) if "http" in asked.url else None)
    page.goto(report.as_uri())
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    keep(page, f"report-{sight}")
    if width > 1000:
        check_access(page)
    context.close()
    assert not complaints
