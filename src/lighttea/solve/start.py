"""Starts an engine for a problem: blocks that keep within the memory allowed, said beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lighttea.config import Config, EngineName
from lighttea.engines import check_engine, check_scheduler
from lighttea.engines.base import Engine
from lighttea.engines.layout import Cuts, Layout
from lighttea.errors import ConfigError, EngineUnavailable
from lighttea.kernels.ahead import compile_ahead
from lighttea.kernels.compiled import bytes_of_loops_to_come
from lighttea.kernels.process import resident_bytes
from lighttea.kernels.rows import BLOCK_ROWS
from lighttea.progress import Progress
from lighttea.similarity.search import is_approximate
from lighttea.solve.memory import GIB, MemoryModel, allowance, written_bytes
from lighttea.solve.problem import Problem, Sizes
from lighttea.solve.workspace import Workspace
from lighttea.types import Array, NumpyArray

if TYPE_CHECKING:
    from lighttea.engines.gpu.engine import GpuEngine

_CHOICES = (  # labels in eight bits, left rows and right rows of a search block
    (False, 4096, 2048),
    (False, 512, 2048),
    (True, 4096, 2048),
    (True, 256, 2048),
)
_FACT_BYTES = 17  # of a fact in one direction, as a scheduler holds it for its workers


def open_workspace(
    engine: EngineName,
    problem: Problem,
    config: Config,
    *,
    compact: bool | None = None,
    scheduler: str | None = None,
) -> Workspace[Array]:
    """Return the engine of that name, ready for the problem. Its libraries are loaded only here.

    `compact` says how a resumed run has held its labels so far; `scheduler` is the address of a
    Dask scheduler. Where there is no GPU the CPU does the work, with a warning.
    """
    check_scheduler(check_engine(engine), scheduler)
    starts = {"cpu": _start_cpu, "gpu": _start_gpu, "dask": _start_dask}
    started = cast("Engine[Array]", starts[engine](problem, config, compact, scheduler))
    work = Workspace(started, problem)
    work.prepare(config)
    return work


# ------------------------------------------------------------------------------------- CPU


@dataclass(frozen=True)
class CpuPlan:
    """How many rows are searched at a time, how labels are held, and the memory to expect.

    The number of rows changes no result; rounding labels changes scores by about .001.
    """

    compact: bool
    left_rows: int
    right_rows: int
    peak: int  # bytes expected at most
    is_short: bool = False  # memory decided that labels take eight bits

    def announce(self, progress: Progress) -> None:
        """Tell what memory to expect, and when labels have to be rounded to stay within it."""
        progress.planned(self.peak)
        if self.is_short:
            progress.warn(
                "little memory: labels are rounded to eight bits, and a few links may differ from "
                "those of a run with more; raise `max_memory` or free some memory"
            )


def plan_cpu(sizes: Sizes, config: Config, *, compact: bool | None = None) -> CpuPlan:
    """Return the largest blocks whose peak stays within the allowance; an error where none does.

    `compact` says how a resumed run has held its labels so far.
    """
    held = resident_bytes() + bytes_of_loops_to_come()
    allowed = allowance(config.max_memory, held)
    is_many = is_approximate(config.search, sizes.n_left, sizes.n_right)
    for is_compact, left_rows, right_rows in _CHOICES:
        if is_many and not is_compact:
            continue  # eight bits are faster too where rows come from memory one by one
        if compact is not None and is_compact != compact:
            continue
        stages = MemoryModel(sizes, config, is_compact).stages(left_rows, right_rows)
        peak = held + max(stages.values())
        if peak <= allowed:
            return CpuPlan(is_compact, left_rows, right_rows, peak, is_compact and not is_many)
    raise ConfigError(
        f"the run needs about {peak / GIB:.2f} GiB of memory and may use {allowed / GIB:.2f} GiB; "
        f"lower `dim` ({config.dim}), `sketch_factor` ({config.sketch_factor}) or `top_k` "
        f"({config.top_k}), or raise `max_memory`; the program and the graphs alone take "
        f"{held / GIB:.2f} GiB"
    )


def _start_cpu(
    problem: Problem, config: Config, compact: bool | None, scheduler: str | None
) -> Engine[NumpyArray]:
    plan = plan_cpu(problem.sizes, config, compact=compact)
    plan.announce(problem.progress)
    if config.consensus:
        with problem.progress.watching_compiler():
            compile_ahead()
    return cpu_engine(problem, config, plan)


def cpu_engine(problem: Problem, config: Config, plan: CpuPlan | None = None) -> Engine[NumpyArray]:
    """Return the CPU engine for a problem, with the first choice of blocks unless told."""
    from lighttea.engines.cpu.ops import NumpyOps
    from lighttea.engines.local import LocalEngine

    plan = plan or CpuPlan(*_CHOICES[0], peak=0)
    layout = whole_layout(problem.sizes, config.dim, BLOCK_ROWS)
    ops = NumpyOps(plan.left_rows, plan.right_rows)
    return LocalEngine("cpu", ops, layout, compact=plan.compact, is_exact=False)


def whole_layout(sizes: Sizes, dim: int, piece: int) -> Layout:
    """Return one block of everything."""
    return Layout.whole(sizes.n_left, sizes.n_right, sizes.n_nodes, dim, piece)


# ------------------------------------------------------------------------------------- GPU


def _start_gpu(
    problem: Problem, config: Config, compact: bool | None, scheduler: str | None
) -> GpuEngine | Engine[NumpyArray]:
    try:
        from lighttea.engines.gpu.engine import find_gpu
    except ImportError as error:
        raise EngineUnavailable(
            "the GPU engine needs PyTorch, which is not installed: pip install 'lighttea[gpu]'"
        ) from error
    device, missing = find_gpu()
    if device is None:
        problem.progress.warn(f"{missing}; aligning on the CPU instead")
        return _start_cpu(problem, config, compact, scheduler)
    return plan_gpu(problem, config, device)


def plan_gpu(problem: Problem, config: Config, device: str = "cuda") -> GpuEngine:
    """Return the GPU engine where the device has room for the run, which is said beforehand."""
    engine = gpu_engine(problem, config, device)
    needed = MemoryModel(problem.sizes, config).on_device()
    free = engine.free_bytes()
    if engine.is_gpu and needed > free:
        raise ConfigError(
            f"the run needs about {needed / GIB:.1f} GiB of GPU memory, {free / GIB:.1f} GiB are "
            f"free; lower `dim` ({config.dim}), `sketch_factor` ({config.sketch_factor}) or "
            f"`top_k` ({config.top_k}), or use `engine='cpu'`"
        )
    problem.progress.planned(resident_bytes() + written_bytes(len(problem.left)))
    if engine.slow_because:
        problem.progress.warn(
            "kernels for the GPU could not be compiled, so this run takes two to four times as "
            f"long; Triton says: {engine.slow_because}"
        )
    if engine.is_gpu:
        problem.progress.tell(
            f"expected GPU memory: {needed / GIB:.1f} of {free / GIB:.1f} GiB free"
        )
    return engine


def gpu_engine(problem: Problem, config: Config, device: str = "cuda") -> GpuEngine:
    """Return the GPU engine for a problem, on a device by torch's name."""
    from lighttea.engines.gpu.engine import GpuEngine

    sizes = problem.sizes
    piece = max(1, sizes.n_left, sizes.n_right)  # the device cuts by its own memory
    return GpuEngine(whole_layout(sizes, config.dim, piece), device)


