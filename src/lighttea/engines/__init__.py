"""Where the work runs: the stages of a round call an engine and do not know what is behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lighttea.errors import ConfigError, EngineUnavailable

if TYPE_CHECKING:
    from lighttea.config import Config
    from lighttea.engines.base import Engine
    from lighttea.solve.problem import Problem

ENGINES = ("cpu", "gpu", "dask")


def checked_engine(name: str) -> str:
    """The engine's name, if there is such an engine."""
    if name not in ENGINES:
        raise ConfigError(f"there is no engine {name!r}; known: {', '.join(ENGINES)}")
    return name


def checked_cluster(engine: str, cluster: str | None) -> str | None:
    """The address of a cluster, if the engine has one."""
    if cluster is not None and engine != "dask":
        raise ConfigError(f"--cluster names a Dask scheduler; the engine {engine} has none")
    return cluster


def start_engine(
    name: str,
    problem: Problem,
    config: Config,
    compact: bool | None = None,
    cluster: str | None = None,
) -> Engine:
    """The engine of that name, ready for the problem. Its libraries are loaded only here.

    `compact` says how a run that goes on has held its labels so far; `cluster` is the address of
    a Dask scheduler. Where there is no GPU the CPU does the work, and that is said.
    """
    checked_engine(name)
    if name == "dask":
        from lighttea.engines.dask.engine import DaskEngine

        return DaskEngine.started(problem, config, compact, checked_cluster(name, cluster))
    found = _gpu_engine(problem, config) if name == "gpu" else None
    if found is not None:
        return found
    from lighttea.engines.cpu import CpuEngine

    return CpuEngine.planned(problem, config, compact)


def _gpu_engine(problem: Problem, config: Config) -> Engine | None:
    """The GPU engine; None, and a warning, where there is no GPU."""
    try:
        from lighttea.engines.gpu.engine import GpuEngine, find_gpu
    except ImportError as error:
        raise EngineUnavailable(
            "the GPU engine needs PyTorch, which is not installed: pip install 'lighttea[gpu]'"
        ) from error
    device, missing = find_gpu()
    if device is None:
        problem.progress.warn(f"{missing}; aligning on the CPU instead")
        return None
    return GpuEngine.planned(problem, config, device)
