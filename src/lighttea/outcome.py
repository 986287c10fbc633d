"""What a run keeps: its links, candidates and relations with names, and how it went."""

from __future__ import annotations

import platform
from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

import lighttea
from lighttea.assign.decode import Best, one_to_one
from lighttea.config import ADAPTABLE, Config, LinkRules
from lighttea.engines.base import Engine
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.graph.facts import Graph
from lighttea.graph.pair import SeedLinks
from lighttea.pipeline import Round, links_so_far
from lighttea.plan import KEPT_CANDIDATES
from lighttea.run import FORMAT_VERSION
from lighttea.stages import Watch, peak_rss_mb


def links_of(on: Engine, result: Round, rules: LinkRules | None = None) -> Best:
    """The candidates that are links; the tool abstains where it is not sure."""
    rules = rules or LinkRules()
    if rules.top_n:
        best = on.best_n(result.candidates, result.assignment, rules.top_n)
    else:
        best = on.best(result.candidates, result.assignment)
        best = best if rules.many_to_one else one_to_one(best)
    return best.take(np.flatnonzero(best.confidence >= result.settings.min_confidence))


def frames(
    on: Engine, result: Round, left: Graph, right: Graph, rules: LinkRules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """links and candidates, with names."""
    best = links_of(on, result, rules)
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
    kept = on.kept(
        result.labels, result.candidates, result.assignment, result.settings, KEPT_CANDIDATES
    )
    candidates = pl.DataFrame(
        {
            "left": left_names.gather(on.job.left[kept.row]),
            "right": right_names.gather(on.job.right[kept.place]),
            "rank": kept.rank,
            **kept.terms,
            "score": kept.score,
            "confidence": kept.confidence,
        }
    )
    return links, candidates


def relation_frame(on: Engine, result: Round, left: Graph, right: Graph) -> pl.DataFrame:
    """Relations that say the same by the seeds and the likely links, best first."""
    pair, links = on.job.pair, links_so_far(on, result.candidates, result.assignment)
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


def link_frame(links: SeedLinks, left: Graph, right: Graph) -> pl.DataFrame:
    """Links with names."""
    return pl.DataFrame(
        {
            "left": pl.Series(left.entities, dtype=pl.String).gather(links.left),
            "right": pl.Series(right.entities, dtype=pl.String).gather(links.right),
        }
    )


def what_it_did(on: Engine, result: Round) -> dict[str, Any]:
    """The course of one round, for the run's record."""
    reached = on.reached(result.candidates)
    return {
        **search_figures(result),
        "seeds": result.n_seeds,
        "left_with_candidates": reached,
        "left_without_candidates": len(on.job.left) - reached,
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


def provenance(
    preset: str,
    engine: str,
    config: Config,
    n_threads: int,
    left: Graph,
    right: Graph,
    seeds: SeedLinks,
    links: pl.DataFrame,
    course: list[dict[str, Any]],
    watch: Watch,
) -> dict[str, Any]:
    """What went in, with which settings, and how it went: run.json."""
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
        "warnings": list(watch.warnings),
        "links": len(links),
        "rounds": course,
        "seconds": {name: round(value, 4) for name, value in watch.seconds.items()},
        "peak_mb": {name: round(value, 1) for name, value in watch.peak_mb.items()},
        "peak_rss_mb": round(peak_rss_mb(), 1),
        "expected_peak_mb": round(watch.expected_mb, 1),
    }