# ------------------------------------------------------------------------------------ Dask

_SHARE = 6  # a block takes at most one part in so many of a worker's memory
_LEFT, _RIGHT = 2, 1  # blocks of a side that each worker gets at least
_LEFT_BYTES = 512 << 20  # of a left block with its candidates
_PASSING_BYTES = 128 << 20  # of a block that passes from worker to worker
_PIECE_BYTES = 16 << 20  # of a slice of the last hop
_LIBRARIES = 270 << 20  # of a worker that has done nothing yet
_MANY = 128  # blocks, from which on they grow instead: tasks are their product


def _start_dask(
    problem: Problem, config: Config, compact: bool | None, scheduler: str | None
) -> Engine[NumpyArray]:
    from lighttea.engines.dask.connection import Connection
    from lighttea.engines.dask.engine import DaskEngine

    sizes, progress = problem.sizes, problem.progress
    if compact is None:  # as one machine holds them: rows come from memory one by one
        compact = is_approximate(config.search, sizes.n_left, sizes.n_right)
    connection = Connection.open(scheduler, config.threads, allowance(config.max_memory, 0))
    try:
        model = MemoryModel(sizes, config, compact)
        layout = dask_layout(model, connection.n_workers, connection.memory)
        each = worker_bytes(model, connection.n_workers)
        held = _FACT_BYTES * sizes.n_facts + written_bytes(sizes.n_left)
        progress.planned(resident_bytes() + held)
        progress.tell(
            f"Dask workers: {connection.n_workers}, expected to hold about {each / GIB:.1f} GiB "
            f"each of {connection.memory / GIB:.1f} GiB; dashboard: {connection.dashboard}"
        )
        return DaskEngine(connection, layout, compact=compact)
    except BaseException:
        connection.close()
        raise


