"""What a run keeps: its links, candidates and relations with names, and how it went."""

from __future__ import annotations

import platform
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl

from lighttea.alarms.find import find_alarms
from lighttea.alarms.graphs import LinkedGraphs
from lighttea.config import Config
from lighttea.evidence.likelihood_model import LikelyPairs
from lighttea.evidence.relations import RelationMatches
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.io.frames import frame_of_graph, names_of_graph
from lighttea.io.literals import frame_of_attributes
from lighttea.progress import Progress, peak_rss_mb
from lighttea.results.alarms import with_alarm_codes
from lighttea.results.literals import attribute_matches_frame
from lighttea.results.run import Run
from lighttea.results.schema import FILES, FORMAT_VERSION
from lighttea.results.seeds import suspicious_seeds_frame
from lighttea.solve.problem import Problem
from lighttea.solve.solution import Solution
from lighttea.types import LeftIds, RightIds
from lighttea.version import __version__


def make_run(solution: Solution, problem: Problem, left: Graph, right: Graph, seeds: Links) -> Run:
    """Return the tables of a run, with names; its record is added by the caller."""
    links = _match_frame(solution, left, right)
    with problem.progress.stage("alarms"):
        alarms = _alarms(solution, problem, left, right, seeds)
    return Run(
        links=with_alarm_codes(links, alarms),
        candidates=_candidate_frame(solution, problem, left, right),
        relations=_relation_frame(solution.relations, left, right),
        evidence_links=link_frame(solution.evidence_links, left, right),
        likely_pairs=_pair_frame(solution.likely_pairs, left, right),
        seeds=link_frame(seeds, left, right),
        facts_left=frame_of_graph(left),
        facts_right=frame_of_graph(right),
        info={},
        names_left=names_of_graph(left),
        names_right=names_of_graph(right),
        suspicious_seeds=suspicious_seeds_frame(solution.seed_check, left, right),
        attribute_matches=attribute_matches_frame(solution.literals),
        attributes_left=frame_of_attributes(left),
        attributes_right=frame_of_attributes(right),
    )


def _match_frame(solution: Solution, left: Graph, right: Graph) -> pl.DataFrame:
    """Return the links with names, the most confident first."""
    matches = solution.matches
    return (
        link_frame(solution.links, left, right)
        .with_columns(
            pl.Series("score", matches.score),
            pl.Series("confidence", matches.confidence),
            pl.Series("margin", matches.margin),
            pl.lit(None, pl.Float32).alias("fdr")
            if solution.fdr is None
            else pl.Series("fdr", solution.fdr),
        )
        .sort("confidence", "margin", "left", "right", descending=[True, True, False, False])
    )


def _alarms(
    solution: Solution, problem: Problem, left: Graph, right: Graph, seeds: Links
) -> pl.DataFrame:
    """Return the alarms of all links; relations are matched by the best link of each entity."""
    links = solution.links
    falling = np.argsort(-solution.matches.confidence, kind="stable")
    best = falling[np.unique(links.left[falling], return_index=True)[1]]
    best_links = Links(LeftIds(links.left[best]), RightIds(links.right[best]))
    known = seeds.extended(best_links)
    return find_alarms(LinkedGraphs.of(left, right, links, known, problem.pair))


def _candidate_frame(
    solution: Solution, problem: Problem, left: Graph, right: Graph
) -> pl.DataFrame:
    """Return the kept candidates with names and the terms of their scores."""
    kept = solution.candidates
    return pl.DataFrame(
        {
            "left": pl.Series(left.entities, dtype=pl.String).gather(problem.left[kept.row]),
            "right": pl.Series(right.entities, dtype=pl.String).gather(problem.right[kept.place]),
            "rank": kept.rank,
            **kept.terms,
            "score": kept.score,
            "confidence": kept.confidence,
        }
    )


def _relation_frame(matches: RelationMatches, left: Graph, right: Graph) -> pl.DataFrame:
    """Return relations that say the same by the seeds and the likely links, best first."""
    forward = matches.left % 2 == 0  # the inverse of both says the same again
    left_ids = matches.left[forward] // 2
    right_ids = matches.right[forward] - 2 * len(left.relations)
    return pl.DataFrame(
        {
            "left": pl.Series(left.relations, dtype=pl.String).gather(left_ids),
            "right": pl.Series(right.relations, dtype=pl.String).gather(right_ids // 2),
            "inverse": right_ids % 2 == 1,
            "shared": matches.shared[forward],
            "agreement": matches.agreement[forward],
        }
    )


def _pair_frame(pairs: LikelyPairs, left: Graph, right: Graph) -> pl.DataFrame:
    """Return likely pairs with names."""
    return link_frame(pairs.links, left, right).with_columns(chance=pl.Series(pairs.chance))


def link_frame(links: Links, left: Graph, right: Graph) -> pl.DataFrame:
    """Links with names."""
    return pl.DataFrame(
        {
            "left": pl.Series(left.entities, dtype=pl.String).gather(links.left),
            "right": pl.Series(right.entities, dtype=pl.String).gather(links.right),
        }
    )


def provenance(
    preset: str,
    engine: str,
    config: Config,
    n_threads: int,
    left: Graph,
    right: Graph,
    seeds: Links,
    links: pl.DataFrame,
    records: list[dict[str, Any]],
    progress: Progress,
) -> dict[str, Any]:
    """What went in, with which settings, and how it went: run.json."""
    sizes = {
        side: {
            "name": graph.name,
            "source": graph.source,
            "digest": graph.digest,
            "entities": len(graph.entities),
            "relations": len(graph.relations),
            "facts": len(graph.facts),
            "literals": len(graph.attributes),
        }
        for side, graph in (("left", left), ("right", right))
    }
    return {
        "format": FORMAT_VERSION,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": FILES,
        "preset": preset,
        "config": asdict(config),
        "random_seed": config.random_seed,
        "engine": engine,
        "threads": n_threads,
        "versions": used_versions(),
        "input": sizes,
        "seeds": len(seeds),
        "seeds_digest": seeds.digest(),
        "warnings": list(progress.warnings),
        "links": len(links),
        "rounds": records,
        "seconds": {name: round(value, 4) for name, value in progress.seconds.items()},
        "peak_mb": {name: round(value, 1) for name, value in progress.peak_mb.items()},
        "peak_rss_mb": round(peak_rss_mb(), 1),
        "expected_peak_mb": round(progress.expected_mb, 1),
    }


def used_versions() -> dict[str, str]:
    """Return the versions of lighttea, of Python and of what makes the tables."""
    return {
        "lighttea": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "polars": pl.__version__,
    }
