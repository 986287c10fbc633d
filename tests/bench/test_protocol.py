"""What a benchmark run may see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lighttea.bench.protocol import draw_task
from lighttea.bench.run import bench_run
from lighttea.bench.settings import Protocol
from lighttea.config import make_config
from lighttea.errors import ConfigError, InputError, LightteaWarning, StartError
from lighttea.io.benchmark import read_dataset
from tests.worlds import random_facts

OPTIONS: dict[str, Any] = {"dim": 64, "top_k": 50}


def write_dataset(folder: Path, *, in_order: bool, random_seed: int = 2) -> Path:
    """A folder whose pairs can be read off the order of the ids, or cannot."""
    folder.mkdir()
    facts = random_facts(90, 520, random_seed)
    entities = sorted({f[0] for f in facts} | {f[2] for f in facts})
    relations = sorted({f[1] for f in facts})
    rng = np.random.default_rng(random_seed)
    places = np.arange(len(entities)) if in_order else rng.permutation(len(entities))
    for side, part, offset in (("1", facts[:400], 0), ("2", facts[120:], 1000)):
        number = {
            name: offset + int(place if side == "2" else i)
            for i, (name, place) in enumerate(zip(entities, places, strict=True))
        }
        order = range(len(part)) if in_order else rng.permutation(len(part))
        rows = [
            (number[h], offset + relations.index(r), number[t], b, e)
            for h, r, t, b, e in (part[i] for i in order)
        ]
        lines = ["\t".join(map(str, row)) for row in rows]
        (folder / f"triples_{side}").write_text("\n".join(lines) + "\n")
        ids = [f"{n}\tname of {name}" for name, n in number.items()]
        (folder / f"ent_ids_{side}").write_text("\n".join(ids))
    pairs = [f"{i}\t{1000 + int(place)}" for i, place in enumerate(places)]
    (folder / "sup_pairs").write_text("\n".join(pairs[:30]))
    (folder / "ref_pairs").write_text("\n".join(pairs[30:]))
    return folder


@pytest.fixture(scope="module")
def leaky(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dataset(tmp_path_factory.mktemp("data") / "leaky", in_order=True)


def test_every_run_shuffles_ids_facts_and_pairs_anew(leaky: Path) -> None:
    dataset = read_dataset(leaky)
    one, two = (draw_task(dataset, 20, np.random.default_rng(i)) for i in (0, 1))
    assert not np.array_equal(one.left.facts.head, two.left.facts.head)
    assert not np.array_equal(one.truth.left, two.truth.left)
    partner = dict(zip(one.truth.left.tolist(), one.truth.right.tolist(), strict=True))
    sorted_and_zipped = zip(np.sort(one.truth.left), np.sort(one.truth.right), strict=True)
    assert np.mean([partner[int(a)] == b for a, b in sorted_and_zipped]) < 0.1
    assert not any("name" in name for name in (*one.left.entities, *one.left.entity_names))


def test_a_shuffled_graph_is_the_same_graph(leaky: Path) -> None:
    dataset = read_dataset(leaky)
    task = draw_task(dataset, 20, np.random.default_rng(0))
    for before, after in ((dataset.left, task.left), (dataset.right, task.right)):
        degrees = [
            np.sort(np.bincount(np.r_[g.facts.head, g.facts.tail], minlength=len(g.entities)))
            for g in (before, after)
        ]
        assert np.array_equal(degrees[0], degrees[1])
        assert np.array_equal(np.sort(before.facts.begin), np.sort(after.facts.begin))


def test_seeds_are_the_first_pairs_of_the_folder(leaky: Path) -> None:
    dataset = read_dataset(leaky)
    tasks = [draw_task(dataset, 20, np.random.default_rng(i)) for i in (0, 1)]
    first = {(a, b) for a, b in dataset.pairs.head(20).rows()}
    for task in tasks:
        assert len(task.seeds) == 20
        assert len(task.truth) == len(dataset.pairs) - 20
    # undo the shuffle through the facts' multiset of (degree, years): the seeds are those entities
    degree = np.bincount(dataset.left.facts.head, minlength=len(dataset.left.entities))
    expected = sorted(degree[dataset.left.entity_ids[a]] for a, _ in first)
    for task in tasks:
        shuffled = np.bincount(task.left.facts.head, minlength=len(task.left.entities))
        assert sorted(shuffled[task.seeds.left]) == expected


@pytest.mark.slow
def test_the_figures_do_not_depend_on_ids_and_orders(leaky: Path, tmp_path: Path) -> None:
    mixed = write_dataset(tmp_path / "mixed", in_order=False)
    figures = [
        bench_run(folder, n_seeds=20, config=make_config(**OPTIONS), runs=8)["mean"]["hits@1"]
        for folder in (leaky, mixed)
    ]
    assert 0.3 < figures[0] < 0.999
    assert figures[0] == pytest.approx(figures[1], abs=0.03)


@pytest.mark.parametrize("protocol", ["closed", "open"])
def test_the_result_follows_the_contract(leaky: Path, protocol: Protocol) -> None:
    result = bench_run(
        leaky, n_seeds=20, config=make_config(rounds=2, **OPTIONS), runs=2, protocol=protocol
    )
    again = json.loads(json.dumps(result))
    assert again["dataset"] == "leaky"
    assert (again["seeds"], again["runs"], again["protocol"], again["names"]) == (
        20,
        2,
        protocol,
        False,
    )
    assert [run["random_seed"] for run in again["per_run"]] == [0, 1]
    for name in ("hits@1", "hits@5", "hits@10", "mrr"):
        values = [run[name] for run in again["per_run"]]
        assert again["mean"][name] == pytest.approx(np.mean(values), abs=1e-4)
        assert again["std"][name] == pytest.approx(np.std(values), abs=1e-4)
        assert again["per_run"][0][name] == again["per_run"][0]["rounds"][-1][name]
    assert ("f1" in again["mean"]) == (protocol == "open")
    assert again["seconds"]["total"] > 0


def test_open_candidates_are_harder_than_closed_ones(leaky: Path) -> None:
    """In the open protocol dangling entities are candidates too."""
    n = {}
    for protocol in ("closed", "open"):
        config = make_config(rounds=1, **OPTIONS)
        n[protocol] = bench_run(leaky, n_seeds=60, config=config, runs=2, protocol=protocol)
    assert n["open"]["mean"]["mrr"] <= n["closed"]["mean"]["mrr"] + 0.01
    assert 0 < n["open"]["mean"]["precision"] <= 1


def test_lightea_sees_no_time(leaky: Path, tmp_path: Path) -> None:
    """The same figures whether the folder has times or not."""
    blind = tmp_path / "blind"
    blind.mkdir()
    for path in leaky.iterdir():
        text = path.read_text()
        if path.name.startswith("triples"):
            text = "".join("\t".join(x.split("\t")[:3]) + "\n" for x in text.splitlines())
        (blind / path.name).write_text(text)
    config = make_config(method="lightea", rounds=1, dim=64, sketch_factor=4)
    results = [
        bench_run(folder, n_seeds=20, config=config, method="lightea", runs=1)
        for folder in (leaky, blind)
    ]
    assert config.temporal_weight == config.time_weight == 0
    assert results[0]["mean"] == results[1]["mean"]


def test_an_open_run_tells_how_far_confidence_can_be_believed(leaky: Path) -> None:
    config = make_config("best", rounds=1, **OPTIONS)
    result = bench_run(leaky, n_seeds=30, config=config, runs=1, protocol="open")
    (run,) = json.loads(json.dumps(result))["per_run"]
    assert run["abstained"] is False
    assert sum(row["n"] for row in run["reliability"]) == run["n_calibrated"] >= run["n_links"] > 0
    assert run["reliability"][9]["n"] == run["n_confident"]
    assert run["reliability"][9]["share_right"] == run["confident_precision"]
    low, high = run["confident_precision_interval"]
    assert low < run["confident_precision"] <= high
    assert run["calibration_error_interval"][0] <= run["calibration_error"]
    assert run["confident_share_of_left"] == pytest.approx(run["n_confident"] / 60, abs=0.01)
    assert 0.5 <= run["mean_confidence"] <= 1
    assert run["rounds"][-1]["n_links"] == run["n_links"]
    assert result["mean"]["mean_confidence"] == run["mean_confidence"]


def test_changes_are_told_with_their_counts(leaky: Path) -> None:
    changes: dict[str, Any] = {"removed": 0.2, "kept_facts": 0.5, "wrong_seeds": 0.5}
    config = make_config("paper", rounds=1, **OPTIONS)
    result = bench_run(leaky, n_seeds=20, config=config, runs=1, protocol="open", **changes)
    assert {name: result[name] for name in changes} == changes
    assert result["scrambled"] is False
    (run,) = result["per_run"]
    assert run["n_wrong_seeds"] == 10
    assert run["n_kept_common_facts"] == round(0.5 * run["n_common_facts"]) > 50
    plain = bench_run(leaky, n_seeds=20, config=config, runs=1, protocol="open")
    assert run["hits@1"] < plain["per_run"][0]["hits@1"]
    assert "n_common_facts" not in plain["per_run"][0]


def test_fewer_common_facts_are_harder(leaky: Path) -> None:
    config = make_config("paper", rounds=1, **OPTIONS)
    hits = [
        bench_run(leaky, n_seeds=30, config=config, runs=2, kept_facts=share)["mean"]["hits@1"]
        for share in (1.0, 0.4, 0.0)
    ]
    assert hits[0] > hits[1] > hits[2]


def test_nothing_to_begin_with_is_an_abstention(leaky: Path) -> None:
    config = make_config("best", rounds=1, **OPTIONS)
    options: dict[str, Any] = {"n_seeds": 0, "config": config, "runs": 2, "preset": "best"}
    sparse = sparse_copy(leaky)
    with pytest.warns(LightteaWarning, match="no links: no seeds, and only"):
        result = bench_run(sparse, protocol="open", **options)
    for run in result["per_run"]:
        assert run["abstained"] is True
        assert run["rounds"] == []
        assert (run["n_links"], run["n_confident"], run["n_calibrated"]) == (0, 0, 0)
        assert run["n"] == run["n_unranked"] > 80
    assert result["mean"]["f1"] == result["mean"]["confident_share_of_left"] == 0
    assert "confident_precision" not in result["mean"]  # there is none
    with pytest.raises(StartError, match="sure pairs"):
        bench_run(sparse, **options)


def sparse_copy(folder: Path) -> Path:
    """The folder with so few facts that nothing tells its entities apart."""
    copy = folder.parent / "sparse"
    copy.mkdir(exist_ok=True)
    for path in folder.iterdir():
        lines = path.read_text().splitlines()
        (copy / path.name).write_text(
            "\n".join(lines[:4] if path.name.startswith("triples") else lines)
        )
    return copy


def test_a_scrambled_graph_with_seeds_is_aligned_all_the_same(leaky: Path) -> None:
    config = make_config("paper", rounds=1, **OPTIONS)
    result = bench_run(leaky, n_seeds=30, config=config, runs=1, protocol="open", scrambled=True)
    (run,) = result["per_run"]
    assert result["scrambled"] is True
    assert run["n_links"] > 0
    assert run["hits@1"] < 0.2


def test_wrong_calls_are_refused(leaky: Path) -> None:
    with pytest.raises(InputError, match="seeds must be between"):
        bench_run(leaky, n_seeds=10_000, config=make_config(**OPTIONS), runs=1)
    with pytest.raises(ConfigError, match="protocol"):
        bench_run(leaky, n_seeds=5, config=make_config(**OPTIONS), protocol="half")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="scrambled counts links"):
        bench_run(leaky, n_seeds=5, config=make_config(**OPTIONS), scrambled=True)
    with pytest.raises(InputError, match="kept_facts must be a share from 0 to 1; got 2"):
        bench_run(leaky, n_seeds=5, config=make_config(**OPTIONS), kept_facts=2)
    with pytest.raises(ConfigError, match="runs must be >= 1"):
        bench_run(leaky, n_seeds=5, config=make_config(**OPTIONS), runs=0)


def test_pairs_found_to_begin_with_are_judged_by_the_truth(leaky: Path) -> None:
    config = make_config("best", rounds=1, **OPTIONS)
    (one,) = bench_run(leaky, config=config, literals=True, runs=1)["per_run"]
    assert one["found_seeds"] >= 20
    assert one["found_seeds_precision"] == 1.0  # both sides have the same names
    assert 0.8 < one["found_seeds_said"] <= 1.0
    plain = bench_run(leaky, n_seeds=30, config=make_config("paper", **OPTIONS), runs=1)
    assert "found_seeds" not in plain["per_run"][0]