def worker_bytes(model: MemoryModel, n_workers: int) -> int:
    """Return about what a worker holds at most: libraries, blocks that pass, and its share."""
    return _LIBRARIES + 2 * _PASSING_BYTES + model.of_worker(n_workers)


def dask_layout(model: MemoryModel, n_workers: int, memory: int) -> Layout:
    """Return blocks that leave a worker room for several, and enough of them for all workers."""
    sizes, config, most = model.sizes, model.config, memory // _SHARE
    a_row = model.worker_row_bytes
    a_column = model.hop_column_bytes
    if a_column > most or a_row > most:
        needed = _SHARE * max(a_column, a_row) / GIB
        raise ConfigError(
            f"a worker needs about {needed:.2f} GiB for one column of the labels of "
            f"{sizes.n_nodes:,} entities and one row of candidates; the smallest has "
            f"{memory / GIB:.2f} GiB; give the workers more memory, or lower `depth` "
            f"({config.depth}), `dim` ({config.dim}) or `top_k` ({config.top_k})"
        )
    n_slices = n_workers * _parts(config.dim * a_column, n_workers * most)
    width = -(-config.dim // n_slices)
    view_bytes = 24 * sizes.n_facts // max(1, sizes.n_nodes) + 16  # of a node, on average
    totals = (
        (_LEFT, sizes.n_left * a_row, _LEFT_BYTES),
        (_RIGHT, sizes.n_right * model.label_bytes, _PASSING_BYTES),
        (1, sizes.n_nodes * (model.value_bytes * width + view_bytes), _PASSING_BYTES),
    )
    left, right, nodes = (
        each * n_workers * _parts(_n_blocks(total, size, most), each * n_workers)
        for each, total, size in totals
    )  # as many for every worker
    a_piece = 4 * config.sketch_factor  # a row of the last hop, of each column
    return Layout(
        left=Cuts.even(sizes.n_left, left),
        right=Cuts.even(sizes.n_right, right),
        nodes=Cuts.even(sizes.n_nodes, nodes),
        columns=Cuts.even(config.dim, n_slices),
        piece=max(1, min(_PIECE_BYTES // width, most // config.dim) // a_piece),
    )


def _n_blocks(total: int, size: int, most: int) -> int:
    """Return how many blocks of that size, fewer where they are many; none larger than most."""
    return max(min(_MANY, _parts(total, size)), _parts(total, most))


def _parts(total: int, most: int) -> int:
    """Return how many parts of at most so many bytes."""
    return -(-total // most)
