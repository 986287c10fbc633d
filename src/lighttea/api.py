"""`align`: two graphs and seeds in, a run out. The border between names and numbers."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, replace
from inspect import signature
from typing import TYPE_CHECKING, Unpack

import numpy as np

from lighttea.config import (
    DEFAULT_ENGINE,
    DEFAULT_PRESET,
    FIELD_TYPES,
    Config,
    EngineName,
    LinkRules,
    Preset,
    Settings,
    make_rules,
    preset_name,
    refuse_unknown,
    resolve_config,
)
from lighttea.display import GraphNames
from lighttea.engines import check_engine, check_scheduler
from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.graph.numbering import number_by_name, sort_rows
from lighttea.graph.pair import Links
from lighttea.inputs.constraints import (
    TypeTable,
    forbidden_pairs,
    keep_first_partners,
    resolve_constraints,
    type_frame,
)
from lighttea.inputs.links import LinkTable, refuse_unconnected
from lighttea.io.objects import GraphSource, graph_from
from lighttea.kernels.threads import limited_threads, worthwhile_threads
from lighttea.progress import Progress, default_progress
from lighttea.results.alarms import without_alarmed
from lighttea.results.checkpoint import Checkpoint, run_key
from lighttea.results.decoys import describe_competition, warning_of
from lighttea.results.literals import literals_info
from lighttea.results.look_alikes import look_alikes_warning
from lighttea.results.run import Run
from lighttea.results.seeds import seed_check_info
from lighttea.results.tables import link_frame, make_run, provenance
from lighttea.similarity.allowed import AllowedPairs
from lighttea.solve.bootstrap import StartingPairs
from lighttea.solve.problem import Problem, pose_problem
from lighttea.solve.solution import finish
from lighttea.solve.solve import State, Step, solve
from lighttea.solve.start import open_workspace
from lighttea.solve.workspace import Workspace
from lighttea.types import Array, RightIds

if TYPE_CHECKING:
    import polars as pl


def align(
    left: GraphSource,
    right: GraphSource,
    *,
    seeds: LinkTable | None = None,
    config: Config | None = None,
    preset: Preset | None = None,
    many_to_one: bool | None = None,
    top_n: int | None = None,
    no_alarmed: bool | None = None,
    must_link: LinkTable | None = None,
    cannot_link: LinkTable | None = None,
    types: TypeTable | None = None,
    left_types: TypeTable | None = None,
    right_types: TypeTable | None = None,
    engine: EngineName = DEFAULT_ENGINE,
    scheduler: str | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
    **settings: Unpack[Settings],
) -> Run:
    """Align the entities of two graphs, or of two tables that `graph_from` understands.

    Settings are the fields of `Config`: given by name, as a `config`, or both, where the names
    override the config. What is not given is as in the `preset`, which is `best` by default.
    Candidates are all right entities that no seed has taken. Without seeds pairs to begin with are
    found in the graphs themselves. Literals of entities count beside facts, unless `literals` is
    False.

    Links are one-to-one unless `many_to_one` or `top_n` say otherwise; `no_alarmed` leaves out
    links whose times raise an alarm. `must_link` are seeds too; a pair of `cannot_link` is never
    linked, nor are entities whose `types` (couples of entity and type for both sides, or
    `left_types` and `right_types`) are known and have none in common.

    `engine` is where the rounds run, `scheduler` the address of the Dask scheduler that the engine
    dask uses instead of workers of its own. `progress` is told of stages, rounds and warnings; by
    default a notebook shows a bar. A `checkpoint` lets a killed run go on.
    """
    refuse_unknown(settings, [*FIELD_TYPES, *signature(align).parameters])
    check_scheduler(check_engine(engine), scheduler)
    rules = make_rules(many_to_one=many_to_one, top_n=top_n, no_alarmed=no_alarmed)
    used_preset = preset_name(config) if isinstance(config, Config) else preset or DEFAULT_PRESET
    config = resolve_config(config, preset, rules, settings)
    progress = progress or default_progress()
    with progress.showing():
        left, right = graph_from(left, name="left"), graph_from(right, name="right")
        _refuse_empty(left, right)
        left, right = number_by_name(left, "left"), number_by_name(right, "right")
        kept_types = _kept_types(types, left_types, right_types)
        known, allowed = resolve_constraints(
            left, right, seeds, must_link, cannot_link, *kept_types, rules, progress
        )
        run = align_graphs(
            left,
            right,
            known,
            allowed,
            config=config,
            preset=used_preset,
            rules=rules,
            engine=engine,
            scheduler=scheduler,
            progress=progress,
            checkpoint=checkpoint,
        )
        return with_types(run, *kept_types)


def _kept_types(
    both: TypeTable | None, left: TypeTable | None, right: TypeTable | None
) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Return the types of both sides as tables that can be read again; None where none are."""
    of_both = None if both is None else type_frame(both)
    own = (of_both if table is None else type_frame(table) for table in (left, right))
    of_left, of_right = own
    return of_left, of_right


