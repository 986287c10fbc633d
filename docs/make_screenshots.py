"""The pictures of README and docs, made from the bundled example in a headless chromium."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, sync_playwright

import lighttea
from lighttea.example import example_file
from lighttea.report.page import report_html
from lighttea.results.run import Run
from lighttea.review.app import build_app
from lighttea.review.guard import Guard
from lighttea.review.session import ReviewSession
from lighttea.web.sockets import listen

IMAGES = Path(__file__).parent / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
COMMAND = "lighttea align left.tsv right.csv --seeds seeds.tsv --out runs/example"
SIZE = {"width": 1280, "height": 820}


def main() -> None:
    """Align, write the report, open the app, take both pictures."""
    run = align_example()
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, open_browser() as browser:
        folder = run.save(Path(place) / "example")
        run.info["command"] = COMMAND
        page = report_html(run, name="example", folder="runs/example")
        (Path(place) / "report.html").write_text(page, encoding="utf-8")
        picture_of_report(browser, Path(place) / "report.html")
        picture_of_review(browser, ReviewSession(run, folder))


def align_example() -> Run:
    """Return a run on the bundled example; where its files lie says nothing."""
    left, right = (
        replace(lighttea.read_graph(example_file(name)), source=name)
        for name in ("left.tsv", "right.csv")
    )
    return lighttea.align(left, right, seeds=lighttea.read_links(example_file("seeds.tsv")))


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Yield a headless chromium; LIGHTTEA_CHROMIUM names one elsewhere."""
    path = os.environ.get("LIGHTTEA_CHROMIUM") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def serve_app(session: ReviewSession) -> Iterator[Guard]:
    """Yield the guard of the review app while it runs in a thread of its own."""
    listening = listen("127.0.0.1", 0)
    guard = Guard("127.0.0.1", listening.getsockname()[1])
    config = uvicorn.Config(build_app(session, guard), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield guard
    finally:
        session.realignment.stop()
        server.should_exit = True
        thread.join()


def picture_of_report(browser: Browser, path: Path) -> None:
    """Take a picture of the first screen, and of what a chart says to the pointer."""
    page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
    page.goto(path.as_uri())
    page.locator("figure.plot [aria-label^='confidence 0.99 to 1']").first.hover()
    page.locator("#tip").wait_for()
    page.screenshot(path=str(IMAGES / "report.png"))


def picture_of_review(browser: Browser, session: ReviewSession) -> None:
    """Take a picture of a link, its facts on one time axis beside its runner-up."""
    with serve_app(session) as guard:
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.goto(guard.address())
        number = session.queue.number_of("George_Porter")
        page.goto(f"http://127.0.0.1:{guard.port}/pair/{number}")
        page.screenshot(path=str(IMAGES / "review.png"))


if __name__ == "__main__":
    sys.exit(main())
