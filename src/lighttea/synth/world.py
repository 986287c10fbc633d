"""The world that all graphs describe: entities with types, communities and active years.

No list of facts is kept: facts are drawn a chunk at a time, and a chunk drawn twice from equal
generators is the same chunk. Ranks follow a power law by its inverse, in closed form, so that a
draw costs the same whatever the number of entities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.synth.config import SynthConfig
from lighttea.types import Bools, Doubles, Ints

_HEAD_SKEW = 0.6  # heads differ less in degree than tails do: weight is rank ** -skew
_ERA = 0.12  # mean age of an entity, as a share of all ticks: the past is thin
SHARED, LEFT, RIGHT = 0, 1, 2  # pools of entities, and the sides; further sides follow


@dataclass(frozen=True)
class WorldFacts:
    """Facts of the world: entities and relations by their world numbers, ticks from 1."""

    head: Ints
    relation: Ints
    tail: Ints
    begin: Ints
    end: Ints  # 0 where it is unknown

    def __len__(self) -> int:
        return len(self.head)

    def take(self, places: Ints) -> WorldFacts:
        """Return the facts at these places."""
        return WorldFacts(*(column[places] for column in vars(self).values()))

    @classmethod
    def concatenate(cls, *parts: WorldFacts) -> WorldFacts:
        """Return the facts of all parts, in their order."""
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))


@dataclass(frozen=True)
class Relations:
    """The types, the sides, the frequency and the share of intervals of each relation."""

    weight: Doubles  # (n_relations,)
    known: Bools  # (1 + n_graphs, n_relations) whether all sides have it, the left, the right ...
    head_type: Ints
    tail_type: Ints
    interval_rate: Doubles  # probability that a fact is an interval

    @classmethod
    def draw(cls, config: SynthConfig, n_types: int, rng: np.random.Generator) -> Relations:
        """Return relations of Zipf frequencies; all sides have the most frequent quarter."""
        n = config.relations
        weight = 1 / np.arange(1, n + 1)
        weight /= weight.sum()
        private = (rng.random(n) < config.private_relation_rate) & (np.arange(n) >= n / 4)
        owner = np.where(private, rng.integers(LEFT, config.graphs + 1, n), SHARED)
        sides = range(LEFT, config.graphs + 1)
        known = np.stack([owner == SHARED, *((owner == SHARED) | (owner == s) for s in sides)])
        head_type = rng.permutation(np.arange(n) % n_types)
        share = np.bincount(head_type, weight, n_types)
        tail_type = rng.choice(n_types, n, p=share / share.sum())
        return cls(weight, known, head_type, tail_type, _draw_interval_rates(config, weight, rng))

    def pick(self, pool: int, n: int, rng: np.random.Generator) -> Ints:
        """Return the relations of n facts that all sides have, or one of them."""
        steps = np.cumsum(self.weight * self.known[pool])
        picked: Ints = np.searchsorted(steps, rng.random(n) * steps[-1], side="right")
        return picked


def _draw_interval_rates(config: SynthConfig, weight: Doubles, rng: np.random.Generator) -> Doubles:
    """Return probabilities that differ by relation and whose weighted mean is the interval rate."""
    if config.interval_rate in (0, 1):
        return np.full(len(weight), float(config.interval_rate))
    taste = 3 * rng.standard_normal(len(weight))
    shift = np.linspace(-30, 30, 1201)
    probability = 1 / (1 + np.exp(-(taste[:, None] + shift)))  # (n_relations, n_shifts)
    chosen = np.interp(config.interval_rate, weight @ probability, shift)
    return np.asarray(1 / (1 + np.exp(-(taste + chosen))))


@dataclass(frozen=True)
class World:
    """Entities in pools (shared, left only, right only ...), each pool in blocks by type."""

    config: SynthConfig
    relations: Relations
    first: Ints  # (1 + n_graphs, n_types) first world number of a block
    size: Ints  # (1 + n_graphs, n_types)
    n_communities: int
    start: Ints  # (n_world,) the year in which an entity's facts begin

    @classmethod
    def draw(cls, config: SynthConfig, rng: np.random.Generator) -> World:
        """Return what all chunks of facts have in common."""
        n_types = min(config.types, max(1, config.n_pairs // 20), config.relations)
        relations = Relations.draw(config, n_types, rng)
        share = np.bincount(relations.head_type, relations.weight, n_types) + 0.1 / n_types
        counts = np.array(count_pools(config))
        steps = np.round(np.outer(counts, np.r_[0, np.cumsum(share / share.sum())])).astype(int)
        age = rng.exponential(_ERA * config.ticks, counts.sum()).astype(int)
        return cls(
            config=config,
            relations=relations,
            first=steps[:, :-1] + np.r_[0, np.cumsum(counts)[:-1]][:, None],
            size=np.diff(steps, axis=1),
            n_communities=max(1, config.n_pairs // config.community),
            start=np.clip(config.ticks + 1 - config.active - age, 1, None).astype(np.int32),
        )

    def rank_popularity(self) -> Ints:
        """Return each entity's rank among the tails of its type and pool; 0 is the most popular."""
        return np.concatenate([np.arange(size) for size in self.size.ravel()])

    def draw_shared_facts(self, n: int, rng: np.random.Generator) -> WorldFacts:
        """Return facts among shared entities, for all sides."""
        pool = np.full(n, SHARED)
        return self._draw_facts(SHARED, self.relations.pick(SHARED, n, rng), pool, pool, rng)

    def draw_private_facts(self, side: int, n: int, rng: np.random.Generator) -> WorldFacts:
        """Return facts of one side; its dangling entities get as many facts as the others."""
        relation = self.relations.pick(side, n, rng)
        own = self._dangling_share(side)
        head_pool, tail_pool = (np.where(rng.random(n) < own, side, SHARED) for _ in "ht")
        return self._draw_facts(side, relation, head_pool, tail_pool, rng)

    def _dangling_share(self, side: int) -> float:
        """Return the share of private facts whose head (or tail) is dangling."""
        config = self.config
        n_facts, n_entities = config.n_facts(side), config.n_entities(side)
        private = max(1, n_facts - config.n_facts_shared)
        return min(0.9, (n_entities - config.n_pairs) / n_entities * n_facts / private)

    def _draw_facts(
        self, side: int, relation: Ints, head_pool: Ints, tail_pool: Ints, rng: np.random.Generator
    ) -> WorldFacts:
        known, n = self.relations, len(relation)
        head_first, head_size = self._find_blocks(head_pool, known.head_type[relation])
        tail_first, tail_size = self._find_blocks(tail_pool, known.tail_type[relation])
        # shared facts favour the most popular entities, private facts others of each side
        turn = side * head_size // (1 + self.config.graphs)
        head_rank = (draw_ranks(head_size, _HEAD_SKEW, rng) + turn) % head_size
        head = head_first + head_rank
        tails = np.ceil(self.config.tail_rate * tail_size).astype(int)
        tail_rank = self._draw_tail_ranks(tails, head_rank, rng)
        loops = tail_first + tail_rank == head
        tail = tail_first + np.where(loops, (tail_rank + 1) % tails, tail_rank)
        begin, end = self._draw_times(head, rng.random(n) < known.interval_rate[relation], rng)
        return WorldFacts(head, relation, tail, begin, end)

    def _find_blocks(self, pool: Ints, kind: Ints) -> tuple[Ints, Ints]:
        """Return the first entity of a type in a pool, and their number."""
        pool = np.where(self.size[pool, kind] > 0, pool, SHARED)
        return self.first[pool, kind], self.size[pool, kind]

    def _draw_tail_ranks(self, tails: Ints, head_rank: Ints, rng: np.random.Generator) -> Ints:
        """Return ranks of tails, of all entities or of the head's community (every n-th rank)."""
        k = self.n_communities
        local = rng.random(len(tails)) < self.config.locality
        choice = np.where(local, np.maximum(1, tails // k), tails)
        rank = draw_ranks(choice, 1 / (self.config.exponent - 1), rng)
        return np.where(local, (rank * k + head_rank % k) % tails, rank)

    def _draw_times(
        self, head: Ints, lasting: Bools, rng: np.random.Generator
    ) -> tuple[Ints, Ints]:
        """Return begin, within the head's active years, and end, which may be equal or unknown."""
        config, n = self.config, len(head)
        begin = self.start[head] + rng.integers(0, min(config.active, config.ticks), n, np.int32)
        length = np.where(lasting, rng.geometric(1 / config.interval_length, n), 0)
        end = np.minimum(begin + length, config.ticks).astype(np.int32)
        unknown = lasting & (rng.random(n) < config.open_rate)
        return begin, np.where(unknown, 0, end)


def count_pools(config: SynthConfig) -> list[int]:
    """Return the number of entities of all sides, of the left only, of the right only ..."""
    sides = range(LEFT, config.graphs + 1)
    return [config.n_pairs, *(config.n_entities(side) - config.n_pairs for side in sides)]


def draw_ranks(n: Ints, skew: float, rng: np.random.Generator) -> Ints:
    """Return for each n a rank below n; its probability falls as (rank + 1) ** -skew.

    The degrees of entities drawn so have a power-law tail of exponent 1 + 1 / skew.
    """
    u = rng.random(len(n))
    if abs(skew - 1) < 1e-9:
        x = np.exp(u * np.log(n + 1.0))
    else:
        x = (((n + 1.0) ** (1 - skew) - 1) * u + 1) ** (1 / (1 - skew))
    ranks: Ints = np.clip(x.astype(np.int64) - 1, 0, n - 1)
    return ranks
