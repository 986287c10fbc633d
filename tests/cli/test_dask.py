"""`--engine dask` from the command line: workers of this machine, or those of a scheduler."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from lighttea.results import store
from tests.cli.conftest import LIGHT, Command, Files


@pytest.mark.slow
def test_workers_of_this_machine_give_the_same_links(
    command: Command, files: Files, tmp_path: Path
) -> None:
    words = ("align", files.left, files.right, "--seeds", files.seeds, *LIGHT, "--preset", "paper")
    assert command(*words, "--out", "cpu").code == 0
    done = command(*words, "--out", "dask", "--engine", "dask")
    assert done.code == 0
    told = (
        r"Dask workers: 1, expected to hold about 0\.5 GiB each of \S+ GiB; dashboard: http://\S+"
    )
    assert re.search(told, done.err)
    one, two = (pl.read_parquet(tmp_path / name / "links.parquet") for name in ("cpu", "dask"))
    assert set(one.select("left", "right").rows()) == set(two.select("left", "right").rows())
    assert json.loads((tmp_path / "dask" / "run.json").read_text())["engine"] == "dask"
    assert pl.read_parquet(tmp_path / "dask" / "links_parts").equals(two)
    assert not (tmp_path / "cpu" / "links_parts").exists()
    assert store.load_run(tmp_path / "dask").links.equals(two)


def test_an_address_needs_the_engine(command: Command, files: Files) -> None:
    words = ("align", files.left, files.right, "--out", "run")
    done = command(*words, "--scheduler", "tcp://127.0.0.1:1")
    assert done.code == 2
    assert "`--scheduler` needs the engine dask; the engine is cpu" in done.err


@pytest.mark.slow
def test_bench_run_with_dask(command: Command, dataset: Path) -> None:
    words = ("bench", "run", dataset, "--seeds", "8", "--runs", "1", *LIGHT, "--preset", "paper")
    mine, theirs = (
        command(*words, "--engine", engine, "--json", "-").json() for engine in ("cpu", "dask")
    )
    assert (mine["engine"], theirs["engine"]) == ("cpu", "dask")
    assert theirs["mean"]["hits@1"] == mine["mean"]["hits@1"]
    one, two = (result["per_run"][0]["rounds"][0]["promoted"] for result in (mine, theirs))
    assert one == two
