"""`lighttea describe`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lighttea.errors import InputError


def describe(
    files: list[Path],
    /,
    *,
    out: Path | None = None,
    overwrite: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Look at tables and write a first description of the graph in them.

    A description is a small TOML file that align and inspect take in place of a graph. It says
    which columns are ids, links, attributes and times; why each was guessed stands beside it. Check
    it before you use it.

    Parameters
    ----------
    files
        CSV, TSV, Parquet, xlsx, JSON, JSON lines, SQLite or DuckDB; several files make one graph.
    out
        Description to write, such as left.toml; without it, it goes to stdout.
    overwrite
        Replace an existing description.
    """
    from lighttea.io.descriptions.guess.write import describe_files
    from lighttea.io.files import write_whole
    from lighttea.io.outputs import writing

    if out is None:
        sys.stdout.write(describe_files(files, folder=Path()))
        return
    if out.exists() and not overwrite:
        raise InputError(f"{out}: exists already; choose another name or give --overwrite")
    if out.is_dir() or not out.parent.is_dir():
        raise InputError(f"{out}: cannot write there; the folder must exist, the name be a file")
    text = describe_files(files, folder=out.parent, name=str(out))
    with writing(out):
        write_whole(out, text)
