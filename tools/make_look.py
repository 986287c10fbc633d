"""Take a picture of every page: `make look` leaves them in build/look for people to look at.

Each page of the report and of the review app is taken light and dark, wide and narrow, for the
worlds of `look_worlds.py`; files are named PAGE-WORLD-SCHEME-WIDTH.png. Beside them stand the
pictures of the terminal, and an index.html that shows all.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Browser, Page

from lighttea.report.page import report_html
from lighttea.results.run import Run
from lighttea.review.session import ReviewSession
from look_worlds import World, all_worlds

DOCS = Path(__file__).parent.parent / "docs"
SCHEMES = ("light", "dark")
WIDTHS = (1440, 390)
REPORT_PAGES = ("report", "unfolded")
REVIEW_PAGES = ("queue", "filtered", "pair", "candidate", "threshold", "realign", "message")
_HEIGHT = 1000
_TALLEST = 16_000  # pixels; chromium draws no more
_PATIENCE_MS = 60_000  # a busy machine is slow
_STYLE = """
body { margin: 1rem; font: 15px/1.4 system-ui, sans-serif; color-scheme: light dark; }
.row { display: flex; flex-wrap: wrap; gap: 1rem; align-items: start; }
figure { margin: 0; } img { border: 1px solid gray; max-height: 34rem; max-width: 100%; }
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Take all pictures that the command line asks for; return 0."""
    worlds = all_worlds()
    asked = _read_arguments(arguments, worlds)
    folder: Path = asked.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    _remove_pictures(folder)
    with docs_module("make_screenshots").open_browser() as browser:
        for name in asked.world or worlds:
            if not (asked.quick and worlds[name].is_large):
                take_world(browser, name, worlds[name], folder)
    docs_module("make_terminal_pictures").main(folder)
    (folder / "index.html").write_text(make_index(folder), encoding="utf-8")
    sys.stdout.write(f"{len(list(folder.glob('*.png'))):,} pictures: {folder / 'index.html'}\n")
    return 0


def _read_arguments(
    arguments: Sequence[str] | None, worlds: dict[str, World]
) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A picture of every page.")
    parser.add_argument("folder", type=Path, help="where the pictures go; older ones are removed")
    parser.add_argument("--quick", action="store_true", help="without the run of 50,000 links")
    parser.add_argument("--world", action="append", choices=list(worlds), help="this world alone")
    return parser.parse_args(arguments)


def _remove_pictures(folder: Path) -> None:
    for path in (*folder.glob("*-*.png"), *folder.glob("terminal-*.svg")):
        path.unlink()


def docs_module(name: str) -> Any:
    """Return a module of docs/, whose scripts make the pictures of the documentation."""
    if str(DOCS) not in sys.path:
        sys.path.append(str(DOCS))
    return importlib.import_module(name)


def take_world(browser: Browser, name: str, world: World, folder: Path) -> None:
    """Make a run and take the pictures of its report and of its review app."""
    run = world.make_run() if world.make_run else docs_module("make_screenshots").align_example()
    with tempfile.TemporaryDirectory() as place:
        run_folder = run.save(Path(place) / name)
        run.info["command"] = f"lighttea align left.tsv right.csv --out runs/{name}"
        report = Path(place) / "report.html"
        html = report_html(run, name=name, folder=f"runs/{name}")
        report.write_text(html, encoding="utf-8")
        session = ReviewSession(run, run_folder)
        with docs_module("make_screenshots").serve_app(session) as guard:
            site = f"http://127.0.0.1:{guard.port}"
            review = {page: site + path for page, path in review_paths(session, world).items()}
            addresses = dict.fromkeys(REPORT_PAGES, report.as_uri()) | review
            for scheme in SCHEMES:
                for width in WIDTHS:
                    with open_tab(browser, guard.address(), scheme, width) as tab:
                        for page, address in addresses.items():
                            path = folder / f"{page}-{name}-{scheme}-{width}.png"
                            take_page(tab, address, path, unfolds=page == "unfolded")


def review_paths(session: ReviewSession, world: World) -> dict[str, str]:
    """Return the address of each page of the review app."""
    number = session.queue.number_of(world.shown) if world.shown else 0
    text = quote(_shown_name(session.run, world))
    paths = (
        "/",
        f"/?state=all&kind=links&order=-confidence&low=0.1&search={text}",
        f"/pair/{number}",
        f"/pair/{number}?choice=2",
        "/many?by=threshold&verdict=accept&low=0.9",
        "/realign",
        "/no-such-page",
    )
    return dict(zip(REVIEW_PAGES, paths, strict=True))


def _shown_name(run: Run, world: World) -> str:
    """Return the first letters of an entity's name, for a search with several results."""
    return (world.shown or str(run.links["left"][0]))[:1]


@contextmanager
def open_tab(browser: Browser, address: str, scheme: str, width: int) -> Iterator[Page]:
    """Yield a tab that has the key to the review app."""
    context = browser.new_context(
        viewport={"width": width, "height": _HEIGHT},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    context.set_default_timeout(_PATIENCE_MS)
    tab = context.new_page()
    tab.goto(address)
    yield tab
    context.close()


def take_page(tab: Page, address: str, path: Path, *, unfolds: bool) -> None:
    """Take a picture of a whole page, cut where chromium draws no more."""
    tab.goto(address)
    if unfolds:
        tab.evaluate("document.querySelectorAll('details').forEach((part) => part.open = true)")
    width, height = tab.evaluate("[innerWidth, document.documentElement.scrollHeight]")
    # a window as tall as the page, so that what sticks to its edge hides nothing
    tab.set_viewport_size({"width": width, "height": min(height, _TALLEST)})
    tab.screenshot(path=str(path))
    tab.set_viewport_size({"width": width, "height": _HEIGHT})


def make_index(folder: Path) -> str:
    """Return a page that shows all pictures, a row for each page of each world."""
    rows: dict[str, list[str]] = {"terminal": [p.name for p in sorted(folder.glob("*.svg"))]}
    for path in sorted(folder.glob("*-*.png")):
        rows.setdefault(" of ".join(path.stem.split("-")[:2]), []).append(path.name)
    parts = [
        f'<h2>{escape(title)}</h2>\n<div class="row">\n{"".join(map(_figure, names))}</div>\n'
        for title, names in rows.items()
    ]
    head = f'<!doctype html><meta charset="utf-8"><title>All pages</title><style>{_STYLE}</style>'
    return f"{head}\n<h1>All pages</h1>\n{''.join(parts)}"


def _figure(name: str) -> str:
    address, words = quote(name), escape(name)
    image = f'<img src="{address}" alt="{words}" loading="lazy">'
    return f'<figure><a href="{address}">{image}</a><figcaption>{words}</figcaption></figure>\n'


if __name__ == "__main__":
    sys.exit(main())
