"""Problems for the engines, small and each odd in another way, and the engines to solve them on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lighttea.engines.base import Engine
from lighttea.engines.cpu.ops import NumpyOps
from lighttea.engines.dask import connection
from lighttea.engines.dask.engine import DaskEngine
from lighttea.engines.layout import Cuts, Layout
from lighttea.engines.local import LocalEngine
from lighttea.graph.decoys import Decoys, draw_decoys
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair
from lighttea.io.literals import literal_rows, with_literals
from lighttea.literals.table import GraphLiterals
from lighttea.progress import Progress
from lighttea.similarity.allowed import AllowedPairs, EntityTypes
from lighttea.solve.problem import Problem
from lighttea.solve.start import whole_layout
from lighttea.types import LeftIds, NumpyArray, RightIds
from tests.worlds import World, seeds_of


def problem_of(
    world: World,
    *,
    few_right: int = 0,
    every_right: bool = False,
    refused: bool = False,
    named: bool = False,
    timed: bool = True,
    n_decoys: int = 0,
) -> Problem:
    """Return the problem of a world.

    With few right entities, or with those of the seeds too, as where several left entities may have
    one counterpart; with types and forbidden pairs; with literals; without the times;
    with decoys.
    """
    decoys = _decoys_of(world, n_decoys) if n_decoys else None
    pair = Pair.of(world.left, world.right, timed=timed, decoys=decoys)
    known = seeds_of(world)
    left = LeftIds(np.setdiff1d(pair.all_left, known.left))
    right = RightIds(np.setdiff1d(pair.all_right, known.right)[: few_right or None])
    if every_right:
        right = pair.all_right
    literals = GraphLiterals(*named_graphs(world), random_seed=0) if named else None
    allowed = _some_refused(pair) if refused else None
    right = RightIds(np.concatenate([right, pair.decoys]))
    per_source = decoys.per_source if decoys else 0.0
    return Problem(pair, left, right, known, Progress(), allowed, literals, per_source)


def named_graphs(world: World) -> tuple[Graph, Graph]:
    """Return the graphs of a world with names: two attributes on the left, one on the right."""
    left = [
        row
        for entity in world.left.entities
        for row in ((entity, "given", f"Given {entity}"), (entity, "family", f"F{entity[1:]}"))
    ]
    right = [(e, "name", f"F{e[2:]}, given {e[1:]}") for e in world.right.entities]
    rows = ([(*row, "", "") for row in own] for own in (left, right))
    one, other = (
        with_literals(graph, literal_rows(own))
        for graph, own in zip((world.left, world.right), rows, strict=True)
    )
    return one, other


def _decoys_of(world: World, n_decoys: int) -> Decoys:
    """Return decoys of right entities without a seed."""
    ids = np.arange(len(world.right.entities), dtype=np.int32)
    free = RightIds(np.setdiff1d(ids, seeds_of(world).right))
    return draw_decoys(world.right, free, n_decoys, np.random.default_rng(1))


def _some_refused(pair: Pair) -> AllowedPairs:
    """Every third entity is of one type, every third of another; a hundred pairs are forbidden."""
    left, right = (np.arange(n) % 3 - 1 for n in (pair.n_left, pair.n_right))
    rng = np.random.default_rng(3)
    forbidden = np.unique(rng.integers(0, pair.n_left * pair.n_right, 100))
    return AllowedPairs(pair.n_right, forbidden, EntityTypes(left, right, 2, np.array([0, 3])))


# ------------------------------------------------------------------- an engine is a line here


def whole_cpu(problem: Problem, dim: int, _: Any = None) -> Engine[NumpyArray]:
    """Return the CPU engine with one block of everything: what the others are compared with."""
    layout = whole_layout(problem.sizes, dim, 8192)
    return LocalEngine("cpu", NumpyOps(), layout, is_exact=False)


def odd_layout(problem: Problem, dim: int) -> Layout:
    """Return three blocks of each side, four of the nodes, two of the columns, small pieces."""
    sizes = problem.sizes
    return Layout(
        left=Cuts.even(sizes.n_left, 3),
        right=Cuts.even(sizes.n_right, 3),
        nodes=Cuts.even(sizes.n_nodes, 4),
        columns=Cuts.even(dim, 2),
        piece=17,
    )


def cut_cpu(problem: Problem, dim: int, _: Any) -> Engine[NumpyArray]:
    """Return the CPU engine with odd blocks, that searches few rows at a time."""
    return LocalEngine("cpu", NumpyOps(50, 30), odd_layout(problem, dim), is_exact=False)


def whole_gpu(problem: Problem, dim: int, _: Any) -> Engine[Any]:
    """Return the GPU engine on torch's CPU device: the same code where there is no GPU."""
    pytest.importorskip("torch")
    from lighttea.engines.gpu.engine import GpuEngine

    return GpuEngine(whole_layout(problem.sizes, dim, 8192), "cpu")


def cut_gpu(problem: Problem, dim: int, _: Any) -> Engine[Any]:
    """Return the GPU engine on torch's CPU device, with odd blocks."""
    pytest.importorskip("torch")
    from lighttea.engines.gpu.engine import GpuEngine

    return GpuEngine(odd_layout(problem, dim), "cpu")


def cut_dask(problem: Problem, dim: int, cluster: Any) -> Engine[NumpyArray]:
    """Return the Dask engine with odd blocks."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(connection, "_QUIET_SECONDS", 0)  # all workers are there
        connected = connection.Connection.open(cluster.scheduler_address, 0, 0)
    return DaskEngine(connected, odd_layout(problem, dim))
