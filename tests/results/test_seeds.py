"""What a run says of its seeds, in words and in a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

import lighttea
from lighttea.graph.pair import Links
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from lighttea.results.seeds import seed_check_info, seed_warning, suspicious_seeds_frame
from lighttea.results.store import load_run
from lighttea.solve.seed_check import SeedCheck, SuspiciousSeeds
from lighttea.types import LeftIds, RightIds
from tests.export.worlds import made_run
from tests.worlds import World, make_world

WORLD = make_world(1)


def check_of(better: list[int], *, low: float = 0.41, fits_by_chance: bool = False) -> SeedCheck:
    n = len(better)
    ids = np.arange(n, dtype=np.int32)
    links = Links(LeftIds(ids), RightIds(ids))
    scores = np.linspace(0, 0.25, n, dtype=np.float32), np.full(n, 0.75, np.float32)
    suspicious = SuspiciousSeeds(links, RightIds(np.array(better, np.int32)), *scores)
    return SeedCheck(0.48, low, 0.55, 200, 180, fits_by_chance, suspicious)


def frame_of(check: SeedCheck | None) -> pl.DataFrame:
    return suspicious_seeds_frame(check, WORLD.left, WORLD.right)


def run_of(check: SeedCheck) -> Run:
    return replace(made_run(), suspicious_seeds=frame_of(check))


def test_the_table_has_names_and_reasons() -> None:
    table, right = frame_of(check_of([4, -1])), WORLD.right.entities
    assert table.columns == ["left", "right", "better", "score", "better_score", "why"]
    assert table["left"].to_list() == list(WORLD.left.entities[:2])
    assert table["better"].to_list() == [right[4], None]
    assert table["better_score"].to_list() == [0.75, None]
    assert table["why"].to_list() == [
        "another right entity fits better",
        "fits no better than a random pair",
    ]
    assert frame_of(None).equals(empty_table("suspicious_seeds"))


def test_the_warning_tells_the_share_and_five_seeds() -> None:
    check = check_of([10, 11, 12, 13, 14, 15, -1])
    info = seed_check_info(check, run_of(check))
    left, right = WORLD.left.entities, WORLD.right.entities
    assert info["warning"].startswith(
        "about 48% of the seeds look wrong (between 41% and 55%; judged on 180 of 200 seeds); "
        f"the most suspicious: {left[0]} = {right[0]} ({left[0]} fits {right[10]} better); "
    )
    assert info["warning"].count("fits") == 5
    assert info["warning"].endswith("; all 7 are in suspicious_seeds.tsv of the run")
    assert len(info["most_suspicious"]) == 5


def test_the_warning_has_names_beside_ids() -> None:
    left, right = WORLD.left.entities, WORLD.right.entities
    schema = {"kind": pl.String, "id": pl.String, "name": pl.String}
    names = [
        pl.DataFrame([("entity", own, name)], schema=schema, orient="row")
        for own, name in ((left[0], "Heinrich Böll"), (right[10], "Böll, Heinrich"))
    ]
    check = check_of([10, -1])
    run = replace(run_of(check), names_left=names[0], names_right=names[1])
    assert (
        f"the most suspicious: Heinrich Böll ({left[0]}) = {right[0]} "
        f"(Heinrich Böll fits Böll, Heinrich ({right[10]}) better); {left[1]} = {right[1]}"
    ) in seed_check_info(check, run)["warning"]


def test_seeds_that_fit_by_chance_are_told_as_such() -> None:
    check = check_of([-1, -1], low=0.0, fits_by_chance=True)
    text = seed_check_info(check, run_of(check))["warning"]
    assert text.startswith("the seeds fit no better than random pairs (200 seeds)")
    assert "fits" not in text
    assert "suspicious_seeds.tsv" not in text


def test_a_small_share_is_recorded_without_a_warning() -> None:
    check = check_of([3], low=0.001)
    info = seed_check_info(check, run_of(check))
    assert info["warning"] is None
    assert info["suspicious"] == 1
    run = made_run()
    assert seed_warning(replace(run, info={**run.info, "seed_check": info})) is None
    assert seed_warning(run) is None


def test_the_file_is_written_and_read_back(world: World, tmp_path: Path) -> None:
    table = frame_of(check_of([4, -1]))
    run = lighttea.align(world.left, world.right, seeds=world.seeds, dim=16, rounds=1, threads=1)
    folder = replace(run, suspicious_seeds=table).save(tmp_path / "run")
    assert load_run(folder).suspicious_seeds.equals(table)
    lines = (folder / "suspicious_seeds.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "left\tright\tbetter\tscore\tbetter_score\twhy"
    assert len(lines) == 3
    none = replace(run, suspicious_seeds=table.clear()).save(tmp_path / "other")
    assert not (none / "suspicious_seeds.tsv").exists()
