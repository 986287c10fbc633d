"""The tables of a run of which a part was worked on again: the rest is as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from lighttea.assign.decode import BestCandidates, PlainBest
from lighttea.assign.fdr import false_discovery_rates
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.results.run import Run
from lighttea.results.tables import link_frame, make_run
from lighttea.solve.solution import Solution
from lighttea.types import NO_CANDIDATE, Floats
from lighttea.update.last import PAIR, ids_of_pairs
from lighttea.update.work import WorkedPart


def join_tables(
    last: Run,
    worked: WorkedPart,
    left: Graph,
    right: Graph,
    seeds: Links,
    standing: Links,
    max_fdr: float,
) -> Run:
    """Return the run of both graphs: new tables, with what the last run says of all others.

    `standing` are the links of the last run that were not worked on again.
    """
    stood = last.links.join(
        link_frame(standing, left, right), on=PAIR, how="semi", maintain_order="left"
    )
    solution = _with_further_links(worked.solution, stood, left, right, max_fdr)
    run = make_run(solution, worked.problem, left, right, seeds)
    others = _candidates_of_others(last, worked, left, right, seeds)
    return replace(
        run,
        candidates=pl.concat([others, run.candidates], how="diagonal_relaxed"),
        suspicious_seeds=last.suspicious_seeds.join(run.seeds, on=PAIR, how="semi"),
    )


def _candidates_of_others(
    last: Run, worked: WorkedPart, left: Graph, right: Graph, seeds: Links
) -> pl.DataFrame:
    """Return the candidates of entities that are still there and were not worked on again."""
    is_other = np.ones(len(left.entities), bool)
    is_other[worked.problem.left] = is_other[seeds.left] = False
    lefts = pl.Series(left.entities, dtype=pl.String).filter(pl.Series(is_other))
    rights = pl.Series(right.entities, dtype=pl.String)
    return last.candidates.filter(
        pl.col("left").is_in(lefts.implode()), pl.col("right").is_in(rights.implode())
    )


def _with_further_links(
    solution: Solution, stood: pl.DataFrame, left: Graph, right: Graph, max_fdr: float
) -> Solution:
    """Return a solution with links of an earlier run before its own, up to a share of wrong ones.

    Where the confidence of any is no probability, there is no such share.
    """
    ids, own = ids_of_pairs(stood, left, right)[0], solution.matches
    nowhere = np.full(len(ids), NO_CANDIDATE, np.int64)  # in the problem of the part
    figures = {
        name: stood[name].to_numpy().astype(np.float32)
        for name in ("score", "confidence", "margin")
    }
    before = BestCandidates(row=nowhere, place=nowhere, value=figures["confidence"], **figures)
    joined = BestCandidates(
        **{
            name: np.concatenate([getattr(before, name), column])
            for name, column in vars(own).items()
        }
    )
    links, fdr = ids.extended(solution.links), None
    if solution.fdr is not None and not stood["fdr"].null_count():
        fdr = false_discovery_rates(joined.confidence)
        joined, links, fdr = _up_to(max_fdr, joined, links, fdr)
    return replace(solution, matches=joined, links=links, fdr=fdr)


def _up_to(
    most: float, matches: PlainBest, links: Links, fdr: Floats
) -> tuple[PlainBest, Links, Floats]:
    """Return the links whose expected share of wrong ones is no more than that."""
    kept = np.flatnonzero(fdr <= most)
    return matches.take(kept), links.take(kept), fdr[kept]
