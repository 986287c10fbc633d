"""The plan of a bench: groups of experiments. Nothing here depends on a result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

import lighttea
from lighttea.bench.paper.subjects import Subject
from lighttea.bench.settings import BenchSettings, Protocol
from lighttea.config import (
    DEFAULT_METHOD,
    DEFAULT_PRESET,
    Config,
    Method,
    Preset,
    make_config,
)
from lighttea.errors import ConfigError

PRESET: Preset = "paper"  # of the paper's method; the default preset has a section of its own
WITHOUT_SINKHORN = "w/o SO"
CLOSED, OPEN, OPEN_WITHOUT_SINKHORN = "closed", "open", "open, w/o SO"
ABLATIONS: Mapping[str, Mapping[str, bool]] = MappingProxyType(
    {
        "": {},
        "w/o TLP": {"temporal_propagation": False},
        "w/o TC": {"temporal_constraint": False},
        WITHOUT_SINKHORN: {"sinkhorn": False},
    }
)
TENTHS = tuple(number / 10 for number in range(11))


@dataclass(frozen=True)
class Experiment:
    """One run of one method on one dataset: all that decides its result."""

    digest: str  # of the dataset
    n_seeds: int
    method: Method
    protocol: Protocol
    config: Config
    preset: Preset = PRESET

    @property
    def key(self) -> str:
        """Digest of the experiment and of the version that runs it."""
        content = {**asdict(self), "version": lighttea.__version__}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Group:
    """Experiments whose mean is one row of a table or one point of a curve."""

    section: str
    subject: Subject
    n_seeds: int
    method: Method
    label: str  # what was changed: "", "w/o TC", "0.3", "2048"
    experiments: tuple[Experiment, ...]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much is run."""

    runs: int = BenchSettings.runs
    random_seed: int = Config.random_seed
    weights: tuple[float, ...] = TENTHS
    dims: tuple[int, ...] = (64, 128, 256, 512, 1024, 2048)
    own_points: bool = True  # a set's own points of a sweep go before these
    all_seeds: bool = True  # or the studies' number alone
    options: Mapping[str, Any] = field(default_factory=dict)

    def seeds(self, subject: Subject) -> tuple[int, ...]:
        """Return the numbers of seeds that the main results are for."""
        return subject.seeds if self.all_seeds else (subject.study,)

    def points(self, subject: Subject, name: str) -> tuple[float, ...]:
        """Return the points of the sweep over a setting."""
        own = subject.points.get(name, ()) if self.own_points else ()
        return own or (self.dims if name == "dim" else self.weights)


FULL = Scale()
QUICK = Scale(  # on made-up graphs
    runs=2,
    weights=(0.0, 0.5, 1.0),
    dims=(16, 32, 64),
    own_points=False,
    all_seeds=False,
    options=MappingProxyType({"dim": 64, "sketch_factor": 2, "top_k": 50, "threads": 1}),
)
QUICK_REAL = replace(  # real folders are far larger, so fewer and shorter runs have to do
    QUICK,
    runs=1,
    weights=(0.0, 1.0),
    dims=(32, 64),
    options=MappingProxyType({**QUICK.options, "rounds": 1, "threads": 0}),
)


def plan(subjects: Iterable[Subject], only: Sequence[str], scale: Scale) -> tuple[Group, ...]:
    """Return all groups of the named sections; of every section where none is named."""
    if unknown := [name for name in only if name not in SECTIONS]:
        raise ConfigError(f"there is no section {unknown[0]!r}; choose from {', '.join(SECTIONS)}")
    planners = [planner for name, planner in SECTIONS.items() if not only or name in only]
    return tuple(x for subject in subjects for planner in planners for x in planner(subject, scale))


def deduplicate(groups: Iterable[Group]) -> dict[Experiment, Subject]:
    """Return each experiment once; groups share them, such as a sweep's point and the main runs."""
    return {experiment: group.subject for group in groups for experiment in group.experiments}


