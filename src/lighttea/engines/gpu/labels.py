"""Two-aspect three-view label propagation with the last hop (eq. 1-7), on the device.

All random numbers are drawn by numpy in the order of the CPU engine: both see the same ones.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from lighttea.config import Config
from lighttea.engines.gpu.device import Device, host
from lighttea.graph.pair import Links
from lighttea.graph.views import Aspect, Incidence, View
from lighttea.propagate.evened import sampled
from lighttea.propagate.frames import SeedFrames
from lighttea.propagate.labels import aspect_weights
from lighttea.propagate.sketch import places, projection
from lighttea.solve.problem import Problem
from lighttea.types import Ints

_COUPLE_BYTES = 16  # of one column of one fact, with what is made of it on the way


@dataclass(frozen=True)
class DeviceLabels:
    """What is searched: rows of length one, an aspect beside the other."""

    left: torch.Tensor  # (n_left_asked, width)
    right: torch.Tensor
    left_filled: torch.Tensor  # which rows are not zero
    right_filled: torch.Tensor
    n_parts: int
    has_relational: bool  # then it is the first part

    @property
    def n_relational(self) -> int:
        """Columns of the relational aspect."""
        return self.left.shape[1] // self.n_parts if self.has_relational else 0


@dataclass(frozen=True)
class _DeviceAspect:
    entity_other: torch.Tensor
    other_entity: torch.Tensor
    start: torch.Tensor  # of the asked nodes' couples
    host_start: Ints
    neighbour: torch.Tensor
    other: torch.Tensor
    weight: torch.Tensor  # how many facts each relation or tick has


class Propagation:
    """The views of a problem on the device, ready for every round."""

    def __init__(self, problem: Problem, device: Device) -> None:
        """Copy them there."""
        self._job, self._device = problem, device
        pair, views = problem.pair, problem.views
        self._nodes = np.concatenate(
            [pair.left_nodes(problem.left), pair.right_nodes(problem.right)]
        )
        self._entity_entity = _matrix(views.entity_entity, device)
        self._aspects = [self._aspect(one) for one in (views.relational, views.temporal)]

    def _aspect(self, aspect: Aspect) -> _DeviceAspect:
        start, neighbour, other = _couples(aspect.incidence, self._nodes)
        weight = np.bincount(aspect.incidence.other, minlength=aspect.other_entity.shape[0])
        put = self._device.put
        return _DeviceAspect(
            _matrix(aspect.entity_other, self._device),
            _matrix(aspect.other_entity, self._device),
            put(start),
            start,
            put(neighbour, torch.int64),
            put(other, torch.int64),
            put(weight, torch.float32),
        )

    def labels(self, seeds: Links, config: Config, rng: np.random.Generator) -> DeviceLabels:
        """Both aspects propagated, sketched, blended (eq. 7) and, if asked, evened."""
        weights = (1 - config.temporal_weight, config.temporal_weight)
        used = [one for one, weight in zip(self._aspects, weights, strict=True) if weight > 0]
        start = self._seed_rows(seeds, config.dim, rng)
        parts = []
        for aspect in used:
            entity, others = self._propagate(start, aspect, config.depth)
            parts.append(self._last_hop(aspect, entity, others, config.sketch_factor, rng))
        n_left = len(self._job.left)
        if config.whitening:
            parts = _evened(parts, n_left, rng)
        rows = _blended(parts, self._device.put(aspect_weights(config)))
        filled = rows.any(1)
        return DeviceLabels(
            rows[:n_left],
            rows[n_left:],
            filled[:n_left],
            filled[n_left:],
            len(parts),
            config.temporal_weight < 1,
        )

    def _seed_rows(self, seeds: Links, dim: int, rng: np.random.Generator) -> torch.Tensor:
        """L^(0): the same random point for both ends of a seed, zero for all others."""
        put, pair = self._device.put, self._job.pair
        drawn = SeedFrames.draw(pair, seeds, len(self._job.known), dim, rng)
        place, frame = put(drawn.place, torch.int64), put(drawn.frame)
        number, within = place // dim, place % dim
        order = put(drawn.order, torch.int64)[number]
        points = frame[within].gather(1, order) * put(drawn.signs)[number]
        rows = torch.zeros((pair.n_nodes, dim), device=points.device)
        rows[put(pair.left_nodes(seeds.left), torch.int64)] = points
        rows[put(pair.right_nodes(seeds.right), torch.int64)] = points
        return rows

    def _propagate(
        self, start: torch.Tensor, aspect: _DeviceAspect, depth: int
    ) -> tuple[Sequence[torch.Tensor], torch.Tensor]:
        """Eq. 1-3 with relations, 4-6 with ticks: all hops, and the others' concatenated ones."""
        labels, hops, other_hops = start, [start], []
        others: torch.Tensor | None = None
        for _ in range(depth):
            following = self._entity_entity @ labels
            if others is not None:  # zero before the first hop
                following += aspect.entity_other @ others
            others = unit_rows(aspect.other_entity @ labels)
            labels = unit_rows(following)
            hops.append(labels)
            other_hops.append(others)
        return hops, unit_rows(torch.cat(other_hops, 1))

    def _last_hop(
        self,
        aspect: _DeviceAspect,
        hops: Sequence[torch.Tensor],
        others: torch.Tensor,
        factor: int,
        rng: np.random.Generator,
    ) -> torch.Tensor:
        """(n_asked, factor * dim): over an entity's facts, neighbour times relation or tick."""
        dim = hops[0].shape[1]
        filled = torch.stack([one.any(1) for one in hops]).sum(0).to(torch.float32)
        length = torch.where(filled > 0, filled.clamp_min(1).rsqrt(), 0)
        out = torch.zeros((len(self._nodes), factor * dim), device=others.device)
        for hop, part, share in places(len(hops), factor):
            drawn = self._device.put(projection(others.shape[1], dim, rng), torch.float32)
            turned = share * _evened_columns(others @ drawn, aspect.weight)
            target = out[:, part * dim : (part + 1) * dim]
            self._add_products(aspect, hops[hop] * length[:, None], turned, target)
        return unit_rows(out)

    def _add_products(
        self, aspect: _DeviceAspect, one: torch.Tensor, other: torch.Tensor, out: torch.Tensor
    ) -> None:
        """out[i] += over the couples (a, b) of node i: one[a] * other[b]."""
        load = aspect.start[1:] - aspect.start[:-1]
        most = self._device.rows(_COUPLE_BYTES * out.shape[1], 1 << 40)
        starts = aspect.host_start
        begin, n = 0, len(out)
        while begin < n:
            end = int(np.searchsorted(starts, starts[begin] + most, side="right")) - 1
            end = min(max(end, begin + 1), n)
            here = slice(int(starts[begin]), int(starts[end]))
            product = one[aspect.neighbour[here]]
            product *= other[aspect.other[here]]
            out[begin:end] += torch.segment_reduce(
                product, "sum", lengths=load[begin:end], axis=0, initial=0, unsafe=True
            )
            begin = end


