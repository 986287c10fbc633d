"""The world as two graphs, in the format of dataset folders, a chunk of facts at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from lighttea.errors import InputError
from lighttea.io.outputs import writing
from lighttea.results.store import run_folder
from lighttea.synth.config import SynthConfig
from lighttea.synth.sides import (
    LAST_YEAR,
    Side,
    fact_columns,
    seeds_first,
    side_name,
    sides_of,
    world_of,
)
from lighttea.synth.world import World

CHUNK = 500_000  # facts of a side drawn at once


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


def write_synth(folder: str | Path, config: SynthConfig, *, chunk: int = CHUNK) -> SynthSummary:
    """Write a pair of graphs with known truth as a dataset folder, which must not exist yet."""
    target = Path(folder)
    if target.is_dir() and any(target.iterdir()):
        raise InputError(f"{target}: the folder is not empty; choose another --out")
    world = world_of(config)
    left, right = sides_of(world)
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


def _write_facts(path: Path, world: World, side: Side, chunk: int) -> None:
    with writing(path), path.open("wb") as file:
        for columns in fact_columns(world, side, chunk):
            pl.DataFrame(columns).write_csv(file, separator="\t", include_header=False)


def _write_names(folder: Path, side: Side) -> None:
    """Names of entities say nothing; some of the relations' do."""
    ids = np.sort(side.entity_id[side.entity_id >= 0])
    entities = pl.DataFrame({"id": ids}).with_columns(
        name=pl.format(side_name(side.side) + " {}", "id")
    )
    relations = pl.DataFrame({"id": sorted(side.names)}).with_columns(
        name=pl.col("id").replace_strict(side.names)
    )
    _write(folder / f"ent_ids_{side.side}", entities)
    _write(folder / f"rel_ids_{side.side}", relations)


def _write_pairs(folder: Path, world: World, left: Side, right: Side) -> None:
    """Seeds and the rest of the truth, in random order; and which relations mean the same."""
    config, order = world.config, seeds_first(world)
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
