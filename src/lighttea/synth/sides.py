"""The world as two graphs see it, in numbers: their ids, their words, their gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lighttea.synth.config import SynthConfig
from lighttea.synth.world import LEFT, RIGHT, World, WorldFacts
from lighttea.types import Bools, Ints

LAST_YEAR = 2020
_DECADE = 10
# a generator of its own for each purpose, and for each chunk of it
_WORLD, _SHARED, _PRIVATE, _NOISE, _SIDE, _WORDS, _NAMES, _ORDER = range(8)


@dataclass(frozen=True)
class Side:
    """How one graph writes the world: its numbers, its words, its gaps."""

    side: int  # LEFT or RIGHT
    entity_id: Ints  # (n_world,) the id in the files; -1 for entities of the other side
    relation_id: Ints  # (2, n_relations) the ids of the two halves; equal where not split
    undated: Bools  # (n_world,) heads whose facts have lost their time
    names: dict[int, str]  # of the relations


def world_of(config: SynthConfig) -> World:
    """The world that such settings make."""
    return World.draw(config, _rng(config, _WORLD))


def _rng(config: SynthConfig, *purpose: int) -> np.random.Generator:
    return np.random.default_rng([config.random_seed, *purpose])


def sides_of(world: World) -> tuple[Side, Side]:
    """Both sides; right ids follow left ids, and no order on one says anything of the other."""
    config = world.config
    n_world = len(world.start)
    is_left = np.arange(n_world) < config.n_left
    is_right = ~is_left | (np.arange(n_world) < config.n_pairs)
    left_words, right_words = _vocabularies(world)
    sides = []
    for side, there, words, offset, missing in (
        (LEFT, is_left, left_words, (0, 0), config.missing_left),
        (RIGHT, is_right, right_words, (config.n_left, left_words.max() + 1), config.missing_right),
    ):
        rng = _rng(config, _SIDE, side)
        entity_id = np.full(n_world, -1)
        entity_id[there] = offset[0] + rng.permutation(np.count_nonzero(there))
        relation_id = np.where(words < 0, -1, words + offset[1])
        undated = rng.random(n_world) < missing
        names = _relation_names(relation_id, side, config)
        sides.append(Side(side, entity_id, relation_id, undated, names))
    return sides[0], sides[1]


def _vocabularies(world: World) -> tuple[Ints, Ints]:
    """The words of each side for the two halves of each relation, in random order: (2, n) each.

    A relation is split by the left or by the right, or merged with another by one of them.
    """
    config = world.config
    n, rng = config.relations, _rng(config, _WORDS)
    actor = rng.integers(LEFT, RIGHT + 1, n)
    lot = rng.random(n)
    partner = rng.integers(0, n, n)
    words = []
    for side in (LEFT, RIGHT):
        halves = np.stack([np.arange(n), np.arange(n)])
        split = (lot < config.split_rate) & (actor == side)
        merged = (lot >= 1 - config.merge_rate) & (actor == side) & ~split & ~split[partner]
        merged &= world.relations.known[side][partner]
        halves[1, split] += n
        target = np.where(merged[partner], np.arange(n), partner)  # no chains of merging
        halves[:, merged] = target[merged]
        halves[:, ~world.relations.known[side]] = -1
        used = np.unique(halves[halves >= 0])
        number = np.full(2 * n, -1)
        number[used] = rng.permutation(len(used))
        words.append(np.where(halves < 0, -1, number[halves]))
    return words[0], words[1]


def _relation_names(relation_id: Ints, side: int, config: SynthConfig) -> dict[int, str]:
    """The ids as names, but a common name for what the lot, equal on both sides, leaves as is."""
    kept = _rng(config, _NAMES).random(config.relations) >= config.rename_rate
    used = np.unique(relation_id[relation_id >= 0]).tolist()
    names = {number: f"{side_name(side)} relation {number}" for number in used}
    for relation in np.flatnonzero(kept & (relation_id[0] >= 0)).tolist():
        names[int(relation_id[0, relation])] = f"relation {relation}"
    return names


def side_name(side: int) -> str:
    """As people say it."""
    return "left" if side == LEFT else "right"


def fact_columns(world: World, side: Side, chunk: int) -> Iterator[dict[str, Ints]]:
    """All facts of a side in random order, a chunk at a time.

    Each side draws the shared facts anew from the same generators: nothing is held between them.
    """
    config = world.config
    n_side = config.n_facts_left if side.side == LEFT else config.n_facts_right
    n_chunks = -(-max(config.n_facts_left, config.n_facts_right) // chunk)
    shared = np.diff(np.arange(n_chunks + 1) * config.n_facts_shared // n_chunks)
    private = np.diff(np.arange(n_chunks + 1) * (n_side - config.n_facts_shared) // n_chunks)
    for number in _rng(config, _ORDER, side.side).permutation(n_chunks).tolist():
        facts = WorldFacts.joined(
            world.shared_facts(int(shared[number]), _rng(config, _SHARED, number)),
            world.private_facts(
                side.side, int(private[number]), _rng(config, _PRIVATE, side.side, number)
            ),
        )
        yield _as_written(facts, side, config, _rng(config, _NOISE, side.side, number))


def _as_written(
    facts: WorldFacts, side: Side, config: SynthConfig, rng: np.random.Generator
) -> dict[str, Ints]:
    """Facts in the side's ids and words, in a new order, with what happened to their dates."""
    begin, end = facts.begin, facts.end
    if side.side == RIGHT:
        begin, end = _spoilt(begin, end, config, rng)
    dated = ~side.undated[facts.head]
    half = facts.tail % 2  # a relation is split by what its tail is
    columns = {
        "head": side.entity_id[facts.head],
        "relation": side.relation_id[half, facts.relation],
        "tail": side.entity_id[facts.tail],
        "begin": begin * dated,
        "end": end * dated,
    }
    order = rng.permutation(len(facts))
    return {name: column[order].astype(np.int32) for name, column in columns.items()}


def _spoilt(
    begin: Ints, end: Ints, config: SynthConfig, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Some dates a little off, some known to the decade alone; an unknown end stays unknown."""
    n, known = len(begin), end > 0
    off = rng.integers(1, config.wrong_by + 1, n, np.int32) * rng.choice((-1, 1), n)
    off = np.where(rng.random(n) < config.wrong_rate, off, 0)
    coarse = rng.random(n) < config.coarse_rate
    ends = []
    for one in (begin, end):
        moved = np.clip(one + off, 1, config.ticks)
        ends.append(np.where(coarse, _decade(moved, config), moved))
    return ends[0], np.where(known, ends[1], 0)


def _decade(tick: Ints, config: SynthConfig) -> Ints:
    """The first tick of the decade, or the very first of all."""
    year = tick + LAST_YEAR - config.ticks
    first: Ints = np.maximum(tick - year % _DECADE, 1)
    return first


def seeds_first(world: World) -> Ints:
    """The shared entities: first the seeds, a draw that favours the best known, then the rest."""
    config, rng = world.config, _rng(world.config, _ORDER)
    weight = (world.popularity()[: config.n_pairs] + 1.0) ** -config.seed_skew
    arrival = rng.exponential(size=config.n_pairs) / weight  # a race: n first, without repetition
    seeds = np.argpartition(arrival, config.n_seeds)[: config.n_seeds]
    rest = np.setdiff1d(np.arange(config.n_pairs), seeds)
    return np.concatenate([rng.permutation(seeds), rng.permutation(rest)])