def unit_rows(rows: torch.Tensor) -> torch.Tensor:
    """Rows of length one; zero rows stay zero."""
    length = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    return torch.where(length > 0, rows / length.clamp_min(1e-30), 0)


def _matrix(view: View, device: Device) -> torch.Tensor:
    kind = torch.int32 if len(view.columns) < 2**31 - 1 else torch.int64
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            device.put(view.start, kind),
            device.put(view.columns, kind),
            device.put(view.weights),
            size=view.shape,
            check_invariants=False,
        )


def _couples(incidence: Incidence, nodes: Any) -> tuple[Any, Any, Any]:
    """The couples of some nodes, laid end to end in their order."""
    count = np.diff(incidence.start)[nodes]
    start = np.concatenate([[0], np.cumsum(count)])
    at = np.repeat(incidence.start[nodes] - start[:-1], count) + np.arange(start[-1])
    return start, incidence.neighbour[at], incidence.other[at]


def _evened_columns(others: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Columns of equal mean square over all facts."""
    square = weight @ (others * others) / weight.sum().clamp_min(1)
    return torch.where(square > 0, others * square.clamp_min(1e-38).rsqrt(), 0)


def _evened(
    parts: Sequence[torch.Tensor], n_left: int, rng: np.random.Generator
) -> list[torch.Tensor]:
    """Principal directions of each aspect over the fourth root of their variance."""
    filled = torch.stack([one.any(1) for one in parts]).any(0)
    sides = host(filled[:n_left]), host(filled[n_left:])
    chosen = np.concatenate([sampled(sides[0], rng), n_left + sampled(sides[1], rng)])
    sample = torch.from_numpy(chosen).to(filled.device)
    return [unit_rows(part @ evening_matrix(unit_rows(part[sample]))) for part in parts]


def evening_matrix(sample: torch.Tensor) -> torch.Tensor:
    """As `kernels.directions.evening_matrix`."""
    square = sample.T @ sample / max(1, len(sample))
    variance, axes = torch.linalg.eigh(square)
    floor = max(float(variance[-1]) * 1e-6, 1e-30)
    scaled: torch.Tensor = axes * (variance.clamp_min(0) + floor) ** -0.25
    turned: torch.Tensor = scaled @ axes.T
    return turned


def _blended(parts: Sequence[torch.Tensor], weights: torch.Tensor) -> torch.Tensor:
    """Aspects by their weights, the whole row of length one again; zero rows stay zero."""
    share = torch.stack([one.any(1) for one in parts], 1) * weights  # (n, n_parts)
    length = torch.linalg.vector_norm(share, dim=1, keepdim=True)
    share = torch.where(length > 0, share / length.clamp_min(1e-30), 0)
    return torch.cat([one * share[:, [part]] for part, one in enumerate(parts)], 1)


def expected_bytes(problem: Problem, config: Config) -> int:
    """What labels and candidates take on the device at most, blocks aside."""
    n_left, n_right, n_nodes = len(problem.left), len(problem.right), problem.pair.n_nodes
    width = config.dim * config.sketch_factor * (1 + (0 < config.temporal_weight < 1))
    hops = 4 * config.dim * n_nodes * (config.depth + 2)
    wide = min(config.top_k, n_right) + (2 * config.suggestions if config.consensus else 0)
    table = n_left * wide * (60 if config.calibrated else 44)
    labels = 8 * (n_left + n_right) * width
    return math.ceil(labels + max(hops, table))
