"""`align`: two graphs and seeds in, a run out. The border between names and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from lighttea.config import DEFAULT_PRESET, Config, LinkRules, make_config, make_rules
from lighttea.engines import ENGINES, checked_cluster, checked_engine, start_engine
from lighttea.engines.base import Engine
from lighttea.errors import InputError
from lighttea.evidence.names import few_in_common, name_tokens
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links, Pair
from lighttea.inputs.constraints import (
    TypeTable,
    forbidden_pairs,
    keep_first_partners,
    resolve_constraints,
)
from lighttea.inputs.links import LinkTable, refuse_unconnected
from lighttea.io.frames import frame_of_graph, names_of_graph
from lighttea.io.objects import GraphSource, graph_from
from lighttea.kernels.threads import limited_threads
from lighttea.progress import Progress
from lighttea.results.checkpoint import Checkpoint, State, run_key
from lighttea.results.run import Run
from lighttea.results.tables import (
    link_and_candidate_frames,
    link_frame,
    provenance,
    relation_frame,
)
from lighttea.similarity.allowed import Allowed
from lighttea.similarity.settled import Settled
from lighttea.solve.bootstrap import first_seeds
from lighttea.solve.problem import Problem, fit_to_data
from lighttea.solve.record import what_it_did
from lighttea.solve.round import Round
from lighttea.solve.rounds import rounds as learning_rounds
from lighttea.types import LeftIds, RightIds


def align(
    left: GraphSource,
    right: GraphSource,
    *,
    seeds: LinkTable | None = None,
    preset: str = DEFAULT_PRESET,
    alpha: float | None = None,
    beta: float | None = None,
    dim: int | None = None,
    depth: int | None = None,
    sketch_factor: int | None = None,
    top_k: int | None = None,
    search: str | None = None,
    temperature: float | None = None,
    iterations: int | None = None,
    threshold: float | None = None,
    evened: bool | None = None,
    consensus: float | None = None,
    passes: int | None = None,
    suggestions: int | None = None,
    relation_evidence: bool | None = None,
    joint_evidence: bool | None = None,
    time_evidence: bool | None = None,
    grains: bool | None = None,
    bootstrap: bool | None = None,
    names: bool | None = None,
    rebuild: bool | None = None,
    convergence: float | None = None,
    calibrated: bool | None = None,
    adapt: str | None = None,
    min_confidence: float | None = None,
    rounds: int | None = None,
    temporal_propagation: bool | None = None,
    temporal_constraint: bool | None = None,
    sinkhorn: bool | None = None,
    random_seed: int | None = None,
    threads: int | None = None,
    max_memory: float | None = None,
    many_to_one: bool | None = None,
    top_n: int | None = None,
    must_link: LinkTable | None = None,
    cannot_link: LinkTable | None = None,
    types: TypeTable | None = None,
    left_types: TypeTable | None = None,
    right_types: TypeTable | None = None,
    engine: str = ENGINES[0],
    cluster: str | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> Run:
    """Align the entities of two graphs, or of two tables that `graph_from` understands.

    Every option is a field of `Config`; None leaves it as the preset has it. Candidates are all
    right entities that no seed has taken. Without seeds pairs to begin with are found in the
    graphs themselves; names are looked at only where `names` says so.

    Links are one-to-one unless the fields of `LinkRules` say otherwise. `must_link` are seeds too;
    a pair of `cannot_link` is never linked, nor are entities whose `types` (couples of entity and
    type for both sides, or `left_types` and `right_types`) are known and have none in common.

    `engine` is where the rounds run, `cluster` the address of the Dask scheduler that the engine
    dask uses instead of workers of its own. `progress` sees stages, rounds and warnings go by; a
    `checkpoint` lets a killed run go on.
    """
    checked_cluster(checked_engine(engine), cluster)
    config = make_config(
        preset,
        alpha=alpha,
        beta=beta,
        dim=dim,
        depth=depth,
        sketch_factor=sketch_factor,
        top_k=top_k,
        search=search,
        temperature=temperature,
        iterations=iterations,
        threshold=threshold,
        evened=evened,
        consensus=consensus,
        passes=passes,
        suggestions=suggestions,
        relation_evidence=relation_evidence,
        joint_evidence=joint_evidence,
        time_evidence=time_evidence,
        grains=grains,
        bootstrap=bootstrap,
        names=names,
        rebuild=rebuild,
        convergence=convergence,
        calibrated=calibrated,
        adapt=adapt,
        min_confidence=0.0 if top_n and min_confidence is None else min_confidence,
        rounds=rounds,
        temporal_propagation=temporal_propagation,
        temporal_constraint=temporal_constraint,
        sinkhorn=sinkhorn,
        random_seed=random_seed,
        threads=threads,
        max_memory=max_memory,
    )
    rules = make_rules(many_to_one=many_to_one, top_n=top_n)
    progress = progress or Progress()
    left, right = graph_from(left, name="left"), graph_from(right, name="right")
    _refuse_empty(left, right)
    known, allowed = resolve_constraints(
        left,
        right,
        seeds,
        must_link,
        cannot_link,
        left_types if left_types is not None else types,
        right_types if right_types is not None else types,
        rules,
        progress,
    )
    with limited_threads(config.threads) as n_threads:
        with progress.stage("graph"):
            pair = Pair.of(left, right, timed=config.uses_time, grains=config.grains)
        if len(known):
            refuse_unconnected(known, pair)
        used = fit_to_data(config, pair, progress)
        called = list(name_tokens(pair, left, right)) if config.names else []
        if config.names and (said := few_in_common(left, right)):
            progress.warn(said)
        key = _key(left, right, known, used, rules, allowed) if checkpoint else ""
        problem = _job(pair, known, progress, rules, allowed, called)
        state = checkpoint.load(key) if checkpoint else None
        so_far = state.compact if state else None
        with closing(start_engine(engine, problem, used, so_far, cluster)) as on:
            last, course = _all_rounds(on, used, state, checkpoint, key)
            if rules.many_to_one and used.sinkhorn:
                alone = on.for_themselves(last.candidates, last.settings.temperature)
                last = replace(last, assignment=alone)
            links, candidates = link_and_candidate_frames(on, last, left, right, rules)
            relations = relation_frame(on, last, left, right)
    info = provenance(preset, on.name, used, n_threads, left, right, known, links, course, progress)
    info["rules"] = asdict(rules)
    info["cannot_links"] = 0 if allowed is None else len(allowed.banned)
    info["types"] = allowed is not None and allowed.kinds is not None
    return Run(
        links=links,
        candidates=candidates,
        relations=relations,
        evidence_links=link_frame(last.evidence, left, right),
        seeds=link_frame(known, left, right),
        facts_left=frame_of_graph(left),
        facts_right=frame_of_graph(right),
        info=info,
        names_left=names_of_graph(left),
        names_right=names_of_graph(right),
        cannot_links=link_frame(forbidden_pairs(allowed), left, right),
    )


def _key(
    left: Graph,
    right: Graph,
    known: Links,
    config: Config,
    rules: LinkRules,
    allowed: Allowed | None,
) -> str:
    """Of all that decides how the rounds go."""
    parts = [run_key(left, right, known, replace(config, min_confidence=0.0))]
    parts += ["many-to-one"] * rules.many_to_one + ([allowed.digest()] if allowed else [])
    return "-".join(parts)


def _refuse_empty(left: Graph, right: Graph) -> None:
    for side, graph in (("left", left), ("right", right)):
        if not len(graph.facts):
            raise InputError(f"the {side} graph has no facts{graph.source and f': {graph.source}'}")


def _job(
    pair: Pair,
    seeds: Links,
    progress: Progress,
    rules: LinkRules,
    allowed: Allowed | None,
    names: Sequence[tuple[Kind, Tokens]],
) -> Problem:
    """Who asks and who may answer: everybody whom no seed has linked yet."""
    left, right = LeftIds(np.setdiff1d(pair.all_left, seeds.left)), pair.all_right
    if not rules.many_to_one:
        right = RightIds(np.setdiff1d(right, seeds.right))
    if not len(left) or not len(right):
        raise InputError(
            "the seeds already link every entity of one side; nothing is left to align"
        )
    known = keep_first_partners(seeds)
    return Problem(pair, left, right, known, progress, allowed, names)


def _all_rounds(
    on: Engine, config: Config, state: State | None, checkpoint: Checkpoint | None, key: str
) -> tuple[Round, list[dict[str, Any]]]:
    """Run every round that is still to do; the last one's result and what each one did."""
    rng = np.random.default_rng(config.random_seed)
    found: dict[str, Any] = {}
    if state is None:
        start, found = first_seeds(on, config)
        state = _state(1, start, Settled.nobody(), rng, [], compact=on.compact)
    else:
        on.problem.progress.warn(f"going on after round {state.next_round - 1}")
    rng.bit_generator.state = state.generator
    number, course = state.next_round, list(state.course)
    if course:
        config = replace(config, **course[-1]["next_settings"])
    for result in learning_rounds(
        on,
        config=config,
        rng=rng,
        seeds=state.seeds,
        first_round=number,
        settled=Settled(state.settled_rows, state.settled_index),
    ):
        course.append({**what_it_did(on, result), **found})
        found = {}
        if result.labels is not None:
            last = result
        elif checkpoint:
            number += 1
            seeds, settled = result.next_seeds, result.settled
            state = _state(number, seeds, settled, rng, course, compact=on.compact)
            checkpoint.save(key, state)
        del result
    if not course[-1]["left_with_candidates"]:
        raise InputError(
            "no left entity is connected to a seed by facts, so there is nothing to compare; "
            "give seeds in the same part of the graph as the entities to align"
        )
    return last, course


def _state(
    next_round: int,
    seeds: Links,
    settled: Settled,
    rng: np.random.Generator,
    course: list[dict[str, Any]],
    *,
    compact: bool,
) -> State:
    """Everything the next round depends on, in plain arrays."""
    generator = dict(rng.bit_generator.state)
    return State(next_round, seeds, settled.rows, settled.index, generator, course, compact)
