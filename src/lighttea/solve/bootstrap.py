"""Seeds found without being told: entities whose times, surroundings or names fit nobody else.

Round after round the rarest evidence in common suggests candidates, confidence tells which of them
can be trusted, and their neighbours are evidence for more. Nothing here looks at a known link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lighttea.assign.decode import Best
from lighttea.assign.sinkhorn import Assignment
from lighttea.config import Config
from lighttea.engines.base import Engine
from lighttea.errors import InputError
from lighttea.evidence.shapes import shape_tokens
from lighttea.graph.pair import Links
from lighttea.similarity.sources import BY_NEIGHBOURS, BY_TIMES
from lighttea.solve.rounds import precise_threshold

SUGGESTED = 50  # candidates of each entity, by each kind of search
SURE = 0.8  # confidence below which no pair is taken
FEWEST, LOWEST_SHARE = 10, 0.002  # pairs that have to be found, also as a share of the entities
_PASSES = 4


@dataclass(frozen=True)
class FoundSeeds:
    """Pairs that were found, and how many of them are right by their own word."""

    links: Links
    precision: float


def find_seeds(on: Engine, config: Config) -> FoundSeeds:
    """Pairs to begin with, beside the known ones; an error with advice where there are too few."""
    problem = on.problem
    links, sure = Links.none(), 0.0
    shapes = list(shape_tokens(problem.pair))
    for _ in range(_PASSES):
        with problem.progress.stage("seeds"):
            so_far = problem.known.with_pairs(links.left, links.right)
            evidence = on.evidence(so_far, config, (*problem.names, *shapes))
            best = _trusted(on, evidence, config)
        if best is None or not len(best.left):
            break
        before, links = links, Links(best.left, best.right)
        sure = float(best.confidence.mean())
        if links.agrees_with(before, config.convergence):
            break
    fewest = max(FEWEST, int(LOWEST_SHARE * min(problem.pair.n_left, problem.pair.n_right)))
    if not len(problem.known) and len(links) < fewest:
        raise InputError(
            f"no seeds were given, and only {len(links)} pairs of entities are sure enough without "
            f"any ({fewest} are needed): their times and surroundings do not tell them apart; "
            "give some known links (--seeds FILE), or --names where both graphs have names"
        )
    return FoundSeeds(links, sure)


def _trusted(on: Engine, evidence: Any, config: Config) -> Best | None:
    """The pairs that evidence alone makes sure; None where it says nothing."""
    tables = {
        bit: on.suggested(evidence, SUGGESTED, neighbours=neighbours)
        for bit, neighbours in ((BY_NEIGHBOURS, True), (BY_TIMES, False))
    }
    candidates = on.candidates_by_evidence(evidence, tables)
    chances = on.confidence(candidates, config.iterations)
    if chances is None:
        return None
    assignment = Assignment(chances.value, 0.0, chances.value, chances.share)
    best = on.claims(candidates, assignment, Links.none())
    threshold = max(SURE, precise_threshold(best))
    return best.take(np.flatnonzero(best.confidence > threshold))


def first_seeds(on: Engine, config: Config) -> tuple[Links, dict[str, Any]]:
    """The pairs to begin with: the known ones and those that can be found, and what is to say."""
    known = on.problem.known
    if len(known) and not config.bootstrap:
        return known, {}
    found = find_seeds(on, config)
    told = {"found_seeds": len(found.links), "found_seeds_precision": round(found.precision, 4)}
    return known.with_pairs(found.links.left, found.links.right), told
