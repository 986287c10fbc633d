"""The tables of a run, with names in place of ids, and its provenance."""

from __future__ import annotations

import platform
from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

import lighttea
from lighttea.config import Config, LinkRules
from lighttea.engines.base import Engine
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.progress import Progress, peak_rss_mb
from lighttea.results.run import FORMAT_VERSION
from lighttea.solve.memory import kept_candidates
from lighttea.solve.record import links_of
from lighttea.solve.round import Round, links_so_far


def link_and_candidate_frames(
    engine: Engine, result: Round, left: Graph, right: Graph, rules: LinkRules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the tables of links and of kept candidates, with names."""
    best = links_of(engine, result, rules)
    left_names = pl.Series(left.entities, dtype=pl.String)
    right_names = pl.Series(right.entities, dtype=pl.String)
    links = pl.DataFrame(
        {
            "left": left_names.gather(best.left),
            "right": right_names.gather(best.right),
            "score": best.score,
            "confidence": best.confidence,
            "margin": best.margin,
        }
    ).sort("confidence", "margin", "left", "right", descending=[True, True, False, False])
    n_kept = kept_candidates(len(engine.problem.left))
    kept = engine.kept(result.labels, result.candidates, result.assignment, result.settings, n_kept)
    candidates = pl.DataFrame(
        {
            "left": left_names.gather(engine.problem.left[kept.row]),
            "right": right_names.gather(engine.problem.right[kept.place]),
            "rank": kept.rank,
            **kept.terms,
            "score": kept.score,
            "confidence": kept.confidence,
        }
    )
    return links, candidates


def relation_frame(engine: Engine, result: Round, left: Graph, right: Graph) -> pl.DataFrame:
    """Return the table of matching relations, by the seeds and the likely links, best first."""
    pair, links = engine.problem.pair, links_so_far(engine, result.candidates, result.assignment)
    nodes = pair.left_nodes(links.left), pair.right_nodes(links.right)
    matches = match_relations(pair, LinkedNodes.of(pair, *nodes))
    forward = matches.left % 2 == 0  # the inverses match likewise
    left_relation, right_relation = (
        matches.left[forward] // 2,
        matches.right[forward] - 2 * len(left.relations),
    )
    return pl.DataFrame(
        {
            "left": pl.Series(left.relations, dtype=pl.String).gather(left_relation),
            "right": pl.Series(right.relations, dtype=pl.String).gather(right_relation // 2),
            "inverse": right_relation % 2 == 1,
            "shared": matches.shared[forward],
            "agreement": matches.agreement[forward],
        }
    )


def link_frame(links: Links, left: Graph, right: Graph) -> pl.DataFrame:
    """Return links as a table with names."""
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
    course: list[dict[str, Any]],
    progress: Progress,
) -> dict[str, Any]:
    """Return the content of run.json: inputs, settings, versions, rounds, seconds, memory."""
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
        "engine": engine,
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
        "warnings": list(progress.warnings),
        "links": len(links),
        "rounds": course,
        "seconds": {name: round(value, 4) for name, value in progress.seconds.items()},
        "peak_mb": {name: round(value, 1) for name, value in progress.peak_mb.items()},
        "peak_rss_mb": round(peak_rss_mb(), 1),
        "expected_peak_mb": round(progress.expected_mb, 1),
    }
