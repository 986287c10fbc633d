"""`lighttea review`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lighttea.cli.console import say, stdout, summary_console
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import command
from lighttea.cli.progress import shown_progress
from lighttea.errors import EngineUnavailable, InputError, LightteaWarning

if TYPE_CHECKING:
    from lighttea.review.decisions import Decisions

INSTALL = 'pip install "lighttea[review]"'


@command
def review(
    run: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
    export: Path | None = None,
    realign: Path | None = None,
    reviewer: str | None = None,
    restore: Annotated[bool, Parameter(negative="")] = False,
    pair: str | None = None,
    json: JsonTarget = None,
) -> None:
    """Decide on doubtful links in the browser; decisions are saved beside the run.

    Parameters
    ----------
    run
        Run folder.
    host
        Address to listen on; by default only this machine can connect.
    port
        Port to listen on; 0: any free one.
    browser
        Open the browser.
    export
        Write must-link.tsv and cannot-link.tsv into this folder instead of starting the app.
    realign
        Align again with the decisions into this run folder instead of starting the app.
    reviewer
        Name to keep with each decision; without it the page asks for one.
    restore
        Check the decisions and restore what is damaged or missing from their log and backup,
        instead of starting the app.
    pair
        In a run of several graphs: the two graphs to decide on, such as people-teams. Without it,
        --export writes the decisions on all of them.
    json
        Write the address of the app, or what was written instead, to this file, or to stdout with
        -.
    """
    from lighttea.cli.cluster_runs import export_all_decisions, pair_to_review
    from lighttea.results.cluster_store import is_cluster_run

    refuse_unwritable(json)
    done: dict[str, Any] = {}
    if is_cluster_run(run):
        if pair is None and export is not None:
            export_all_decisions(run, export)
            return
        run = pair_to_review(run, pair)
    elif pair is not None:
        raise InputError("--pair goes with runs of several graphs alone")
    if restore:
        done |= _restore(run, tell=json != "-")
    if export is not None:
        done |= _export(run, export, tell=json != "-")
    if realign is not None:
        done |= _realign(run, realign, tell=json != "-")
    if done:
        write_json_result(json, done)
        return

    def tell(address: str) -> None:
        write_json_result(json, {"address": address})
        if json != "-":
            stdout().print(f"review: {address}\npress Ctrl-C to stop", soft_wrap=True)

    _serve(run, host=host, port=port, open_browser=browser, reviewer=reviewer or "", tell=tell)


def _serve(run: Path, *, tell: Callable[[str], None], **options: Any) -> None:
    """Serve the app until it is interrupted; `tell` gets its address."""
    missing = [name for name in ("fastapi", "uvicorn", "jinja2") if find_spec(name) is None]
    if missing:
        raise EngineUnavailable(f"the review app needs {', '.join(missing)}: {INSTALL}")
    from lighttea.results.store import load_run
    from lighttea.review.server import serve

    with shown_progress() as progress, progress.stage("load"):
        loaded = load_run(run)
        progress.tell("Preparing the queue ...")
    serve(loaded, run, tell=tell, **options)


def _restore(run: Path, *, tell: bool) -> dict[str, Any]:
    """Check the decisions, which opening them restores, and return what there is now."""
    with warnings.catch_warnings(record=True) as restored:
        warnings.simplefilter("always", LightteaWarning)
        decisions = _decisions(run)
    notes = [str(warning.message) for warning in restored]
    must, cannot = decisions.links()
    if tell:
        state = "whole again" if notes else "whole"
        counts = f"{len(must):,} accepted, {len(cannot):,} rejected"
        for line in (*notes, f"the decisions are {state}: {counts}"):
            stdout().print(line, soft_wrap=True)
    return {"restored": notes, "accepted": len(must), "rejected": len(cannot)}


def _export(run: Path, folder: Path, *, tell: bool) -> dict[str, Any]:
    """Write the decisions as two tables, and return their paths."""
    from lighttea.io.outputs import writing
    from lighttea.review.realign import write_decisions

    decisions = _decisions(run)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        files = [str(path) for path in write_decisions(folder, decisions)]
    for path in files if tell else ():
        say(path)
    return {"files": files}


def _realign(run: Path, out: Path, *, tell: bool) -> dict[str, Any]:
    """Align again with the decisions, and return the new run's folder and number of links."""
    from lighttea.api import align
    from lighttea.cli.summary import print_summary
    from lighttea.results.place import run_folder
    from lighttea.results.store import load_run, write_run
    from lighttea.review.again import align_again
    from lighttea.review.decisions import keep_reviews

    with run_folder(out) as unfinished, shown_progress() as progress:
        with progress.stage("load"):
            loaded, decisions = load_run(run), _decisions(run)
            decided, reviews = decisions.links(), decisions.reviews()
        again = align_again(align, loaded, *decided, progress)
        with progress.stage("write"):
            write_run(again, unfinished)
    keep_reviews(out, reviews)
    if tell:
        print_summary(summary_console(), again, out)
    return {"run": str(out), "links": len(again.links)}


def _decisions(run: Path) -> Decisions:
    """Return the decisions on a run; raise an error where there are none."""
    from lighttea.review.decisions import Decisions, decisions_file
    from lighttea.review.restore import has_decisions

    path = decisions_file(run)
    if not has_decisions(path):
        raise InputError(f"{run}: no decisions yet; make some with: lighttea review {run}")
    return Decisions(path)