def _make_group(
    section: str,
    subject: Subject,
    scale: Scale,
    *,
    method: Method = DEFAULT_METHOD,
    preset: Preset = PRESET,
    label: str = "",
    changes: Mapping[str, Any] = MappingProxyType({}),
    n_seeds: int | None = None,
    protocol: Protocol = "closed",
    runs: int | None = None,
) -> Group:
    n_seeds = n_seeds or subject.study
    own = subject.options if (method, preset) == ("lighttea", PRESET) else {}
    options = {"random_seed": scale.random_seed, **own, **scale.options, **changes}
    config = make_config(preset, method=method, **options)
    seeds = range(config.random_seed, config.random_seed + (runs or scale.runs))
    configs = (replace(config, random_seed=seed) for seed in seeds)
    experiments = tuple(
        Experiment(subject.digest, n_seeds, method, protocol, one, preset) for one in configs
    )
    return Group(section, subject, n_seeds, method, label, experiments)


def _plan_main(subject: Subject, scale: Scale) -> Iterator[Group]:
    """Yield the groups of Table 2; a three-round run is both versions of a method at once."""
    for n_seeds in scale.seeds(subject):
        for method in subject.methods:
            yield _make_group("main", subject, scale, method=method, n_seeds=n_seeds)


def _plan_best(subject: Subject, scale: Scale) -> Iterator[Group]:
    """Yield the groups of the default preset, which has the same settings for every set."""
    for n_seeds in scale.seeds(subject):
        yield _make_group("best", subject, scale, preset=DEFAULT_PRESET, n_seeds=n_seeds)
    yield _make_group("best", subject, scale, preset=DEFAULT_PRESET, label=OPEN, protocol="open")


def _plan_ablation(subject: Subject, scale: Scale) -> Iterator[Group]:
    """Yield the groups of Table 3; LightEA has one of the three parts."""
    method = subject.methods[0]
    for label, changes in ABLATIONS.items():
        if subject.has_time or label in ("", WITHOUT_SINKHORN):
            yield _make_group(
                "ablation", subject, scale, method=method, label=label, changes=changes
            )


def _plan_times(subject: Subject, scale: Scale) -> Iterator[Group]:
    """Yield the groups of Table 4: the main runs, by stage."""
    for method in subject.methods:
        yield _make_group("times", subject, scale, method=method)


def _plan_dimension(subject: Subject, scale: Scale) -> Iterator[Group]:
    """Yield the groups of Table 5, one run a point; the sketch follows the dimension."""
    yield from _sweep("dimension", "dim", subject, scale)


def _plan_weight(name: str) -> Callable[[Subject, Scale], Iterator[Group]]:
    """Return the planner of one half of the figure over alpha and beta: weights of time."""

    def groups(subject: Subject, scale: Scale) -> Iterator[Group]:
        if subject.has_time:
            yield from _sweep(name, name, subject, scale)

    return groups


def _sweep(section: str, name: str, subject: Subject, scale: Scale) -> Iterator[Group]:
    """Yield a group of one run for each point of the sweep over a setting."""
    method = subject.methods[0]
    for value in scale.points(subject, name):
        label, changes = f"{value:g}", {name: value}
        yield _make_group(
            section, subject, scale, method=method, label=label, changes=changes, runs=1
        )


def _plan_protocol(subject: Subject, scale: Scale) -> Iterator[Group]:
    """Yield groups beyond the paper: closed and open candidates, with and without Sinkhorn."""
    method = subject.methods[0]
    compared: tuple[tuple[str, Protocol, Mapping[str, Any]], ...] = (
        (CLOSED, "closed", {}),
        (OPEN, "open", {}),
        (OPEN_WITHOUT_SINKHORN, "open", ABLATIONS[WITHOUT_SINKHORN]),
    )
    for label, protocol, changes in compared:
        yield _make_group(
            "protocol",
            subject,
            scale,
            method=method,
            label=label,
            changes=changes,
            protocol=protocol,
        )


SECTIONS: Mapping[str, Callable[[Subject, Scale], Iterator[Group]]] = MappingProxyType(
    {
        "main": _plan_main,
        "best": _plan_best,
        "ablation": _plan_ablation,
        "times": _plan_times,
        "dimension": _plan_dimension,
        "alpha": _plan_weight("alpha"),
        "beta": _plan_weight("beta"),
        "protocol": _plan_protocol,
    }
)
