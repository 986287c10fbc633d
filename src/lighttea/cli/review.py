"""`lighttea review`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from lighttea.cli.console import stdout
from lighttea.errors import EngineUnavailable, InputError

INSTALL = 'pip install "lighttea[review]"'


def review(
    run: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
    export: Path | None = None,
) -> None:
    """Decide on doubtful links in the browser; decisions are kept beside the run.

    Parameters
    ----------
    run
        Run folder.
    host
        Address to listen on; this machine alone unless told otherwise.
    port
        Port to listen on; 0 takes a free one.
    browser
        Open the browser.
    export
        Write must-link.tsv and cannot-link.tsv into this folder instead of starting the app.
    """
    from lighttea.io.runs import load_run

    if export is not None:
        _export(run, export)
        return
    missing = [name for name in ("fastapi", "uvicorn", "jinja2") if find_spec(name) is None]
    if missing:
        raise EngineUnavailable(f"the review app needs {', '.join(missing)}: {INSTALL}")
    from lighttea.review.server import serve

    loaded = load_run(run)
    Console(stderr=True).print("preparing the queue ...", highlight=False)

    def tell(address: str) -> None:
        stdout().print(f"review: {address}\npress Ctrl-C to stop", soft_wrap=True, markup=False)

    serve(loaded, run, host=host, port=port, open_browser=browser, tell=tell)


def _export(run: Path, folder: Path) -> None:
    from lighttea.io.outputs import writing
    from lighttea.review.decisions import Decisions, decisions_file
    from lighttea.review.realign import write_links

    path = decisions_file(run)
    if not path.exists():
        raise InputError(f"{run}: nothing was decided yet; start with: lighttea review {run}")
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for written in write_links(folder, Decisions(path)):
            stdout().print(str(written), soft_wrap=True, markup=False)
