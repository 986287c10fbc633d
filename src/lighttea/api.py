"""`align`: two graphs and seeds in, a run out. The border between names and numbers."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import polars as pl

import lighttea
from lighttea.assign.decode import (
    Best,
    best_candidates,
    best_n_candidates,
    one_to_one,
    rows_for_themselves,
)
from lighttea.config import ADAPTABLE, DEFAULT_PRESET, Config, LinkRules, make_config, make_rules
from lighttea.constraints import (
    TypeTable,
    forbidden_pairs,
    lay_down,
    one_for_each_right,
)
from lighttea.engines.threads import limited_threads
from lighttea.errors import InputError
from lighttea.evidence.names import name_tokens
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.views import Views
from lighttea.io.checkpoints import Checkpoint, State, run_key
from lighttea.io.frames import frame_of_graph, names_of_graph
from lighttea.io.objects import GraphSource, graph_from
from lighttea.iterate import rounds as learning_rounds
from lighttea.pipeline import Job, Round, links_so_far
from lighttea.plan import KEPT_CANDIDATES, make_plan
from lighttea.run import FORMAT_VERSION, Run
from lighttea.seedless import find_seeds
from lighttea.seeds import LinkTable, refuse_unconnected
from lighttea.similarity.allowed import Allowed
from lighttea.similarity.settled import Settled
from lighttea.stages import Watch, peak_rss_mb
from lighttea.types import Floats, Ints, LeftIds, RightIds


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
    watch: Watch | None = None,
    checkpoint: Checkpoint | None = None,
) -> Run:
    """Align the entities of two graphs, or of two tables that `graph_from` understands.

    Every option is a field of `Config`; None leaves it as the preset has it. Candidates are all
    right entities that no seed has taken. Without seeds pairs to begin with are found in the
    graphs themselves; names are looked at only where `names` says so.

    Links are one-to-one unless the fields of `LinkRules` say otherwise. `must_link` are seeds too;
    a pair of `cannot_link` is never linked, nor are entities whose `types` (couples of entity and
    type for both sides, or `left_types` and `right_types`) are known and have none in common.

    `watch` sees stages, rounds and warnings go by; a `checkpoint` lets a killed run go on.
    """
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
    watch = watch or Watch()
    left, right = graph_from(left, name="left"), graph_from(right, name="right")
    _refuse_empty(left, right)
    known, allowed = lay_down(
        left,
        right,
        seeds,
        must_link,
        cannot_link,
        left_types if left_types is not None else types,
        right_types if right_types is not None else types,
        rules,
        watch,
    )
    with limited_threads(config.threads) as n_threads:
        with watch.stage("graph"):
            pair = Pair.of(left, right, timed=config.uses_time, grains=config.grains)
            views = Views.of(pair)
        if len(known):
            refuse_unconnected(known, pair)
        used = fit_to_data(config, pair, watch)
        called = list(name_tokens(pair, left, right)) if config.names else []
        key = _key(left, right, known, used, rules, allowed) if checkpoint else ""
        last, course = _all_rounds(
            pair, views, known, used, watch, checkpoint, key, rules, allowed, called
        )
        if rules.many_to_one and used.sinkhorn:
            alone = rows_for_themselves(last.candidates, temperature=last.settings.temperature)
            last = replace(last, assignment=alone)
        links, candidates = _frames(last, left, right, rules)
        relations = _relations(pair, last, one_for_each_right(known), left, right)
    info = _provenance(preset, used, n_threads, left, right, known, links, course, watch)
    info["rules"] = asdict(rules)
    info["cannot_links"] = 0 if allowed is None else len(allowed.banned)
    info["types"] = allowed is not None and allowed.kinds is not None
    return Run(
        links=links,
        candidates=candidates,
        relations=relations,
        evidence_links=_named(last.evidence, left, right),
        seeds=_named(known, left, right),
        facts_left=frame_of_graph(left),
        facts_right=frame_of_graph(right),
        info=info,
        names_left=names_of_graph(left),
        names_right=names_of_graph(right),
        cannot_links=_named(forbidden_pairs(allowed), left, right),
    )


def _key(
    left: Graph,
    right: Graph,
    known: SeedLinks,
    config: Config,
    rules: LinkRules,
    allowed: Allowed | None,
) -> str:
    """Of all that decides how the rounds go."""
    parts = [run_key(left, right, known, replace(config, min_confidence=0.0))]
    parts += ["many-to-one"] * rules.many_to_one + ([allowed.digest()] if allowed else [])
    return "-".join(parts)


def fit_to_data(config: Config, pair: Pair, watch: Watch) -> Config:
    """Switch the temporal parts off, and say so, where the graphs have no time to compare."""
    if pair.has_time or config.temporal_weight == config.time_weight == 0:
        return config
    if not pair.left_has_time and not pair.right_has_time:
        said = "neither graph has a fact with a known time"
    else:
        side = "right" if pair.left_has_time else "left"
        said = f"the {side} graph has no fact with a known time"
    watch.warn(f"{said}; aligning by relations alone")
    return config.without_time()


def _refuse_empty(left: Graph, right: Graph) -> None:
    for side, graph in (("left", left), ("right", right)):
        if not len(graph.facts):
            raise InputError(f"the {side} graph has no facts{graph.source and f': {graph.source}'}")


def _all_rounds(
    pair: Pair,
    views: Views,
    seeds: SeedLinks,
    config: Config,
    watch: Watch,
    checkpoint: Checkpoint | None,
    key: str,
    rules: LinkRules,
    allowed: Allowed | None,
    names: Sequence[tuple[Kind, Tokens]],
) -> tuple[Round, list[dict[str, Any]]]:
    """Run every round that is still to do; the last one's result and what each one did."""
    left = LeftIds(np.setdiff1d(pair.all_left, seeds.left))
    right = pair.all_right
    if not rules.many_to_one:
        right = RightIds(np.setdiff1d(right, seeds.right))
    seeds = one_for_each_right(seeds)
    if not len(left) or not len(right):
        raise InputError(
            "the seeds already link every entity of one side; nothing is left to align"
        )
    rng = np.random.default_rng(config.random_seed)
    state = checkpoint.load(key) if checkpoint else None
    so_far = state.compact if state else None
    plan = make_plan(pair, len(left), len(right), config, compact=so_far)
    plan.tell(watch)
    compact = plan.blocks.compact
    job = Job(pair, views, left, right, seeds, plan.blocks, watch, allowed, names)
    found: dict[str, Any] = {}
    if state is None:
        start, found = first_seeds(job, config)
        state = _state(1, start, Settled.nobody(), rng, [], compact=compact)
    else:
        watch.warn(f"going on after round {state.next_round - 1}")
    rng.bit_generator.state = state.generator
    number, course = state.next_round, list(state.course)
    if course:
        config = replace(config, **course[-1]["next_settings"])
    for result in learning_rounds(
        job,
        config=config,
        rng=rng,
        seeds=state.seeds,
        first_round=number,
        settled=Settled(state.settled_rows, state.settled_index),
    ):
        course.append({**_what_it_did(result), **found})
        found = {}
        if result.labels is not None:
            last = result
        elif checkpoint:
            number += 1
            state = _state(number, result.next_seeds, result.settled, rng, course, compact=compact)
            checkpoint.save(key, state)
        del result
    if not course[-1]["left_with_candidates"]:
        raise InputError(
            "no left entity is connected to a seed by facts, so there is nothing to compare; "
            "give seeds in the same part of the graph as the entities to align"
        )
    return last, course


