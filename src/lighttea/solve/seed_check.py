"""Are the seeds right? Judged by evidence that does not come from the seed that is judged.

What speaks for a seed is what its two entities say of other links and of times. It is compared with
what speaks for pairs drawn by chance, and with what speaks for other right entities. A right seed
wins that contest as often as the true counterpart of a wrong seed's left entity does, so the
share of contests that another entity wins is the share of wrong seeds. Decoys tell how many of
those are won by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lighttea.config import Config
from lighttea.engines.base import Blocks, Engine
from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.evidence import EvidenceSource, PlainTokens, has_tokens
from lighttea.evidence.relations import count_shared_neighbours
from lighttea.graph.pair import Links, Pair
from lighttea.similarity.allowed import refused_pairs
from lighttea.solve.problem import Problem
from lighttea.solve.start import cpu_engine
from lighttea.types import NO_CANDIDATE, Bools, Floats, Ints, NumpyArray, RightIds

FEWEST_SEEDS = 20  # that anything can be told of
MOST_SEEDS = 5_000  # that are judged; of more, a sample
NOTABLE = 0.03  # share of wrong seeds that is told, when it is above that for certain
LEAD = 1.25  # how many times as much speaks for a winner as for the runner-up
_CHANCE_PAIRS, _PROPOSED = 20, 8  # of each seed; proposed by each kind of search
_NORMAL_95 = 1.96
_STEPS = 20
_STREAM = 23  # keeps its random numbers apart from those of the rounds


@dataclass(frozen=True)
class SuspiciousSeeds:
    """Seeds that look wrong, the most suspicious first."""

    links: Links
    better: RightIds  # the right entity that fits better; -1 where none is known
    score: Floats  # consensus of the seed
    better_score: Floats  # consensus with the better one; 0 where none is known

    def __len__(self) -> int:
        return len(self.links)


@dataclass(frozen=True)
class SeedCheck:
    """What share of the seeds looks wrong, and which."""

    share: float  # of wrong seeds
    low: float  # the 95 % interval of that share
    high: float
    n_seeds: int  # looked at
    n_judged: int  # of those, with a winner
    fits_by_chance: bool  # the seeds fit no better than pairs drawn by chance
    suspicious: SuspiciousSeeds

    @property
    def is_notable(self) -> bool:
        """Whether a user should be told."""
        return self.fits_by_chance or self.low > NOTABLE


@dataclass(frozen=True)
class Contest:
    """What speaks for each seed, for pairs drawn by chance, and for other right entities."""

    seeds: Links
    score: Floats  # (n,) of the seed
    by_chance: Floats  # (n, k) of its left entity with right entities of other seeds
    rival: Ints  # (n, c) right ids, decoys among them, -1 where there are fewer
    rival_score: Floats  # (n, c)
    is_judgeable: Bools  # (n,) both ends have evidence
    n_right: int  # ids from here on are decoys
    n_decoys: int

    @property
    def is_supported(self) -> Bools:
        """Which seeds fit better than every pair drawn by chance, (n,)."""
        return np.asarray(self.is_judgeable & (self.score > self.by_chance.max(axis=1)))

    @property
    def expected_by_chance(self) -> float:
        """How many seeds would be supported if all were drawn by chance."""
        ordered = np.sort(self.by_chance, axis=1)
        is_single = ordered[:, -1] > ordered[:, -2]
        return float(is_single[self.is_judgeable].sum() / ordered.shape[1])

    @property
    def most_wrong(self) -> float:
        """The share of wrong seeds if all that are not supported are wrong."""
        n = max(1, int(self.is_judgeable.sum()))
        unsupported = 1 - self.is_supported.sum() / n
        return min(1.0, float(unsupported / max(1e-9, 1 - self.expected_by_chance / n)))

    @property
    def fits_by_chance(self) -> bool:
        """Whether the seeds fit no better than pairs drawn by chance."""
        expected = self.expected_by_chance
        most = expected + 3 * np.sqrt(expected + 1)
        return bool(self.is_judgeable.sum() >= FEWEST_SEEDS and self.is_supported.sum() <= most)


@dataclass(frozen=True)
class Winners:
    """Who wins the contest of each seed, where anybody does."""

    seed_wins: Bools  # (n,)
    rival_wins: Bools  # (n,) decoys not counted
    decoy_wins: Bools  # (n,)
    rival: RightIds  # (n,) the best rival, a decoy where its id is too large
    rival_score: Floats
    rivals_per_decoy: float  # how often a wrong entity is the best rival for each decoy that is


def check_seeds(
    problem: Problem, links: Links, config: Config, literals: Sequence[PlainTokens] = ()
) -> SeedCheck | None:
    """Return what the links, seeds among them, say of the seeds; None where there are too few."""
    known = problem.known
    if not config.consensus or len(known) < FEWEST_SEEDS:
        return None
    with problem.progress.stage("seed_check"):
        rng = np.random.default_rng([config.random_seed, _STREAM])
        sample = np.sort(rng.permutation(len(known))[:MOST_SEEDS])
        witnesses = find_witnesses(problem.pair, known, links)
        contest = hold_contest(problem, known.take(sample), witnesses, config, rng, literals)
        return judge(contest, find_winners(contest, witnesses.without(known)))


def find_witnesses(pair: Pair, known: Links, links: Links) -> Links:
    """Return the seeds, and the links found that would be there without any one seed.

    A link that rests on one common neighbour may be there because of the seed it would speak for.
    """
    is_found = ~np.isin(links.left, known.left)
    shared = count_shared_neighbours(PLAIN, pair, links)
    return known.extended(links.take(is_found & (shared >= 2)))


def hold_contest(
    problem: Problem,
    seeds: Links,
    witnesses: Links,
    config: Config,
    rng: np.random.Generator,
    literals: Sequence[PlainTokens],
) -> Contest:
    """Return what the witnesses and times say of the seeds, of chance pairs and of rivals."""
    full = problem.pair
    right = RightIds(np.concatenate([full.all_right, full.decoys]))
    pair = _facts_to_compare(full, seeds)
    engine = cpu_engine(replace(problem, pair=pair, left=seeds.left, right=right), config)
    source = EvidenceSource(engine, pair, seeds.left, right)
    simple = replace(config, joint_evidence=False)  # half the work, and enough to judge by
    evidence = source.gather(witnesses, simple, literals)
    chance = _draw_partners(seeds.right, rng)
    rival = np.concatenate(
        [_plain(engine, source.propose(evidence, _PROPOSED, neighbours=n)) for n in (True, False)],
        axis=1,
    )
    rival = _strike_refused_rivals(problem, seeds, rival)
    index = np.concatenate([seeds.right[:, None], chance, rival], axis=1).astype(np.int32)
    blocks: Blocks[NumpyArray] = Blocks([engine.hold(index)])
    score = _plain(engine, source.consensus(evidence, blocks))
    n_chance = chance.shape[1]
    is_known = has_tokens(engine.fetch(evidence), pair.n_nodes)
    both_known = is_known[pair.left_nodes(seeds.left)] & is_known[pair.right_nodes(seeds.right)]
    return Contest(
        seeds,
        score[:, 0],
        score[:, 1 : n_chance + 1],
        rival,
        score[:, n_chance + 1 :],
        both_known,
        full.n_right,
        full.n_decoys,
    )


def _facts_to_compare(pair: Pair, seeds: Links) -> Pair:
    """Return the facts of the seeds' left entities, of all right ones and of decoys."""
    is_compared = np.ones(pair.n_nodes, bool)
    is_compared[: pair.n_left] = False
    is_compared[pair.left_nodes(seeds.left)] = True
    kept = is_compared[pair.head]
    columns = {name: getattr(pair, name)[kept] for name in ("head", "relation", "tail", "tick")}
    return replace(pair, **columns)


