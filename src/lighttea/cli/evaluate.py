"""`lighttea evaluate`."""

from __future__ import annotations

from pathlib import Path

from lighttea.cli.console import stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import command
from lighttea.cli.streams import reading_stdin


@command
def evaluate(run: Path, *, truth: Path, json: JsonTarget = None) -> None:
    """Compare a run with the truth: ranks of the true links, precision and recall.

    Parameters
    ----------
    run
        Run folder.
    truth
        True links: a table with columns left and right, or two columns; - reads stdin.
    json
        Write the figures to this file, or to stdout with -.
    """
    from lighttea.cli.summary import print_evaluation
    from lighttea.io.tables import read_links
    from lighttea.results.store import load_run

    refuse_unwritable(json)
    with reading_stdin([("--truth", truth)]) as streams:
        evaluation = load_run(run).evaluate(read_links(streams.path(truth)))
    write_json_result(json, evaluation.to_dict())
    if json != "-":
        print_evaluation(stdout(), evaluation)
