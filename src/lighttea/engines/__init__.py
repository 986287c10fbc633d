"""Where the work runs. The stages of a round call an engine and do not know what is behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lighttea.errors import ConfigError

if TYPE_CHECKING:
    from lighttea.config import Config
    from lighttea.engines.base import Engine
    from lighttea.job import Job

ENGINES = ("cpu",)


def checked_engine(name: str) -> str:
    """The engine's name, if there is such an engine."""
    if name not in ENGINES:
        raise ConfigError(f"there is no engine {name!r}; known: {', '.join(ENGINES)}")
    return name


def start_engine(name: str, job: Job, config: Config, compact: bool | None = None) -> Engine:
    """The engine of that name, ready for the job. Its libraries are loaded only here.

    `compact` says how a run that goes on has held its labels so far.
    """
    checked_engine(name)
    from lighttea.engines.cpu import CpuEngine

    return CpuEngine.planned(job, config, compact)
