"""Run folders as an earlier version wrote them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lighttea.errors import LightteaWarning
from lighttea.results.run import Run
from lighttea.results.store import load_run


def forget_list(folder: Path) -> Path:
    """Return the folder without the list of its files, as 0.1 wrote it."""
    (folder / "files.json").unlink()
    record = folder / "run.json"
    info = json.loads(record.read_text(encoding="utf-8"))
    del info["files"]
    record.write_text(json.dumps(info), encoding="utf-8")
    return folder


def load_earlier(folder: Path) -> Run:
    """Return the run of a folder without a list, which is said."""
    with pytest.warns(LightteaWarning, match="an earlier lighttea wrote it, without files.json"):
        return load_run(folder)
