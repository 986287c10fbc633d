"""Real datasets, where LIGHTTEA_DATA names them: sizes as published, figures as they should be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lighttea.bench.protocol import draw_task
from lighttea.bench.run import bench_run
from lighttea.config import make_config
from lighttea.graph.timeline import TimeKind
from lighttea.io.benchmark import read_dataset
from tests.conftest import CANNOT

pytestmark = [pytest.mark.data, pytest.mark.slow]

SIZES = {  # entities, relations, facts on both sides; pairs
    "DICEWS": ((9_517, 9_537), (247, 246), (307_552, 307_553), 8_566),
    "YAGO-WIKI20K": ((19_493, 19_929), (32, 130), (93_583, 142_568), 19_462),
    "BETA": ((42_666, 42_297), (257, 45), (199_879, 162_320), 40_364),
    "DBP15K_FR_EN": ((19_661, 19_993), (903, 1_208), (105_998, 115_722), 15_000),
    "SRPRS_FR_EN": ((15_000, 15_000), (221, 177), (36_508, 33_532), 15_000),
}


def folder_of(data_folder: Path, name: str) -> Path:
    if not (data_folder / name).is_dir():
        pytest.skip(f"{CANNOT}LIGHTTEA_DATA has no folder {name}")
    return data_folder / name


@pytest.mark.parametrize("name", SIZES)
def test_a_dataset_has_its_published_sizes(data_folder: Path, name: str) -> None:
    dataset = read_dataset(folder_of(data_folder, name))
    entities, relations, facts, pairs = SIZES[name]
    assert (len(dataset.left.entities), len(dataset.right.entities)) == entities
    assert (len(dataset.left.relations), len(dataset.right.relations)) == relations
    assert (len(dataset.left.facts), len(dataset.right.facts)) == facts
    assert len(dataset.pairs) == pairs


def test_times_mean_what_the_folders_say(data_folder: Path) -> None:
    events = read_dataset(folder_of(data_folder, "DICEWS"))
    assert (events.left.facts.kinds() == TimeKind.POINT).all()  # id 0 is a real day
    years = read_dataset(folder_of(data_folder, "YAGO-WIKI20K"))
    unknown = [
        float((g.facts.kinds() == TimeKind.UNKNOWN).mean()) for g in (years.left, years.right)
    ]
    assert unknown == pytest.approx([0.37, 0.17], abs=0.01)


def test_the_papers_figure_and_no_leak_through_ids(data_folder: Path) -> None:
    folder = folder_of(data_folder, "DICEWS")
    result = bench_run(
        folder, n_seeds=200, config=make_config("paper", alpha=0.6, rounds=1), runs=1
    )
    assert result["mean"]["hits@1"] == pytest.approx(0.950, abs=0.004)
    task = draw_task(read_dataset(folder), 200, np.random.default_rng(0))
    partner = dict(zip(task.truth.left.tolist(), task.truth.right.tolist(), strict=True))
    zipped = zip(np.sort(task.truth.left), np.sort(task.truth.right), strict=True)
    assert np.mean([partner[int(a)] == b for a, b in zipped]) < 0.01
