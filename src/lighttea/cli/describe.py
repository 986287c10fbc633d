"""`lighttea describe`."""

from __future__ import annotations

import shlex
import sys
import tomllib
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lighttea.cli.console import say
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import command
from lighttea.errors import InputError


@command
def describe(
    files: list[Path],
    /,
    *,
    out: Path | None = None,
    overwrite: Annotated[bool, Parameter(negative="")] = False,
    json: JsonTarget = None,
) -> None:
    """Look at tables and draft a description of the graph in them.

    A description is a small TOML file that align and inspect read in place of a graph. It says
    which columns are ids, links, attributes and times, and why each was guessed. Check it before
    you use it.

    Parameters
    ----------
    files
        CSV, TSV, Parquet, xlsx, JSON, JSON lines, SQLite or DuckDB; several files make one graph.
    out
        Description to write, such as left.toml; by default it goes to stdout.
    overwrite
        Replace an existing description.
    json
        Write the description as JSON to this file, or to stdout with -.
    """
    from lighttea.io.descriptions.guess.write import describe_files
    from lighttea.io.files import write_whole
    from lighttea.io.outputs import writing

    refuse_unwritable(json)
    if out is None:
        text = describe_files(files, folder=Path())
        write_json_result(json, tomllib.loads(text))
        if json != "-":
            sys.stdout.write(text)
        return
    if out.exists() and not overwrite:
        raise InputError(f"{out}: the file exists; choose another name or use `--overwrite`")
    if out.is_dir() or not out.parent.is_dir():
        raise InputError(f"{out}: cannot write there; give a file name in an existing folder")
    text = describe_files(files, folder=out.parent, name=str(out))
    with writing(out):
        write_whole(out, text)
    write_json_result(json, tomllib.loads(text))
    if json != "-":
        say(f"description: {out}; check it with: lighttea inspect {shlex.quote(str(out))}")
