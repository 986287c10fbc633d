"""Output for programs: results as JSON, on stdout or in a file."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from cyclopts import Parameter

from lighttea.errors import InputError
from lighttea.io.files import write_whole

JsonTarget: TypeAlias = Annotated[str | None, Parameter(allow_leading_hyphen=True)]


def write_json_result(where: str | None, content: dict[str, Any]) -> None:
    """Write a result as JSON: to stdout for `-`, to a file, or nowhere for None."""
    if where is None:
        return
    if where == "-":
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    from lighttea.io.outputs import writing

    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    path = Path(where).resolve()
    with writing(path):
        if path.exists() and not path.is_file():  # a pipe or a device is written, not replaced
            path.write_text(text, encoding="utf-8")
            return
        write_whole(path, text)


def refuse_unwritable(where: str | None) -> None:
    """Raise an error, before the work, where a result file cannot be written."""
    if where in (None, "-"):
        return
    path = Path(str(where))
    replaced = path.is_file() or not path.exists()  # a pipe or a device is written itself
    writable = os.access(path.resolve().parent if replaced else path, os.W_OK)
    if path.is_dir() or not path.parent.is_dir() or not writable:
        raise InputError(
            f"{path}: cannot write there; give a file name in an existing, writable folder"
        )