def with_types(run: Run, left: pl.DataFrame | None, right: pl.DataFrame | None) -> Run:
    """Return the run with the types that its links were limited by, where there were any."""
    if left is None or right is None:
        return run
    return replace(run, types_left=left, types_right=right)


def align_graphs(
    left: Graph,
    right: Graph,
    known: Links,
    allowed: AllowedPairs | None,
    *,
    config: Config,
    preset: str,
    rules: LinkRules,
    engine: EngineName,
    scheduler: str | None,
    progress: Progress,
    checkpoint: Checkpoint | None = None,
    start: StartingPairs | None = None,
) -> Run:
    """Return the run of two graphs that are numbered by name, whose known links are ids by now.

    `start` are pairs to begin with, the known ones first; without them they are found.
    """
    with limited_threads(
        config.threads or worthwhile_threads(len(left.entities), len(right.entities))
    ) as n_threads:
        problem, used = _pose(
            sort_rows(left), sort_rows(right), known, config, progress, rules, allowed
        )
        key = _key(left, right, known, used, rules, allowed) if checkpoint else ""
        state = checkpoint.load(key) if checkpoint else None
        compact = state.compact if state else None
        with closing(
            open_workspace(engine, problem, used, compact=compact, scheduler=scheduler)
        ) as work:
            solution = finish(work, _last_step(work, used, state, checkpoint, key, start), rules)
    if solution.competition is not None and (warning := warning_of(solution.competition)):
        progress.warn(warning)
    run, n_left_out = make_run(solution, problem, left, right, known), None
    if warning := look_alikes_warning(run, GraphNames.of_graphs(left, right)):
        progress.warn(warning)
    seed_check = None
    if solution.seed_check is not None:
        seed_check = seed_check_info(solution.seed_check, run)
        if seed_check["warning"]:
            progress.warn(seed_check["warning"])
    if rules.no_alarmed:
        run, n_left_out = without_alarmed(run)
    info = provenance(
        preset,
        work.engine.name,
        used,
        n_threads,
        left,
        right,
        known,
        run.links,
        solution.records,
        progress,
    )
    info["literals"] = literals_info(solution.literals)
    info["decoys"] = describe_competition(solution.competition)
    info["in_parts"] = not work.engine.is_local  # links are written in parts too
    info["rules"] = asdict(rules)
    info |= {} if n_left_out is None else {"alarmed_links_left_out": n_left_out}
    info |= {} if seed_check is None else {"seed_check": seed_check}
    info["cannot_links"] = 0 if allowed is None else len(allowed.forbidden)
    info["types"] = allowed is not None and allowed.types is not None
    return replace(run, info=info, cannot_links=link_frame(forbidden_pairs(allowed), left, right))


def _pose(
    left: Graph,
    right: Graph,
    known: Links,
    config: Config,
    progress: Progress,
    rules: LinkRules,
    allowed: AllowedPairs | None,
) -> tuple[Problem, Config]:
    """Return the problem, if anything is left to align, and the settings that suit it."""
    every_right = RightIds(np.arange(len(right.entities), dtype=np.int32))
    problem, used = pose_problem(
        left,
        right,
        known,
        config,
        progress,
        right_ids=every_right if rules.many_to_one else None,
        allowed=allowed,
    )
    if len(known):
        refuse_unconnected(known, problem.pair, GraphNames.of_graphs(left, right))
    if not len(problem.left) or not len(problem.right):
        raise InputError(
            "the seeds already link every entity of one graph; nothing is left to align"
        )
    return replace(problem, known=keep_first_partners(known)), used


def _last_step(
    work: Workspace[Array],
    config: Config,
    state: State | None,
    checkpoint: Checkpoint | None,
    key: str,
    start: StartingPairs | None,
) -> Step[Array]:
    """Run every round that is still to do and return the last one."""
    for step in solve(work, config, state, start):
        if step.state is not None and checkpoint:
            checkpoint.save(key, step.state)
        last = step
        del step  # two rounds never stand in memory at once
        if last.state is not None:
            del last
    return last


def _key(
    left: Graph,
    right: Graph,
    known: Links,
    config: Config,
    rules: LinkRules,
    allowed: AllowedPairs | None,
) -> str:
    """Return a digest of all that decides how the rounds go."""
    parts = [run_key(left, right, known, replace(config, min_confidence=0.0, max_fdr=1.0))]
    parts += ["many-to-one"] * rules.many_to_one + ([allowed.digest()] if allowed else [])
    return "-".join(parts)


def _refuse_empty(left: Graph, right: Graph) -> None:
    names = GraphNames.of_graphs(left, right)
    for side, graph in (("left", left), ("right", right)):
        if not len(graph.facts) and not len(graph.attributes):
            source = graph.source and f": {graph.source}"
            raise InputError(f"{names.graph(side)} has neither facts nor literals{source}")
