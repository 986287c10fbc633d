"""A real browser, the app on a real port, and screenshots kept in build/screenshots."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

import lighttea
from lighttea.io.frames import graph_of_frame
from lighttea.results.run import Run
from lighttea.review.app import build_app
from lighttea.review.guard import Guard
from lighttea.review.session import ReviewSession
from lighttea.web.sockets import listen
from tests.conftest import CANNOT
from tests.literal_worlds import literal_run
from tests.named_worlds import named_run
from tests.worlds import Fact

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless chromium; LIGHTTEA_CHROMIUM names one elsewhere."""
    path = os.environ.get("LIGHTTEA_CHROMIUM") or next(
        filter(None, map(shutil.which, _NAMES)), None
    )
    if path is None:
        pytest.skip(f"{CANNOT}THERE IS NO BROWSER: the review app is not tested; install chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


class Site:
    """The app in a thread of its own."""

    def __init__(self, run: Run, folder: Path) -> None:
        listening = listen("127.0.0.1", 0)
        self.guard = Guard("127.0.0.1", listening.getsockname()[1])
        self.session = ReviewSession(run, folder)
        settings = uvicorn.Config(
            build_app(self.session, self.guard), log_level="error", lifespan="off"
        )
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.02)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.guard.port}"

    def stop(self) -> None:
        self.session.realignment.stop()
        self._server.should_exit = True
        self._thread.join(timeout=10)


@pytest.fixture
def site(example_run: Run, tmp_path: Path) -> Iterator[Site]:
    made = Site(example_run, example_run.save(tmp_path / "example"))
    yield made
    made.stop()


LONG = "The_Right_Honourable_" + "Very_Long_Name_of_an_Entity_" * 8
HEBREW, ARABIC, CODE = "דוד בן־גוריון", "عمر الخيام", "<script>document.title='broken'</script>"
BUSY, PRIZE = "Busy_Country", "a_prize_with_a_long_name_" * 4


def odd_run() -> Run:
    """Long, right-to-left and dangerous names, and an entity with 3,000 facts."""
    odd = (LONG, HEBREW, ARABIC, CODE)
    facts: list[Fact] = []
    for number, name in enumerate((*odd, *(f"person {i}" for i in range(30)))):
        born = 1900 + 3 * number
        facts.append((name, "born in", f"town {number % 7}", str(born), str(born)))
        facts.append(
            (name, "מחזיק בתפקיד", f"office {number % 11}", str(born + 30), str(born + 40))
        )
        facts.append(
            (
                name,
                "won " + "a_prize_with_a_long_name_" * 4,
                f"prize {number % 3}",
                str(born + 35),
                None,
            )
        )
        facts.append((name, "lives in", BUSY, None, None))
    for i in range(3000):
        year, month, day = 1950 + i // 60, 1 + i % 12, 1 + i % 28
        time_text = f"{year}-{month:02d}-{day:02d}"
        facts.append((BUSY, f"event {i % 9}", f"place {i % 40}", time_text, time_text))
    frame = pl.DataFrame(facts, schema=["head", "relation", "tail", "begin", "end"], orient="row")
    frame = frame.cast(pl.String)
    right = frame.with_columns(pl.col("head", "relation", "tail") + "’").sample(
        fraction=0.9, seed=1
    )
    kept = set(right["head"]) | set(right["tail"])
    names = sorted({*frame["head"], *frame["tail"]} - {*odd, BUSY})
    seeds = [(name, f"{name}’") for name in names[::2] if f"{name}’" in kept]
    return lighttea.align(graph_of_frame(frame), graph_of_frame(right), seeds=seeds, preset="best")


@pytest.fixture(scope="session")
def odd_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    run = odd_run()
    made = Site(run, run.save(tmp_path_factory.mktemp("odd") / "odd"))
    yield made
    made.stop()


@pytest.fixture(scope="session")
def literal_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    run = literal_run()
    made = Site(run, run.save(tmp_path_factory.mktemp("people") / "people"))
    yield made
    made.stop()


@pytest.fixture(scope="session")
def named_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    run = named_run()
    made = Site(run, run.save(tmp_path_factory.mktemp("named") / "named"))
    yield made
    made.stop()


Opener = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Opener]:
    """A tab with the key; whatever the console complains of fails the test."""
    contexts = []
    complaints: list[str] = []

    def opened(site: Site, address: str = "/", *, scheme: str = "light", width: int = 1440) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 1000},
            color_scheme=scheme,  # type: ignore[arg-type]
        )
        contexts.append(context)
        context.set_default_timeout(30_000)  # a busy machine is slow, not wrong
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text)
                if said.type in ("error", "warning") and "409" not in said.text
                else None
            ),
        )
        page.goto(site.guard.address())
        if address != "/":
            page.goto(site.base + address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not complaints


@pytest.fixture
def keep(request: pytest.FixtureRequest) -> Callable[[Page, str], None]:
    """Keep a picture for people to look at."""

    def picture(page: Page, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(SCREENSHOTS / f"{name}.png"))

    return picture
