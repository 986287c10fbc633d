"""The graphs of a world: their ids, their relations and their gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lighttea.synth.config import SynthConfig
from lighttea.synth.world import LEFT, RIGHT, World, WorldFacts, count_pools
from lighttea.types import Bools, Ints

LAST_YEAR = 2020
_DECADE = 10
# each purpose, and each chunk of it, has a generator of its own
_WORLD, _SHARED, _PRIVATE, _NOISE, _SIDE, _WORDS, _NAMES, _ORDER, _ALIKE = range(9)
_ABSENT, _UNTOLD, _TWICE = range(10, 13)  # 9: literals


@dataclass(frozen=True)
class Side:
    """How one graph describes the world: its ids, its relations, its gaps."""

    side: int  # LEFT, RIGHT, 3 ...
    entity_id: Ints  # (n_world,) the id in the files; -1 for entities of other sides alone
    second_id: Ints  # (n_world,) the other id of an entity that is there twice; -1 else
    by_time: Bools  # (n_world,) entities there twice: one id for their early facts, one for later
    relation_id: Ints  # (2, n_relations) the ids of the two halves; equal where not split
    undated: Bools  # (n_world,) heads whose facts have lost their time
    names: dict[int, str]  # of the relations


def draw_world(config: SynthConfig) -> World:
    """Return the world that the settings describe."""
    return World.draw(config, make_rng(config, _WORLD))


def make_rng(config: SynthConfig, *purpose: int) -> np.random.Generator:
    """Return the generator of a purpose."""
    return np.random.default_rng([config.random_seed, *purpose])


def make_sides(world: World) -> tuple[Side, ...]:
    """Return all sides; the ids of a side follow those of the side before, in their own order."""
    config, first_id, first_relation = world.config, 0, 0
    sides = []
    for side, words in enumerate(_draw_vocabularies(world), LEFT):
        rng = make_rng(config, _SIDE, side)
        members = _members(world, side)
        twice, by_time = _draw_duplicates(world, side, members)
        ids = first_id + rng.permutation(len(members) + len(twice))
        entity_id, second_id = (np.full(len(world.start), -1) for _ in range(2))
        entity_id[members], second_id[twice] = np.split(ids, [len(members)])
        relation_id = np.where(words < 0, -1, words + first_relation)
        missing = config.missing_left if side == LEFT else config.missing_right
        undated = rng.random(len(world.start)) < missing
        names = _name_relations(relation_id, side, config)
        sides.append(Side(side, entity_id, second_id, by_time, relation_id, undated, names))
        first_id, first_relation = first_id + len(ids), relation_id.max() + 1
    return tuple(sides)


def _members(world: World, side: int) -> Ints:
    """Return the entities of a side: those of its own, and shared ones, of which it may lack some.

    With two graphs both have all shared entities.
    """
    config, pools = world.config, count_pools(world.config)
    first = sum(pools[:side])
    own = np.arange(first, first + pools[side])
    rate = config.absent_rate if config.graphs > RIGHT else 0
    absent = make_rng(config, _ABSENT, side).random(config.n_pairs) < rate
    return np.concatenate([np.flatnonzero(~absent), own])


def _draw_duplicates(world: World, side: int, members: Ints) -> tuple[Ints, Bools]:
    """Return the entities that are there twice, and which of these are divided by time."""
    rng = make_rng(world.config, _TWICE, side)
    twice = rng.choice(members, round(world.config.duplicates * len(members)), replace=False)
    by_time = np.zeros(len(world.start), bool)
    by_time[twice] = rng.random(len(twice)) < 0.5
    return np.sort(twice), by_time


def _draw_vocabularies(world: World) -> list[Ints]:
    """Return the relations of each side for the two halves of each world relation: (2, n) each.

    A relation is split by one of the sides, or merged with another by one of them. Numbers
    are in random order; -1 where a side does not have the relation.
    """
    config = world.config
    n, rng = config.relations, make_rng(config, _WORDS)
    actor = rng.integers(LEFT, config.graphs + 1, n)
    lot = rng.random(n)
    partner = rng.integers(0, n, n)
    words = []
    for side in range(LEFT, config.graphs + 1):
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
    return words


def _name_relations(relation_id: Ints, side: int, config: SynthConfig) -> dict[int, str]:
    """Return the names of relations: one of the side's own, or one that the sides share."""
    kept = make_rng(config, _NAMES).random(config.relations) >= config.rename_rate
    used = np.unique(relation_id[relation_id >= 0]).tolist()
    names = {number: f"{name_side(side)} relation {number}" for number in used}
    for relation in np.flatnonzero(kept & (relation_id[0] >= 0)).tolist():
        names[int(relation_id[0, relation])] = f"relation {relation}"
    return names