def first_seeds(job: Job, config: Config) -> tuple[SeedLinks, dict[str, Any]]:
    """The pairs to begin with: the known ones and those that can be found, and what is to say."""
    if len(job.known) and not config.bootstrap:
        return job.known, {}
    found = find_seeds(job, config)
    told = {"found_seeds": len(found.links), "found_seeds_precision": round(found.precision, 4)}
    return job.known.and_also(found.links.left, found.links.right), told


def _state(
    next_round: int,
    seeds: SeedLinks,
    settled: Settled,
    rng: np.random.Generator,
    course: list[dict[str, Any]],
    *,
    compact: bool,
) -> State:
    """Everything the next round depends on, in plain arrays."""
    generator = dict(rng.bit_generator.state)
    return State(next_round, seeds, settled.rows, settled.index, generator, course, compact)


def _what_it_did(result: Round) -> dict[str, Any]:
    reached = int(result.candidates.valid.any(axis=1).sum())
    return {
        **search_figures(result),
        "seeds": result.n_seeds,
        "left_with_candidates": reached,
        "left_without_candidates": len(result.candidates.left) - reached,
        "promoted": len(result.promoted),
        **estimates(result),
        "sinkhorn_marginal_gap": round(result.assignment.marginal_gap, 6),
        "settings": chosen_settings(result.settings),
        "next_settings": chosen_settings(result.following or result.settings),
    }


