"""The pictures of README and docs, made from the bundled example in a headless chromium."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, sync_playwright

import lighttea
from lighttea.example import example_file
from lighttea.report.page import write_report
from lighttea.review.app import ReviewSession, build_app
from lighttea.review.guard import Guard
from lighttea.review.server import listen

IMAGES = Path(__file__).parent / "images"
SIZE = {"width": 1280, "height": 820}


def main() -> None:
    """Align, write the report, open the app, take both pictures."""
    left, right = (  # where the files lie says nothing
        replace(lighttea.read_graph(example_file(name)), source=name)
        for name in ("left.tsv", "right.csv")
    )
    seeds = lighttea.read_links(example_file("seeds.tsv"))
    run = lighttea.align(left, right, seeds=seeds)
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = run.save(Path(place) / "example")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        picture_of_report(browser, write_report(run, folder))
        picture_of_review(browser, ReviewSession(run, folder))
        browser.close()


def picture_of_report(browser: Browser, path: Path) -> None:
    """What went in, and what a chart says to the pointer."""
    page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-charts=drawn]", state="attached")
    page.locator("figure.plot.wide .mark-symbol path").nth(50).hover(force=True)
    page.locator("#vg-tooltip-element.visible").wait_for()
    page.screenshot(path=str(IMAGES / "report.png"))


def picture_of_review(browser: Browser, session: ReviewSession) -> None:
    """A candidate whose times contradict."""
    listening = listen("127.0.0.1", 0)
    guard = Guard("127.0.0.1", listening.getsockname()[1])
    server = uvicorn.Server(uvicorn.Config(build_app(session, guard), log_level="error"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
    page.goto(guard.address())
    number = session.queue.number_of("George_Porter")
    page.goto(f"http://127.0.0.1:{guard.port}/pair/{number}?choice=2")
    page.screenshot(path=str(IMAGES / "review.png"))
    server.should_exit = True
    thread.join()


if __name__ == "__main__":
    sys.exit(main())
