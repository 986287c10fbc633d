"""The benchmark scripts run; what they measure is not judged here."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


def script(name: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / name), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done


def test_performance_measures_rates_and_growth(tmp_path: Path) -> None:
    plot = tmp_path / "growth.svg"
    words = ["--quick", "--parts", "rates,growth", "--sizes", "150,300", "--more=--dim 16"]
    words += ["--presets", "paper"]
    done = script("performance.py", *words, "--out", str(tmp_path), "--plot", str(plot))
    found = json.loads((tmp_path / "performance.json").read_text())
    assert len(found["rates"]) == 10
    assert all(one["ours"] > 0 for one in found["rates"])
    assert [one["entities"] for one in found["growth"]] == [150, 300]
    assert isinstance(found["exponents"]["total"]["all"], float)
    assert found["exponents"]["total"]["from_100000"] is None
    assert "| paper | 150 | 1,500 |" in done.stdout
    can_draw = all(importlib.util.find_spec(name) for name in ("altair", "vl_convert"))
    assert plot.exists() == can_draw
    if can_draw:
        assert "entities to the power" in plot.read_text()


def test_update_is_measured_beside_aligning_anew(tmp_path: Path) -> None:
    out = tmp_path / "update.json"
    done = script("update.py", "--entities", "300", "--grow", "0.02", "--json", str(out))
    rows = json.loads(out.read_text())
    changes = ["none, another random seed", "grown by 2%", "2% withdrawn"]
    assert [row["change"] for row in rows] == changes
    assert all(row["update"] > 0 and 0 <= row["missing"] < 0.5 for row in rows)
    assert "| grown by 2% |" in done.stdout


def test_performance_times_the_datasets_there_are(tmp_path: Path) -> None:
    write_synth(tmp_path / "DICEWS", SynthConfig(entities=150, seeds=15))
    words = ["--parts", "datasets", "--out", str(tmp_path / "out")]
    script("performance.py", *words, LIGHTTEA_DATA=str(tmp_path))
    found = json.loads((tmp_path / "out" / "performance.json").read_text())["datasets"]
    assert [one["preset"] for one in found] == ["best", "paper"]
    for one in found:
        assert one["total"] > one["propagate"] > 0
        assert one["peak_gib"] > 0


def test_performance_times_small_graphs_alone_and_beside_busy_processes(tmp_path: Path) -> None:
    script("performance.py", "--quick", "--parts", "small", "--out", str(tmp_path))
    found = json.loads((tmp_path / "performance.json").read_text())["small"]
    rows = [(one["graphs"], one["report"]) for one in found]
    assert rows == [(g, r) for g in ("example", "made-up") for r in (True, False)]
    assert all(one["alone"] > 0 and one["all cores busy"] > 0 for one in found)


def test_a_size_that_is_refused_is_said_and_the_others_go_on(tmp_path: Path) -> None:
    words = ["--parts", "growth", "--sizes", "150", "--more=--max-memory 0.01"]
    words += ["--presets", "best"]
    done = script("performance.py", *words, "--out", str(tmp_path))
    assert "GiB of memory and may use" in done.stdout


def test_made_up_graphs_are_compared_with_each_folder(tmp_path: Path) -> None:
    write_synth(tmp_path / "ONE", SynthConfig(entities=200, random_seed=5))
    (tmp_path / "README.md").write_text("not a dataset")
    done = script("synth_comparison.py", "--entities", "300", LIGHTTEA_DATA=str(tmp_path))
    lines = done.stdout.splitlines()
    assert lines[0] == "| | ONE | synth |"
    assert "| entities | 200 / 200 | 300 / 300 |" in lines
    assert "| true pairs | 190 | 285 |" in lines
    assert "| dangling entities | .05 / .05 | .05 / .05 |" in lines
    assert all(line.count("|") == 4 for line in lines)


def test_the_readers_of_dumps_are_measured() -> None:
    done = script("readers.py", "--rows", "400")
    lines = done.stdout.splitlines()
    kinds = ["wikidata", "icews", "neo4j", "followthemoney"]
    assert [line.split(":")[0] for line in lines if not line.startswith(" ")] == kinds
    assert all(" facts a" in line for line in lines if line.startswith("  "))


def test_the_rdf_reader_is_measured() -> None:
    done = script("rdf.py", "--facts", "3000", "--runs", "1")
    assert "3,000 facts and 333 literals in " in done.stdout
    assert "facts a second, peak " in done.stdout


def test_the_dask_engine_is_measured_beside_the_other() -> None:
    words = ["--sizes", "150", "--workers", "1", "--more=--dim 16 --top-k 10"]
    done = script("dask_engine.py", *words)
    one, two = (json.loads(line) for line in done.stdout.splitlines()[:2])
    assert (one["engine"], two["engine"]) == ("cpu", "dask")
    assert 0 < one["hits@1"] == pytest.approx(two["hits@1"], abs=0.05)  # one seed: many ties
    assert two["worker_mib"] > 0
    assert done.stdout.count("| 150 |") == 2


def test_approximate_search_is_judged_beside_exact_search() -> None:
    done = script("approximate.py", "--entities", "400", "--sample", "60", "--asking", "200")
    first, *_, approximate, exact, peak = done.stdout.splitlines()
    assert first == "entities a side: 400, 200 search, 60 are judged"
    for line, name in ((approximate, "approximate"), (exact, "exact")):
        what, _, *figures = (cell.strip() for cell in line.strip("|").split("|"))
        assert what == name
        assert all(0 <= float(figure) <= 1 for figure in figures)
    assert exact.endswith("| 1.0000 | 1.0000 |")
    assert json.loads(peak)["peak_mb"] > 0


def test_confidence_is_measured_on_changed_data_without_the_readers(tmp_path: Path) -> None:
    write_synth(tmp_path / "SRPRS_FR_EN", SynthConfig(entities=150, seeds=15))
    sets = tmp_path / "sets"
    script("gpu.py", "prepare", "--out", str(sets), LIGHTTEA_DATA=str(tmp_path))
    assert [path.name for path in sets.iterdir()] == ["SRPRS_FR_EN.npz"]  # the others are not there
    words = ["confidence", str(sets / "SRPRS_FR_EN.npz"), "--seeds", "0", "15", "--engine", "cpu"]
    words += ["--removed", "0.5", "--kept-facts", "0.1", "--scrambled", "--wrong-seeds", "0.5"]
    words += ["--set", "dim=16", "top_k=10", "rounds=1"]
    blocked = "".join(f"sys.modules[{name!r}] = None\n" for name in ("polars", "rich", "cyclopts"))
    path = str(BENCHMARKS / "gpu.py")
    code = f"import runpy, sys\n{blocked}runpy.run_path({path!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
    )
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert [run["seeds"] for run in runs] == [0] * 3 + [15] * 4  # no seeds: none can be wrong
    assert [run["scrambled"] for run in runs] == [False, False, True, False, False, True, False]
    assert runs[1]["kept_facts"] == 0.1
    assert runs[1]["n_kept_common_facts"] == round(0.1 * runs[1]["n_common_facts"])
    assert runs[-1]["n_wrong_seeds"] == round(0.5 * 15)
    for run in runs:
        assert run["abstained"] == (run["n_calibrated"] == 0)
        assert len(run["reliability"]) == 10
        assert {"confident_precision_interval", "calibration_error_interval"} <= run.keys()


def test_serve_measures_every_kind_of_question() -> None:
    done = script("serve.py", "--entities", "300", "--questions", "5", "--http")
    kinds = ("name", "misspelt name", "misspelt name and a property", "suggest, one letter")
    assert all(f"| {kind} |" in done.stdout for kind in kinds)
    assert "the indexes take" in done.stdout
    assert "through HTTP" in done.stdout


def test_clusters_are_compared_with_links(tmp_path: Path) -> None:
    write_synth(tmp_path / "DICEWS", SynthConfig(entities=300, seeds=15))
    words = ["--entities", "250", "--worlds", "1"]
    done = script("clusters.py", *words, LIGHTTEA_DATA=str(tmp_path))
    for row in ("| synth, world 0 | 10 | clusters |", "| DICEWS in three | 100 | components |"):
        assert row in done.stdout