def chosen_settings(config: Config) -> dict[str, float]:
    """The settings that the data may choose, as they are."""
    return {name: getattr(config, name) for name in ADAPTABLE if name in config.adapted}


def estimates(result: Round) -> dict[str, float]:
    """What a round tells of itself without truth, where confidence is estimated."""
    told = {
        "promoted_precision_estimate": result.promoted_estimate,
        "share_with_counterpart": result.assignment.share,
    }
    return {name: round(value, 4) for name, value in told.items() if value is not None}


def search_figures(result: Round) -> dict[str, Any]:
    """Which search a round used, and what of the exact result it found on a sample."""
    if result.recall is None:
        return {"search": "exact"}
    best, all_k = round(result.recall.best, 4), round(result.recall.all_k, 4)
    return {"search": "approximate", "recall_best": best, "recall_top_k": all_k}


def links_of(result: Round, rules: LinkRules | None = None) -> Best:
    """The candidates that are links; the tool abstains where it is not sure."""
    rules = rules or LinkRules()
    if rules.top_n:
        best = best_n_candidates(result.candidates, result.assignment, rules.top_n)
    else:
        best = best_candidates(result.candidates, result.assignment)
        best = best if rules.many_to_one else one_to_one(best)
    return best.take(np.flatnonzero(best.confidence >= result.settings.min_confidence))