def name_side(side: int) -> str:
    """Return left, right, or graph 3 and so on."""
    return {LEFT: "left", RIGHT: "right"}.get(side, f"graph {side}")


def draw_facts(world: World, side: Side, chunk: int) -> Iterator[dict[str, Ints]]:
    """Yield all facts of a side as columns, in random order, a chunk at a time."""
    config = world.config
    n_chunks = -(-max(config.n_facts_left, config.n_facts_right) // chunk)
    for number in make_rng(config, _ORDER, side.side).permutation(n_chunks).tolist():
        facts = draw_told_facts(world, side, number, n_chunks)
        yield _write_as_side(facts, side, world, make_rng(config, _NOISE, side.side, number))


def draw_told_facts(world: World, side: Side, number: int, n_chunks: int) -> WorldFacts:
    """Return what a side tells of the world, one of `n_chunks` parts."""
    return _keep_told(
        _draw_world_facts(world, side.side, number, n_chunks), side, world.config, number
    )


def _draw_world_facts(world: World, side: int, number: int, n_chunks: int) -> WorldFacts:
    """Return what a side could tell of the world, one of `n_chunks` parts.

    Each side draws the common facts anew from the same generators: nothing is kept between them.
    Shared facts that are not common are alike on both sides, about the same entities.
    """
    config = world.config
    n_side = config.n_facts(side)
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


def _keep_told(facts: WorldFacts, side: Side, config: SynthConfig, number: int) -> WorldFacts:
    """Return the facts that a side tells: about entities it has, and not all of the shared ones."""
    if config.graphs == RIGHT:
        return facts
    lot = make_rng(config, _UNTOLD, side.side, number).random(len(facts))
    is_shared = (facts.head < config.n_pairs) & (facts.tail < config.n_pairs)
    is_told = ~is_shared | (lot >= config.untold_rate)
    is_told &= (side.entity_id[facts.head] >= 0) & (side.entity_id[facts.tail] >= 0)
    return facts.take(np.flatnonzero(is_told))


def _write_as_side(
    facts: WorldFacts, side: Side, world: World, rng: np.random.Generator
) -> dict[str, Ints]:
    """Return facts in the ids and relations of a side, in a new order, with its gaps and errors."""
    config, begin, end = world.config, facts.begin, facts.end
    if side.side != LEFT:
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
    if config.duplicates:
        columns = _divide_facts(columns, facts, side, world, rng)
    order = rng.permutation(len(columns["head"]))
    return {name: column[order].astype(np.int32) for name, column in columns.items()}


def _divide_facts(
    columns: dict[str, Ints], facts: WorldFacts, side: Side, world: World, rng: np.random.Generator
) -> dict[str, Ints]:
    """Return the facts, those of entities that are there twice divided between their two ids.

    Some entities have an id for the earlier and one for the later half of their active years, the
    others' facts are divided at random. A share of the facts is told of both ids.
    """
    n, middle = len(facts), world.start + world.config.active // 2
    divided = dict(columns)
    for role, entity in (("head", facts.head), ("tail", facts.tail)):
        second = side.second_id[entity]
        is_late = np.where(side.by_time[entity], facts.begin >= middle[entity], rng.random(n) < 0.5)
        divided[role] = np.where((second >= 0) & is_late, second, columns[role])
    second = side.second_id[facts.head]
    both = np.flatnonzero((second >= 0) & (rng.random(n) < world.config.duplicate_overlap))
    other = np.where(divided["head"] == second, columns["head"], second)[both]
    again = {name: column[both] for name, column in divided.items()} | {"head": other}
    return {name: np.concatenate([divided[name], again[name]]) for name in columns}


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
