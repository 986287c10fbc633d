"""Finished experiments on disk, one file each, so that an interrupted bench can go on."""

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

_MARKS = ("experiments", "results.json")  # by which the folder of a bench is recognised


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
        """Return the store of an output folder, which is made where it is missing."""
        if out.is_dir() and any(out.iterdir()) and not any((out / x).exists() for x in _MARKS):
            raise InputError(
                f"{out}: the folder is not empty and holds no bench; choose another one"
            )
        folder = out / "experiments"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{out}: cannot write there: {error.strerror}") from None
        return cls(folder)

    def load(self, experiment: Experiment) -> Record | None:
        """Return what was measured before; None where there is nothing that can be read."""
        try:
            content = json.loads(self._path(experiment).read_text(encoding="utf-8"))
            record = Record(content["experiment"], content["result"], content["machine"])
            is_same = content["key"] == experiment.key
            is_whole = bool(record.result["per_run"][0]["rounds"])
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return None
        return record if is_same and is_whole else None

    def save(self, experiment: Experiment, result: dict[str, Any]) -> Record:
        """Write a result and return it with the machine that it was measured on."""
        record = Record(asdict(experiment), result, describe_machine())
        content = {"key": experiment.key, **asdict(record)}
        write_whole(self._path(experiment), json.dumps(content, indent=1) + "\n")
        return record

    def _path(self, experiment: Experiment) -> Path:
        return self.folder / f"{experiment.key[:24]}.json"


def describe_machine() -> dict[str, Any]:
    """Return what is known of the machine that this runs on."""
    import psutil

    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor_name(),
        "cores": available_threads(),
        "memory_gib": round(psutil.virtual_memory().total / (1 << 30), 1),
        "python": platform.python_version(),
    }


def _processor_name() -> str:
    """Return the name of the processor; Python itself does not know it on Linux."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())
