"""`lighttea check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lighttea.cli.console import print_table, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import command
from lighttea.errors import LightteaError

if TYPE_CHECKING:
    from lighttea.results.check import RunCheck


class DamagedRun(LightteaError):  # noqa: N818 - reads as a state, as users meet it
    """A run that was checked is not whole."""


@command
def check(run: Path, *, json: JsonTarget = None) -> None:
    """Check whether a run folder is whole: every file against its size, digest, columns and rows.

    Exit code 0: it is; 1: something is damaged or missing; 2: it is not a run folder.

    Parameters
    ----------
    run
        Run folder.
    json
        Write the state of every file to this file, or to stdout with -.
    """
    from lighttea.results.check import check_run

    refuse_unwritable(json)
    checked = check_run(run)
    write_json_result(json, checked.to_dict())
    if json != "-":
        _print(checked)
    if checked.problems:
        raise DamagedRun("\n".join(checked.problems))


def _print(checked: RunCheck) -> None:
    """Print a line for each file, and whether the run is whole."""
    rows = [
        (file.name, file.state, _count(file.bytes), _count(file.rows)) for file in checked.files
    ]
    console = stdout()
    print_table(console, str(checked.folder), ("file", "state", "bytes", "rows"), rows)
    for note in checked.notes:
        console.print(f"note: {note}", soft_wrap=True, markup=False)
    if checked.is_whole:
        console.print("the run is whole", markup=False)


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
