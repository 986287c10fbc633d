"""The two graphs of a world: their ids, their relations and their gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lighttea.synth.config import SynthConfig
from lighttea.synth.world import LEFT, RIGHT, World, WorldFacts
from lighttea.types import Bools, Ints

LAST_YEAR = 2020
_DECADE = 10
# each purpose, and each chunk of it, has a generator of its own
_WORLD, _SHARED, _PRIVATE, _NOISE, _SIDE, _WORDS, _NAMES, _ORDER, _ALIKE = range(9)


@dataclass(frozen=True)
class Side:
    """How one graph describes the world: its ids, its relations, its gaps."""

    side: int  # LEFT or RIGHT
    entity_id: Ints  # (n_world,) the id in the files; -1 for entities of the other side
    relation_id: Ints  # (2, n_relations) the ids of the two halves; equal where not split
    undated: Bools  # (n_world,) heads whose facts have lost their time
    names: dict[int, str]  # of the relations


def draw_world(config: SynthConfig) -> World:
    """Return the world that the settings describe."""
    return World.draw(config, make_rng(config, _WORLD))


def make_rng(config: SynthConfig, *purpose: int) -> np.random.Generator:
    """Return the generator of a purpose."""
    return np.random.default_rng([config.random_seed, *purpose])


def make_sides(world: World) -> tuple[Side, Side]:
    """Return both sides; right ids follow left ids, in an order of their own."""
    config = world.config
    n_world = len(world.start)
    is_left = np.arange(n_world) < config.n_left
    is_right = ~is_left | (np.arange(n_world) < config.n_pairs)
    left_words, right_words = _draw_vocabularies(world)
    sides = []
    for side, is_member, words, offset, missing in (
        (LEFT, is_left, left_words, (0, 0), config.missing_left),
        (RIGHT, is_right, right_words, (config.n_left, left_words.max() + 1), config.missing_right),
    ):
        rng = make_rng(config, _SIDE, side)
        entity_id = np.full(n_world, -1)
        entity_id[is_member] = offset[0] + rng.permutation(np.count_nonzero(is_member))
        relation_id = np.where(words < 0, -1, words + offset[1])
        undated = rng.random(n_world) < missing
        names = _name_relations(relation_id, side, config)
        sides.append(Side(side, entity_id, relation_id, undated, names))
    return sides[0], sides[1]


def _draw_vocabularies(world: World) -> tuple[Ints, Ints]:
    """Return the relations of each side for the two halves of each world relation: (2, n) each.

    A relation is split by the left or by the right, or merged with another by one of them. Numbers
    are in random order; -1 where a side does not have the relation.
    """
    config = world.config
    n, rng = config.relations, make_rng(config, _WORDS)
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


def _name_relations(relation_id: Ints, side: int, config: SynthConfig) -> dict[int, str]:
    """Return the names of relations: one of the side's own, or one that both sides share."""
    kept = make_rng(config, _NAMES).random(config.relations) >= config.rename_rate
    used = np.unique(relation_id[relation_id >= 0]).tolist()
    names = {number: f"{name_side(side)} relation {number}" for number in used}
    for relation in np.flatnonzero(kept & (relation_id[0] >= 0)).tolist():
        names[int(relation_id[0, relation])] = f"relation {relation}"
    return names


def name_side(side: int) -> str:
    """Return left or right."""
    return "left" if side == LEFT else "right"


def draw_facts(world: World, side: Side, chunk: int) -> Iterator[dict[str, Ints]]:
    """Yield all facts of a side as columns, in random order, a chunk at a time."""
    config = world.config
    n_chunks = -(-max(config.n_facts_left, config.n_facts_right) // chunk)
    for number in make_rng(config, _ORDER, side.side).permutation(n_chunks).tolist():
        facts = draw_world_facts(world, side.side, number, n_chunks)
        yield _write_as_side(facts, side, config, make_rng(config, _NOISE, side.side, number))


def draw_world_facts(world: World, side: int, number: int, n_chunks: int) -> WorldFacts:
    """Return what a side tells of the world, one of `n_chunks` parts.

    Each side draws the common facts anew from the same generators: nothing is kept between them.
    Shared facts that are not common are alike on both sides, about the same entities.
    """
    config = world.config
    n_side = config.n_facts_left if side == LEFT else config.n_facts_right
    n_common, n_shared = config.n_facts_common, config.n_facts_shared
    common, alike, private = (
        (number + 1) * n // n_chunks - number * n // n_chunks
        for n in (n_common, n_shared - n_common, n_side - n_shared)
    )
    return WorldFacts.concatenate(
        world.draw_shared_facts(common, make_rng(config, _SHARED, number)),
        world.draw_shared_facts(alike, make_rng(config, _ALIKE, side, number)),
        world.draw_private_facts(side, private, make_rng(config, _PRIVATE, side, number)),
    )


def _write_as_side(
    facts: WorldFacts, side: Side, config: SynthConfig, rng: np.random.Generator
) -> dict[str, Ints]:
    """Return facts in the ids and relations of a side, in a new order, with its gaps and errors."""
    begin, end = facts.begin, facts.end
    if side.side == RIGHT:
        begin, end = _corrupt_dates(begin, end, config, rng)
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


def _corrupt_dates(
    begin: Ints, end: Ints, config: SynthConfig, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Return dates of which some are years off and some known to the decade only.

    An unknown end stays unknown.
    """
    n, known = len(begin), end > 0
    off = rng.integers(1, config.wrong_by + 1, n, np.int32) * rng.choice((-1, 1), n)
    off = np.where(rng.random(n) < config.wrong_rate, off, 0)
    coarse = rng.random(n) < config.coarse_rate
    dates = []
    for date in (begin, end):
        moved = np.clip(date + off, 1, config.ticks)
        dates.append(np.where(coarse, _floor_to_decade(moved, config), moved))
    return dates[0], np.where(known, dates[1], 0)


def _floor_to_decade(tick: Ints, config: SynthConfig) -> Ints:
    """Return the first tick of the decade, or the first of all."""
    year = tick + LAST_YEAR - config.ticks
    first: Ints = np.maximum(tick - year % _DECADE, 1)
    return first


def order_pairs(world: World) -> Ints:
    """Return the shared entities, seeds first; the draw of seeds favours popular entities."""
    config, rng = world.config, make_rng(world.config, _ORDER)
    weight = (world.rank_popularity()[: config.n_pairs] + 1.0) ** -config.seed_skew
    # the n first arrivals are a weighted draw without repetition
    arrival = rng.exponential(size=config.n_pairs) / weight
    seeds = np.argpartition(arrival, config.n_seeds)[: config.n_seeds]
    rest = np.setdiff1d(np.arange(config.n_pairs), seeds)
    return np.concatenate([rng.permutation(seeds), rng.permutation(rest)])
