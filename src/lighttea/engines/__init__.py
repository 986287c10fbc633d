"""Hardware behind one seam: given functions and blocks of arrays, runs them, keeps the results."""

from __future__ import annotations

from typing import get_args

from lighttea.config import EngineName, check_choice
from lighttea.errors import ConfigError

ENGINES: tuple[EngineName, ...] = get_args(EngineName)


def check_engine(name: EngineName) -> EngineName:
    """Return the engine's name, if there is such an engine."""
    check_choice("engine", name, ENGINES)
    return name


def check_scheduler(engine: EngineName, scheduler: str | None) -> str | None:
    """Return the address of a Dask scheduler, if the engine uses one."""
    if scheduler is not None and engine != "dask":
        raise ConfigError(f"`scheduler` needs the engine dask; the engine is {engine}")
    return scheduler
