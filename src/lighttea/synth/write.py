"""The world as two graphs, in the format of dataset folders, a chunk of facts at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from lighttea.errors import InputError
from lighttea.io.outputs import writing
from lighttea.io.runs import run_folder
from lighttea.synth.config import SynthConfig
from lighttea.synth.world import LEFT, RIGHT, World, WorldFacts
from lighttea.types import Bools, Ints

CHUNK = 500_000  # facts of a side drawn at once
_LAST_YEAR = 2020
_DECADE = 10
# a generator of its own for each purpose, and for each chunk of it
_WORLD, _SHARED, _PRIVATE, _NOISE, _SIDE, _WORDS, _NAMES, _ORDER = range(8)


@dataclass(frozen=True)
class SynthSummary:
    """What was written."""

    left_entities: int
    right_entities: int
    left_relations: int
    right_relations: int
    left_facts: int
    right_facts: int
    shared_facts: int
    pairs: int
    seeds: int
    ticks: int


@dataclass(frozen=True)
class Side:
    """How one graph writes the world: its numbers, its words, its gaps."""

    side: int  # LEFT or RIGHT
    entity_id: Ints  # (n_world,) the id in the files; -1 for entities of the other side
    relation_id: Ints  # (2, n_relations) the ids of the two halves; equal where not split
    undated: Bools  # (n_world,) heads whose facts have lost their time
    names: dict[int, str]  # of the relations


def write_synth(folder: str | Path, config: SynthConfig, *, chunk: int = CHUNK) -> SynthSummary:
    """Write a pair of graphs with known truth as a dataset folder, which must not exist yet."""
    target = Path(folder)
    if target.is_dir() and any(target.iterdir()):
        raise InputError(f"{target}: the folder is not empty; choose another --out")
    world = World.draw(config, _rng(config, _WORLD))
    left, right = _sides(world)
    with run_folder(target) as unfinished:
        for one in (left, right):
            _write_facts(unfinished / f"triples_{one.side}", world, one, chunk)
            _write_names(unfinished, one)
        _write_pairs(unfinished, world, left, right)
        _write_years(unfinished / "time_id", config)
    return SynthSummary(
        left_entities=config.n_left,
        right_entities=config.n_right,
        left_relations=len(left.names),
        right_relations=len(right.names),
        left_facts=config.n_facts_left,
        right_facts=config.n_facts_right,
        shared_facts=config.n_facts_shared,
        pairs=config.n_pairs,
        seeds=config.n_seeds,
        ticks=config.ticks,
    )


def _rng(config: SynthConfig, *purpose: int) -> np.random.Generator:
    return np.random.default_rng([config.random_seed, *purpose])


def _sides(world: World) -> tuple[Side, Side]:
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
    names = {number: f"{_side_name(side)} relation {number}" for number in used}
    for relation in np.flatnonzero(kept & (relation_id[0] >= 0)).tolist():
        names[int(relation_id[0, relation])] = f"relation {relation}"
    return names


def _side_name(side: int) -> str:
    return "left" if side == LEFT else "right"


def _write_facts(path: Path, world: World, side: Side, chunk: int) -> None:
    with writing(path), path.open("wb") as file:
        for frame in _frames(world, side, chunk):
            frame.write_csv(file, separator="\t", include_header=False)


def _frames(world: World, side: Side, chunk: int) -> Iterator[pl.DataFrame]:
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
) -> pl.DataFrame:
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
    return pl.DataFrame({name: column[order].astype(np.int32) for name, column in columns.items()})


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
    year = tick + _LAST_YEAR - config.ticks
    first: Ints = np.maximum(tick - year % _DECADE, 1)
    return first


def _write_names(folder: Path, side: Side) -> None:
    """Names of entities say nothing; some of the relations' do."""
    ids = np.sort(side.entity_id[side.entity_id >= 0])
    entities = pl.DataFrame({"id": ids}).with_columns(
        name=pl.format(_side_name(side.side) + " {}", "id")
    )
    relations = pl.DataFrame({"id": sorted(side.names)}).with_columns(
        name=pl.col("id").replace_strict(side.names)
    )
    _write(folder / f"ent_ids_{side.side}", entities)
    _write(folder / f"rel_ids_{side.side}", relations)


def _seeds_first(world: World) -> Ints:
    """The shared entities: first the seeds, a draw that favours the best known, then the rest."""
    config, rng = world.config, _rng(world.config, _ORDER)
    weight = (world.popularity()[: config.n_pairs] + 1.0) ** -config.seed_skew
    arrival = rng.exponential(size=config.n_pairs) / weight  # a race: n first, without repetition
    seeds = np.argpartition(arrival, config.n_seeds)[: config.n_seeds]
    rest = np.setdiff1d(np.arange(config.n_pairs), seeds)
    return np.concatenate([rng.permutation(seeds), rng.permutation(rest)])


def _write_pairs(folder: Path, world: World, left: Side, right: Side) -> None:
    """Seeds and the rest of the truth, in random order; and which relations mean the same."""
    config, order = world.config, _seeds_first(world)
    pairs = pl.DataFrame({"left": left.entity_id[order], "right": right.entity_id[order]})
    _write(folder / "sup_pairs", pairs.head(config.n_seeds))
    _write(folder / "ref_pairs", pairs.slice(config.n_seeds))
    words = pl.DataFrame({"left": left.relation_id.ravel(), "right": right.relation_id.ravel()})
    known = words.filter((pl.col("left") >= 0) & (pl.col("right") >= 0))
    _write(folder / "rel_pairs", known.unique().sort("left", "right"))


def _write_years(path: Path, config: SynthConfig) -> None:
    years = [str(year) for year in range(_LAST_YEAR - config.ticks + 1, _LAST_YEAR + 1)]
    _write(path, pl.DataFrame({"id": range(len(years) + 1), "year": ["-inf", *years]}))


def _write(path: Path, frame: pl.DataFrame) -> None:
    with writing(path):
        frame.write_csv(path, separator="\t", include_header=False, quote_style="never")