def _frames(
    result: Round, left: Graph, right: Graph, rules: LinkRules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """links and candidates, with names."""
    best = links_of(result, rules)
    left_names = pl.Series(left.entities, dtype=pl.String)
    right_names = pl.Series(right.entities, dtype=pl.String)
    score = result.candidates.score[best.row, best.column]
    links = pl.DataFrame(
        {
            "left": left_names.gather(best.left),
            "right": right_names.gather(best.right),
            "score": score,
            "confidence": best.confidence,
            "margin": best.margin,
        }
    ).sort("confidence", "margin", "left", "right", descending=[True, True, False, False])
    rows, columns, rank = _kept(result)
    terms = _terms(result, rows, columns)
    place = result.candidates.index[rows, columns]
    candidates = pl.DataFrame(
        {
            "left": left_names.gather(result.candidates.left[rows]),
            "right": right_names.gather(result.candidates.right[place]),
            "rank": rank,
            **terms,
            "score": result.candidates.score[rows, columns],
            "confidence": result.assignment.sureness[rows, columns],
        }
    )
    return links, candidates


def _kept(result: Round) -> tuple[Ints, Ints, Ints]:
    """Row, column and rank of each row's best candidates; equal values in order of their scores."""
    value, score, valid = result.assignment.value, result.candidates.score, result.candidates.valid
    keep = min(KEPT_CANDIDATES, value.shape[1])
    by_score = np.argsort(-score, axis=1, kind="stable")
    values = np.take_along_axis(np.where(valid, -value, np.inf), by_score, axis=1)
    first = np.argsort(values, axis=1, kind="stable")[:, :keep]
    columns = np.take_along_axis(by_score, first, axis=1).reshape(-1)
    rows = np.repeat(np.arange(len(value)), keep)
    rank = np.tile(np.arange(1, keep + 1, dtype=np.int32), len(value))
    there = valid[rows, columns]
    return rows[there], columns[there], rank[there]


def _terms(result: Round, rows: Ints, columns: Ints) -> dict[str, Floats]:
    """The terms whose plain sum is a candidate's score."""
    candidates, labels, config = result.candidates, result.labels, result.settings
    assert labels is not None  # of the last round they are kept
    relational = labels.relational(rows, candidates.index[rows, columns][:, None])[:, 0]
    label, time = candidates.label[rows, columns], candidates.time[rows, columns]
    unknown = np.isnan(time)
    weight = np.where(unknown, 1.0, 1.0 - config.time_weight).astype(np.float32)
    by_relation = weight * relational
    by_time = np.float32(config.time_weight) * np.where(unknown, 0, time).astype(np.float32)
    terms = {"relational": by_relation, "temporal": weight * label - by_relation, "time": by_time}
    if candidates.consensus is None:
        return terms
    rest, share = np.float32(1 - config.consensus), np.float32(config.consensus)
    return {
        **{name: rest * term for name, term in terms.items()},
        "consensus": share * candidates.consensus[rows, columns],
    }


def _relations(
    pair: Pair, result: Round, known: SeedLinks, left: Graph, right: Graph
) -> pl.DataFrame:
    """Relations that say the same by the seeds and the likely links, best first."""
    links = links_so_far(known, result.candidates, result.assignment)
    nodes = pair.left_nodes(links.left), pair.right_nodes(links.right)
    found = match_relations(pair, LinkedNodes.of(pair, *nodes))
    forward = found.left % 2 == 0  # the inverse of both says the same again
    one, other = found.left[forward] // 2, found.right[forward] - 2 * len(left.relations)
    return pl.DataFrame(
        {
            "left": pl.Series(left.relations, dtype=pl.String).gather(one),
            "right": pl.Series(right.relations, dtype=pl.String).gather(other // 2),
            "inverse": other % 2 == 1,
            "shared": found.shared[forward],
            "agreement": found.agreement[forward],
        }
    )


def _named(links: SeedLinks, left: Graph, right: Graph) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "left": pl.Series(left.entities, dtype=pl.String).gather(links.left),
            "right": pl.Series(right.entities, dtype=pl.String).gather(links.right),
        }
    )


def _provenance(
    preset: str,
    config: Config,
    n_threads: int,
    left: Graph,
    right: Graph,
    seeds: SeedLinks,
    links: pl.DataFrame,
    course: list[dict[str, Any]],
    watch: Watch,
) -> dict[str, Any]:
    sizes = {
        side: {
            "source": graph.source,
            "digest": graph.digest,
            "entities": len(graph.entities),
            "relations": len(graph.relations),
            "facts": len(graph.facts),
        }
        for side, graph in (("left", left), ("right", right))
    }
    return {
        "format": FORMAT_VERSION,
        "preset": preset,
        "config": asdict(config),
        "random_seed": config.random_seed,
        "engine": "cpu",
        "threads": n_threads,
        "versions": {
            "lighttea": lighttea.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "polars": pl.__version__,
        },
        "input": sizes,
        "seeds": len(seeds),
        "seeds_digest": seeds.digest(),
        "warnings": list(watch.warnings),
        "links": len(links),
        "rounds": course,
        "seconds": {name: round(value, 4) for name, value in watch.seconds.items()},
        "peak_mb": {name: round(value, 1) for name, value in watch.peak_mb.items()},
        "peak_rss_mb": round(peak_rss_mb(), 1),
        "expected_peak_mb": round(watch.expected_mb, 1),
    }
