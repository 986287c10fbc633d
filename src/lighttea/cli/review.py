"""`lighttea review`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lighttea.cli.console import shown_progress, stderr, stdout
from lighttea.errors import EngineUnavailable, InputError

if TYPE_CHECKING:
    from lighttea.review.decisions import Decisions

INSTALL = 'pip install "lighttea[review]"'


def review(
    run: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
    export: Path | None = None,
    realign: Path | None = None,
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
    realign
        Align again with the decisions into this run folder instead of starting the app.
    """
    from lighttea.results.store import load_run

    if export is not None:
        _export(run, export)
    if realign is not None:
        _realign(run, realign)
    if export is not None or realign is not None:
        return
    missing = [name for name in ("fastapi", "uvicorn", "jinja2") if find_spec(name) is None]
    if missing:
        raise EngineUnavailable(f"the review app needs {', '.join(missing)}: {INSTALL}")
    from lighttea.review.server import serve

    loaded = load_run(run)
    stderr().print("preparing the queue ...", highlight=False)

    def tell(address: str) -> None:
        stdout().print(f"review: {address}\npress Ctrl-C to stop", soft_wrap=True, markup=False)

    serve(loaded, run, host=host, port=port, open_browser=browser, tell=tell)


def _export(run: Path, folder: Path) -> None:
    from lighttea.io.outputs import writing
    from lighttea.review.realign import write_decisions

    decisions = _decisions(run)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for written in write_decisions(folder, decisions):
            stdout().print(str(written), soft_wrap=True, markup=False)


def _realign(run: Path, out: Path) -> None:
    from lighttea.api import align
    from lighttea.cli.summary import print_summary
    from lighttea.results.store import load_run, run_folder, write_run
    from lighttea.review.again import align_again

    with run_folder(out) as unfinished, shown_progress() as progress:
        with progress.stage("load"):
            loaded, decided = load_run(run), _decisions(run).links()
        again = align_again(align, loaded, *decided, progress)
        with progress.stage("write"):
            write_run(again, unfinished)
    print_summary(stdout(), again, out)


def _decisions(run: Path) -> Decisions:
    """Return the decisions on a run; raise an error where there are none."""
    from lighttea.review.decisions import Decisions, decisions_file

    path = decisions_file(run)
    if not path.exists():
        raise InputError(f"{run}: nothing was decided yet; start with: lighttea review {run}")
    return Decisions(path)
