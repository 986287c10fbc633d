"""Write a made-up pair of graphs as a dataset folder, a chunk of facts at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from lighttea.errors import InputError
from lighttea.io.outputs import writing
from lighttea.results.place import run_folder
from lighttea.synth.config import SynthConfig
from lighttea.synth.literals import make_literals
from lighttea.synth.overlap import count_common_facts
from lighttea.synth.sides import (
    LAST_YEAR,
    Side,
    draw_facts,
    draw_world,
    make_sides,
    name_side,
    order_pairs,
)
from lighttea.synth.world import World

CHUNK = 500_000  # facts of a side drawn at once


@dataclass(frozen=True)
class SynthSummary:
    """The sizes of what was written."""

    left_entities: int
    right_entities: int
    left_relations: int
    right_relations: int
    left_facts: int
    right_facts: int
    shared_facts: int  # drawn for both sides
    common_facts: int  # counted: told by both sides, by chance too
    common_share: float  # of the smaller side's facts
    pairs: int
    seeds: int
    ticks: int


def write_synth(folder: str | Path, config: SynthConfig, *, chunk: int = CHUNK) -> SynthSummary:
    """Write a pair of graphs with known truth as a dataset folder, which must not exist yet."""
    target = Path(folder)
    if target.is_dir() and any(target.iterdir()):
        raise InputError(f"{target}: the folder is not empty; choose another one")
    world = draw_world(config)
    left, right = make_sides(world)
    with run_folder(target) as unfinished:
        for side in (left, right):
            _write_facts(unfinished / f"triples_{side.side}", world, side, chunk)
            _write_names(unfinished, side)
            if config.literals:
                literals = make_literals(world, side)
                _write(unfinished / f"attr_triples_{side.side}", literals)
        _write_pairs(unfinished, world, left, right)
        _write_years(unfinished / "time_id", config)
    n_common = count_common_facts(world, chunk)
    return SynthSummary(
        left_entities=config.n_left,
        right_entities=config.n_right,
        left_relations=len(left.names),
        right_relations=len(right.names),
        left_facts=config.n_facts_left,
        right_facts=config.n_facts_right,
        shared_facts=config.n_facts_common,
        common_facts=n_common,
        common_share=round(n_common / min(config.n_facts_left, config.n_facts_right), 4),
        pairs=config.n_pairs,
        seeds=config.n_seeds,
        ticks=config.ticks,
    )


def _write_facts(path: Path, world: World, side: Side, chunk: int) -> None:
    with writing(path), path.open("wb") as file:
        for columns in draw_facts(world, side, chunk):
            pl.DataFrame(columns).write_csv(file, separator="\t", include_header=False)


def _write_names(folder: Path, side: Side) -> None:
    """Write the names of entities, which differ on both sides, and of relations."""
    ids = np.sort(side.entity_id[side.entity_id >= 0])
    entities = pl.DataFrame({"id": ids}).with_columns(
        name=pl.format(name_side(side.side) + " {}", "id")
    )
    relations = pl.DataFrame({"id": sorted(side.names)}).with_columns(
        name=pl.col("id").replace_strict(side.names)
    )
    _write(folder / f"ent_ids_{side.side}", entities)
    _write(folder / f"rel_ids_{side.side}", relations)


def _write_pairs(folder: Path, world: World, left: Side, right: Side) -> None:
    """Write seeds, the rest of the truth in random order, and the pairs of equal relations."""
    config, order = world.config, order_pairs(world)
    pairs = pl.DataFrame({"left": left.entity_id[order], "right": right.entity_id[order]})
    _write(folder / "sup_pairs", pairs.head(config.n_seeds))
    _write(folder / "ref_pairs", pairs.slice(config.n_seeds))
    words = pl.DataFrame({"left": left.relation_id.ravel(), "right": right.relation_id.ravel()})
    known = words.filter((pl.col("left") >= 0) & (pl.col("right") >= 0))
    _write(folder / "rel_pairs", known.unique().sort("left", "right"))


def _write_years(path: Path, config: SynthConfig) -> None:
    years = [str(year) for year in range(LAST_YEAR - config.ticks + 1, LAST_YEAR + 1)]
    _write(path, pl.DataFrame({"id": range(len(years) + 1), "year": ["-inf", *years]}))


def _write(path: Path, frame: pl.DataFrame) -> None:
    with writing(path):
        frame.write_csv(path, separator="\t", include_header=False, quote_style="never")
