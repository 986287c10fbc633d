"""Write made-up graphs as a dataset folder, a chunk of facts at a time."""

from __future__ import annotations

from collections.abc import Sequence
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
from lighttea.synth.world import RIGHT, World

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
    graphs: int = 2
    facts: int = 0  # of all graphs
    clusters: int = 0  # entities of the world that are in two graphs or more
    duplicates: int = 0  # entities that are there twice, in all graphs together


def write_synth(folder: str | Path, config: SynthConfig, *, chunk: int = CHUNK) -> SynthSummary:
    """Write graphs with known truth as a dataset folder, which must not exist yet."""
    target = Path(folder)
    if target.is_dir() and any(target.iterdir()):
        raise InputError(f"{target}: the folder is not empty; choose another one")
    world = draw_world(config)
    sides = make_sides(world)
    with run_folder(target) as unfinished:
        n_facts = [_write_side(unfinished, world, side, chunk) for side in sides]
        n_pairs, n_seeds = _write_pairs(unfinished, world, *sides[:2])
        n_clusters = 0
        if config.graphs > RIGHT or config.duplicates:
            n_clusters = _write_clusters(unfinished / "clusters.tsv", sides)
        _write_years(unfinished / "time_id", config)
    n_common = count_common_facts(world, chunk)
    return SynthSummary(
        left_entities=_count_ids(sides[0]),
        right_entities=_count_ids(sides[1]),
        left_relations=len(sides[0].names),
        right_relations=len(sides[1].names),
        left_facts=n_facts[0],
        right_facts=n_facts[1],
        shared_facts=config.n_facts_common,
        common_facts=n_common,
        common_share=round(n_common / min(config.n_facts_left, config.n_facts_right), 4),
        pairs=n_pairs,
        seeds=n_seeds,
        ticks=config.ticks,
        graphs=config.graphs,
        facts=sum(n_facts),
        clusters=n_clusters or n_pairs,
        duplicates=sum(int(np.count_nonzero(side.second_id >= 0)) for side in sides),
    )


def _count_ids(side: Side) -> int:
    return sum(int(np.count_nonzero(ids >= 0)) for ids in (side.entity_id, side.second_id))


def _write_side(folder: Path, world: World, side: Side, chunk: int) -> int:
    """Write the files of one graph and return the number of its facts."""
    n_facts = _write_facts(folder / f"triples_{side.side}", world, side, chunk)
    _write_names(folder, side)
    if world.config.literals:
        _write(folder / f"attr_triples_{side.side}", make_literals(world, side))
    if world.config.duplicates:
        twice = side.second_id >= 0
        ids = {"first": side.entity_id[twice], "second": side.second_id[twice]}
        _write(folder / f"duplicates_{side.side}", pl.DataFrame(ids))
    return n_facts


def _write_facts(path: Path, world: World, side: Side, chunk: int) -> int:
    n_facts = 0
    with writing(path), path.open("wb") as file:
        for columns in draw_facts(world, side, chunk):
            pl.DataFrame(columns).write_csv(file, separator="\t", include_header=False)
            n_facts += len(columns["head"])
    return n_facts


def _write_names(folder: Path, side: Side) -> None:
    """Write the names of entities, which differ on both sides, and of relations."""
    ids = np.concatenate([side.entity_id, side.second_id])
    ids = np.sort(ids[ids >= 0])
    entities = pl.DataFrame({"id": ids}).with_columns(
        name=pl.format(name_side(side.side) + " {}", "id")
    )
    relations = pl.DataFrame({"id": sorted(side.names)}).with_columns(
        name=pl.col("id").replace_strict(side.names)
    )
    _write(folder / f"ent_ids_{side.side}", entities)
    _write(folder / f"rel_ids_{side.side}", relations)


def _write_pairs(folder: Path, world: World, left: Side, right: Side) -> tuple[int, int]:
    """Write seeds, the rest of the truth in random order, and the pairs of equal relations.

    Return the number of true pairs and of seeds.
    """
    order = order_pairs(world)
    pairs = pl.DataFrame({"left": left.entity_id[order], "right": right.entity_id[order]})
    is_pair = (pl.col("left") >= 0) & (pl.col("right") >= 0)
    seeds = pairs.head(world.config.n_seeds).filter(is_pair)
    rest = pairs.slice(world.config.n_seeds).filter(is_pair)
    _write(folder / "sup_pairs", seeds)
    _write(folder / "ref_pairs", rest)
    words = pl.DataFrame({"left": left.relation_id.ravel(), "right": right.relation_id.ravel()})
    _write(folder / "rel_pairs", words.filter(is_pair).unique().sort("left", "right"))
    return len(seeds) + len(rest), len(seeds)


def _write_clusters(path: Path, sides: Sequence[Side]) -> int:
    """Write the ids of each entity of the world that has two or more; return their number."""
    ids = pl.concat(
        pl.DataFrame({"cluster": np.arange(len(ids)), "entity": ids}).with_columns(
            graph=pl.lit(f"triples_{side.side}")
        )
        for side in sides
        for ids in (side.entity_id, side.second_id)
    ).filter(pl.col("entity") >= 0)
    truth = ids.filter(pl.len().over("cluster") > 1).sort("cluster", "graph", "entity")
    with writing(path):
        truth.select("cluster", "graph", "entity").write_csv(path, separator="\t")
    return truth["cluster"].n_unique()


def _write_years(path: Path, config: SynthConfig) -> None:
    years = [str(year) for year in range(LAST_YEAR - config.ticks + 1, LAST_YEAR + 1)]
    _write(path, pl.DataFrame({"id": range(len(years) + 1), "year": ["-inf", *years]}))


def _write(path: Path, frame: pl.DataFrame) -> None:
    with writing(path):
        frame.write_csv(path, separator="\t", include_header=False, quote_style="never")
