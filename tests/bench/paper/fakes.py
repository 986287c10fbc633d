"""Subjects and raw results that were never measured, for what only reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lighttea.bench.leaks import NameJoin
from lighttea.bench.paper.experiments import FULL, Experiment, Group, Scale, deduplicate, plan
from lighttea.bench.paper.figures import join_results
from lighttea.bench.paper.sections import Findings
from lighttea.bench.paper.store import Record
from lighttea.bench.paper.subjects import Missing, Subject
from lighttea.datasets.registry import REGISTRY
from lighttea.evaluate.ranking import link_figures
from lighttea.progress import STAGES

MACHINE = {"processor": "abacus", "cores": 2}


def make_subject(
    reference: str | None = "DICEWS", *, has_time: bool = True, title: str = "DICEWS (made again)"
) -> Subject:
    """A dataset with the published sizes of another."""
    return Subject(
        folder=Path("nowhere") / "DICEWS",
        title=title,
        digest=f"{title}-digest",
        is_published=False,
        reference=reference,
        statistics=REGISTRY["DICEWS"].statistics,
        ticks_used=4_000,
        undated=(0.25, 0.0),
        has_time=has_time,
        seeds=(1_000, 200),
        study=200,
        options={"alpha": 0.6} if has_time else {},
        sorted_ids=0.001,
        names=NameJoin(1.0, link_figures(8_566, 8_566, 8_566)),
    )


def make_result(experiment: Experiment, hits: float | None = None) -> dict[str, Any]:
    """As bench_run gives it: figures that grow a little with the round and the random seed."""
    rounds = []
    for number in range(experiment.config.rounds):
        base = 0.9 + 0.01 * number + 0.001 * experiment.config.random_seed if hits is None else hits
        names = ("mrr", "hits@1", "hits@5", "hits@10")
        one: dict[str, Any] = {name: base + 0.01 * i for i, name in enumerate(names)}
        if experiment.protocol == "open":
            for name in ("precision", "recall", "f1"):
                one |= {name: base - 0.1, f"{name}_many_to_one": base - 0.2}
        one |= {"promoted": 100, "promoted_precision": 0.97}
        seconds = dict.fromkeys((*STAGES[1:], "evaluate"), number + 1.0)
        one["seconds"] = {**seconds, "total": 8.0 * (number + 1)}
        rounds.append(one)
    return {"per_run": [{"rounds": rounds}], "seconds": {"load": 0.5}, "peak_rss_mb": 700.0}


def make_findings(
    subjects: Iterable[Subject],
    *,
    scale: Scale = FULL,
    only: tuple[str, ...] = (),
    failures: Mapping[Experiment, str] | None = None,
) -> Findings:
    """Findings of every experiment in the plan."""
    subjects = tuple(subjects)
    groups = plan(subjects, only, scale)
    return Findings(
        subjects=subjects,
        missing=(Missing("YAGO-WIKI50K", "Copy it from somewhere.", None),),
        measurements=tuple(join_results(groups, make_records(groups))),
        failures=failures or {},
        machines=(MACHINE,),
        scale=scale,
        is_quick=False,
    )


def make_records(groups: Iterable[Group]) -> dict[Experiment, Record]:
    return {one: Record({}, make_result(one), MACHINE) for one in deduplicate(groups)}