def _draw_partners(right: RightIds, rng: np.random.Generator) -> Ints:
    """Return right entities of other seeds for each seed, (n, k)."""
    n_draws = min(_CHANCE_PAIRS, len(right) - 1)
    order = rng.permutation(len(right))
    place = np.empty(len(right), np.int64)
    place[order] = np.arange(len(right))
    shifts = 1 + rng.permutation(len(right) - 1)[:n_draws]
    return np.asarray(right[order[(place[:, None] + shifts) % len(right)]])


def _strike_refused_rivals(problem: Problem, seeds: Links, rival: Ints) -> Ints:
    """Return the rivals without the seed's own entity and without those that are not allowed."""
    refused = rival == seeds.right[:, None]
    if problem.allowed is not None:
        ids = problem.pair.without_decoys(RightIds(np.maximum(rival, 0)))
        left = np.broadcast_to(seeds.left[:, None], ids.shape)
        refused |= refused_pairs(PLAIN, problem.allowed, left, ids)
    return np.where(refused, NO_CANDIDATE, rival)


def _plain(engine: Engine[NumpyArray], blocks: Blocks[NumpyArray]) -> NumpyArray:
    return np.concatenate([engine.fetch(block) for block in blocks])


def find_winners(contest: Contest, found_links: Links) -> Winners:
    """Return who wins: fits better than chance, than all rivals, and than all other claims.

    Rivals are decoys, and right entities that neither a found link nor a supported seed has.
    """
    rows, own = np.arange(len(contest.seeds)), contest.score
    claims, is_supported = _best_claims(contest), contest.is_supported
    taken = np.append(found_links.right, contest.seeds.right[is_supported])
    is_free = (contest.rival != NO_CANDIDATE) & ~np.isin(contest.rival, taken)
    score = np.where(is_free, contest.rival_score, 0)
    place = score.argmax(axis=1)
    best, best_score = contest.rival[rows, place], score[rows, place]
    second = np.where(contest.rival == best[:, None], 0, score).max(axis=1)
    stands_out = contest.is_judgeable & (best_score >= claims[best])
    stands_out &= (best_score > contest.by_chance.max(axis=1)) & (best_score > LEAD * second)
    wins = stands_out & ~is_supported & (best_score > LEAD * own)
    seed_wins = is_supported & (own >= claims[contest.seeds.right]) & (own > LEAD * best_score)
    is_decoy = best >= contest.n_right
    wrong = stands_out & is_supported  # a rival of a right seed is wrong
    expected = (contest.n_right - len(taken)) / max(1, contest.n_decoys)
    per_decoy = (expected + (wrong & ~is_decoy).sum()) / (1 + (wrong & is_decoy).sum())
    return Winners(
        seed_wins, wins & ~is_decoy, wins & is_decoy, RightIds(best), best_score, float(per_decoy)
    )


