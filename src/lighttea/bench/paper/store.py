"""Finished experiments on disk, one file each, so that an interrupted bench goes on."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lighttea.bench.paper.experiments import Experiment
from lighttea.errors import InputError
from lighttea.io.files import write_whole
from lighttea.kernels.threads import available_threads
from lighttea.solve.memory import GIB

_OURS = ("experiments", "results.json")  # what a folder of ours holds


@dataclass(frozen=True)
class Record:
    """The raw result of an experiment, and where it was measured."""

    experiment: dict[str, Any]
    result: dict[str, Any]
    machine: dict[str, Any]


@dataclass(frozen=True)
class Store:
    """The folder `experiments` of an output folder; a file's name is its experiment's key."""

    folder: Path

    @classmethod
    def within(cls, out: Path) -> Store:
        """The store of an output folder, which is made where it is missing."""
        if out.is_dir() and any(out.iterdir()) and not any((out / x).exists() for x in _OURS):
            raise InputError(f"{out}: the folder is not empty and not a bench; choose another")
        folder = out / "experiments"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{out}: cannot write there: {error.strerror}") from None
        return cls(folder)

    def load(self, experiment: Experiment) -> Record | None:
        """What was measured before; None where there is nothing, or nothing that can be read."""
        try:
            content = json.loads(self._path(experiment).read_text(encoding="utf-8"))
            found = Record(content["experiment"], content["result"], content["machine"])
            whole = content["key"] == experiment.key and bool(found.result["per_run"][0]["rounds"])
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return None
        return found if whole else None

    def save(self, experiment: Experiment, result: dict[str, Any]) -> Record:
        """Write a result at once."""
        record = Record(asdict(experiment), result, machine())
        content = {"key": experiment.key, **asdict(record)}
        write_whole(self._path(experiment), json.dumps(content, indent=1) + "\n")
        return record

    def _path(self, experiment: Experiment) -> Path:
        return self.folder / f"{experiment.key[:24]}.json"


def machine() -> dict[str, Any]:
    """Where this runs."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": available_threads(),
        "memory_gib": _memory_gib(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())


def _memory_gib() -> float:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii", errors="replace")
        return round(int(text.partition("MemTotal:")[2].split()[0]) * 1024 / GIB, 1)
    except (OSError, IndexError, ValueError):
        return 0.0
