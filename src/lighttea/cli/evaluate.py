"""`lighttea evaluate`."""

from __future__ import annotations

from pathlib import Path

from lighttea.cli.cluster_runs import evaluate_cluster_run
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
        True links: a table with columns left and right, or two columns; of a run of several
        graphs also cluster, graph and entity. - reads stdin.
    json
        Write the figures to this file, or to stdout with -.
    """
    from lighttea.cli.summary import print_evaluation
    from lighttea.io.tables import read_links
    from lighttea.results.cluster_store import is_cluster_run
    from lighttea.results.store import load_run

    refuse_unwritable(json)
    if is_cluster_run(run):
        evaluate_cluster_run(run, truth, json)
        return
    with reading_stdin([("--truth", truth)]) as streams:
        evaluation = load_run(run).evaluate(read_links(streams.path(truth)))
    write_json_result(json, evaluation.to_dict())
    if json != "-":
        print_evaluation(stdout(), evaluation)