def _best_claims(contest: Contest) -> Floats:
    """Return how much speaks for the best pair of each right entity that is looked at."""
    ids = np.concatenate([contest.seeds.right[:, None], contest.rival], axis=1)
    score = np.concatenate([contest.score[:, None], contest.rival_score], axis=1)
    best = np.zeros(int(ids.max()) + 1, np.float32)
    np.maximum.at(best, ids[ids >= 0], score[ids >= 0])
    return best


def judge(contest: Contest, winners: Winners) -> SeedCheck:
    """Return the share of wrong seeds: at least those that a rival beats, at most the unsupported.

    The estimate lies in the middle of the two. Decoys say how many rivals win by chance.
    """
    n_by_chance = float(winners.decoy_wins.sum()) * winners.rivals_per_decoy
    n_right, n_wrong = int(winners.seed_wins.sum()), int(winners.rival_wins.sum())
    likely = _correct_by_chance(contest, n_right, n_wrong, n_by_chance)
    most_by_chance = n_by_chance + 1.64 * n_by_chance**0.5
    least = _correct_by_chance(contest, n_right, n_wrong, most_by_chance)
    beaten = likely / max(1.0, likely + n_right)
    is_named = n_wrong > 0 and n_by_chance <= n_wrong / 2
    by_chance = contest.fits_by_chance
    check = SeedCheck(
        share=1.0 if by_chance else (beaten + max(beaten, contest.most_wrong)) / 2,
        low=0.0 if by_chance and not is_named else _interval(least, least + n_right)[0],
        high=1.0
        if by_chance
        else max(_interval(n_wrong, n_wrong + n_right)[1], contest.most_wrong),
        n_seeds=len(contest.seeds),
        n_judged=n_right + n_wrong,
        fits_by_chance=by_chance,
        suspicious=list_suspicious(contest, winners, named=is_named),
    )
    return check if check.is_notable else replace(check, suspicious=_only_named(check.suspicious))


def _correct_by_chance(contest: Contest, n_right: int, n_wrong: int, n_by_chance: float) -> float:
    """Return how many rivals win because a seed is wrong.

    A rival that wins by chance misleads only where the seed is right and nothing speaks for it. How
    many such seeds there are follows from the share of wrong ones, so it is found step by step.
    """
    n, n_supported = int(contest.is_judgeable.sum()), int(contest.is_supported.sum())
    likely = float(n_wrong)
    for _ in range(_STEPS):
        share = likely / max(1.0, likely + n_right)
        n_right_unsupported = max(0.0, n * (1 - share) - n_supported)
        misled = n_by_chance * n_right_unsupported / max(1, n - n_supported)
        likely = max(0.0, n_wrong - misled)
    return likely


def _interval(count: float, n: float) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's score, from 0 to 1 where n is 0."""
    square = _NORMAL_95**2
    centre = (count + square / 2) / (n + square)
    spread = (count * (n - count) / n + square / 4) ** 0.5 if n else square / 2 / _NORMAL_95
    spread *= _NORMAL_95 / (n + square)
    return max(centre - spread, 0.0), min(centre + spread, 1.0)


def list_suspicious(contest: Contest, winners: Winners, *, named: bool) -> SuspiciousSeeds:
    """Return the seeds that another entity beats, then those that nothing speaks for.

    Without `named`, who beats them is left out: chance alone makes as many better ones.
    """
    is_beaten = winners.rival_wins & named
    is_doubtful = contest.is_judgeable & ~contest.is_supported
    ahead = np.where(is_beaten, winners.rival_score, 0) - contest.score
    order = np.lexsort((-ahead, ~is_beaten))
    kept = order[is_doubtful[order]]
    return SuspiciousSeeds(
        contest.seeds.take(kept),
        RightIds(np.where(is_beaten, winners.rival, NO_CANDIDATE)[kept]),
        contest.score[kept],
        np.where(is_beaten, winners.rival_score, 0)[kept].astype(np.float32),
    )


def _only_named(suspicious: SuspiciousSeeds) -> SuspiciousSeeds:
    """Return the seeds that another entity beats."""
    kept = np.flatnonzero(suspicious.better != NO_CANDIDATE)
    return SuspiciousSeeds(
        suspicious.links.take(kept),
        RightIds(suspicious.better[kept]),
        suspicious.score[kept],
        suspicious.better_score[kept],
    )
