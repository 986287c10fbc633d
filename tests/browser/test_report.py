"""The report in a real browser: opens offline and soon, draws its charts, and is fit to be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import lighttea
from lighttea.cli import run_command
from lighttea.example import example_file
from lighttea.report.page import write_report
from lighttea.results.run import Run
from tests.browser.test_review import SIGHTS, check_access
from tests.literal_worlds import literal_run
from tests.report.test_report import copies

pytestmark = pytest.mark.slow

BROKEN_WORDS = """() => {
  const broken = [];
  const range = document.createRange();
  for (const cell of document.querySelectorAll("td:not(.unbroken) bdi, th bdi")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map((box) => box.top));
        if (lines.size > 1) broken.push(word[0]);
      }
    }
  }
  return broken;
}"""
Opener = Callable[..., Page]
Keep = Callable[[Page, str], None]
TIP = "#tip"


@pytest.fixture(scope="module")
def report(example_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = example_run.save(tmp_path_factory.mktemp("report") / "example")
    return write_report(example_run, folder, truth=lighttea.read_links(example_file("truth.tsv")))


@pytest.fixture(scope="module")
def literal_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = literal_run()
    return write_report(run, run.save(tmp_path_factory.mktemp("report") / "people"))


@pytest.fixture
def offline(browser: Browser) -> Iterator[Opener]:
    """A tab without a network; what the console says or the page asks for fails the test."""
    contexts = []
    complaints: list[str] = []

    def opened(
        path: Path, *, scheme: str = "light", width: int = 1440, scripts: bool = True
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 1000},
            color_scheme=scheme,  # type: ignore[arg-type]
            java_script_enabled=scripts,
            offline=True,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: complaints.append(asked.url) if _far(asked.url) else None)
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not complaints


def _far(address: str) -> bool:
    """Whether a request leaves the file."""
    return not address.startswith(("file:", "data:"))


def colour_of_a_bar(page: Page) -> str:
    bar = page.locator("figure.plot .mark-rect.role-mark path").first
    return str(bar.evaluate("element => getComputedStyle(element).fill"))


@pytest.mark.parametrize("sight", SIGHTS)
def test_the_report_is_fit_to_be_seen(
    offline: Opener, report: Path, keep: Callable[[Page, str], None], sight: str
) -> None:
    scheme, width = SIGHTS[sight]
    page = offline(report, scheme=scheme, width=width)
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    keep(page, f"report-{sight}")
    if width > 1000:
        check_access(page)


def test_charts_answer_to_the_pointer(
    offline: Opener, report: Path, keep: Callable[[Page, str], None]
) -> None:
    page = offline(report)
    expect(page.locator(TIP)).to_be_hidden()
    mark = page.locator("figure.plot [aria-label^='confidence 0.99 to 1']").first
    mark.hover()
    expect(page.locator(TIP)).to_have_text(str(mark.get_attribute("aria-label")))
    expect(page.locator(TIP)).to_contain_text(" links")
    keep(page, "report-tooltip")
    page.locator("h2").first.hover()
    expect(page.locator(TIP)).to_be_hidden()


def test_charts_follow_the_theme(offline: Opener, report: Path) -> None:
    page = offline(report, scheme="light")
    light = colour_of_a_bar(page)
    page.emulate_media(color_scheme="dark")
    assert colour_of_a_bar(page) not in (light, "none", "rgb(0, 0, 0)")


def test_without_scripts_the_pictures_stay(offline: Opener, report: Path) -> None:
    page = offline(report, scripts=False)
    pictures = page.locator("figure.plot .chart > svg")
    shown = [one for one in pictures.all() if one.is_visible()]
    assert len(shown) == 6
    assert all(one.bounding_box()["height"] > 100 for one in shown)  # type: ignore[index]


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_the_first_screen_holds_figures_and_advice(
    offline: Opener, report: Path, width: int, height: int
) -> None:
    page = offline(report, width=width)
    for part in (".about", ".figures", ".advice"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height, part


def test_no_word_of_a_table_is_broken_between_letters(offline: Opener, report: Path) -> None:
    """Each piece between two chances to break stands on one line."""
    page = offline(report, width=390)
    broken = page.evaluate(BROKEN_WORDS)
    assert broken == []


def test_it_prints_dark_on_white_with_everything_unfolded(offline: Opener, report: Path) -> None:
    page = offline(report, scheme="dark")
    page.emulate_media(media="print")
    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    expect(page.locator("nav")).to_be_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0


def test_the_report_of_the_demo_opens_offline(
    offline: Opener, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "demo"
    assert run_command(["demo", "--out", str(out)]) == 0
    assert str(out / "report.html") in capsys.readouterr().out.replace("\n", "")
    page = offline(out / "report.html")
    expect(page.locator("h1")).to_have_text("Alignment report: demo")


def test_fifty_thousand_links_are_no_larger_a_page(
    offline: Opener, example_run: Run, report: Path, tmp_path: Path
) -> None:
    """How long it takes to open stands in docs/explain.md; it is soon, as it holds so little."""
    large = copies(example_run, 1 + 50_000 // len(example_run.links))
    path = write_report(large, tmp_path)
    assert path.stat().st_size < 1_000_000
    few, many = (offline(page).locator("body *").count() for page in (report, path))
    assert 0 < many < 1.5 * few


@pytest.mark.parametrize("sight", ["wide-light", "wide-dark", "narrow-light"])
def test_literals_are_fit_to_be_seen(
    literal_report: Path, offline: Opener, keep: Keep, sight: str
) -> None:
    scheme, width = SIGHTS[sight]
    page = offline(literal_report, scheme=scheme, width=width)
    page.locator("#literals").scroll_into_view_if_needed()
    expect(page.locator("#literals")).to_contain_text("displayName")
    keep(page, f"report-literals-{sight}")
    page.locator(".scroll.literals").first.scroll_into_view_if_needed()
    keep(page, f"report-link-literals-{sight}")
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    if width > 1000:
        check_access(page)
