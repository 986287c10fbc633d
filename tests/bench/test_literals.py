"""Names and literals in a benchmark: carried along only where asked for, and never in order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lighttea.bench.draw import Puzzle
from lighttea.bench.protocol import draw_task
from lighttea.bench.run import bench_run
from lighttea.bench.settings import Changes
from lighttea.bench.task import Task
from lighttea.config import make_config
from lighttea.errors import ConfigError
from lighttea.graph.attributes import Attributes
from lighttea.graph.facts import Graph
from lighttea.graph.timeline import UNKNOWN
from lighttea.io.benchmark import Dataset, read_dataset
from lighttea.io.frames import graph_of_frame
from tests.worlds import fact_frame, random_facts

N_PEOPLE = 60
FIGURES = {"hits@1", "named_precision", "named_recall", "named_f1", "precision", "recall", "f1"}


def write_folder(folder: Path, n_known: int = 40) -> Path:
    """Two graphs in RDF and the truth about some of their entities; equal numbers mean nothing."""
    folder.mkdir()
    facts = random_facts(N_PEOPLE, 360, 5)
    numbers = np.random.default_rng(5).permutation(N_PEOPLE)
    own = {f"e{i}": (f"http://left.example/{i}", i) for i in range(N_PEOPLE)}
    other = {f"e{i}": (f"http://right.example/{numbers[i]}", i) for i in range(N_PEOPLE)}
    for side, ids, part in (("left", own, facts[:280]), ("right", other, facts[60:])):
        lines = [
            f"<{ids[head][0]}> <http://{side}.example/{relation}> <{ids[tail][0]}> ."
            for head, relation, tail, *_ in part
        ]
        lines += [
            f'<{iri}> <http://{side}.example/code> "{side} code {i}" .' for iri, i in ids.values()
        ]
        (folder / f"{side}.nt").write_text("\n".join(lines) + "\n")
    pairs = [f"{own[f'e{i}'][0]}\t{other[f'e{i}'][0]}\n" for i in range(n_known)]
    (folder / "truth.tsv").write_text("left\tright\n" + "".join(pairs))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("data") / "PEOPLE")


@pytest.fixture(scope="module")
def dataset(folder: Path) -> Dataset:
    return read_dataset(folder)


def drawn(
    dataset: Dataset, changes: Changes | None = None, *, number: int = 0, literals: bool = True
) -> Task:
    return draw_task(dataset, 10, np.random.default_rng([number, 1]), changes, literals=literals)


def texts_by_id(graph: Graph) -> Counter[tuple[str, str, str]]:
    """Each literal with the id of its entity and the name of its attribute."""
    own = graph.attributes
    rows = zip(own.entity.tolist(), own.attribute.tolist(), own.value.tolist(), strict=True)
    return Counter((graph.entities[e], own.names[a], own.texts[v]) for e, a, v in rows)


def test_without_literals_no_string_is_left(dataset: Dataset) -> None:
    task = drawn(dataset, literals=False)
    assert not task.literals
    for graph in (task.left, task.right):
        assert len(graph.attributes) == len(graph.attributes.texts) == 0
        assert graph.entity_names == graph.relation_names == {}
        assert list(graph.entities) == [str(n) for n in range(N_PEOPLE)]
        assert list(graph.relations) == [str(n) for n in range(len(graph.relations))]


def test_literals_stay_with_their_entities(dataset: Dataset) -> None:
    task = drawn(dataset)
    for before, after in ((dataset.left, task.left), (dataset.right, task.right)):
        assert texts_by_id(before) == texts_by_id(after)
        assert list(before.entities) != list(after.entities)
        assert list(before.attributes.texts) != list(after.attributes.texts)
    code = {texts[0]: texts[2].split()[-1] for texts in texts_by_id(task.left)}
    other = {texts[0]: texts[2].split()[-1] for texts in texts_by_id(task.right)}
    for left, right in zip(task.pairs.left, task.pairs.right, strict=True):
        assert code[task.left.entities[left]] == other[task.right.entities[right]]


def test_every_run_has_another_order_of_literals(dataset: Dataset) -> None:
    one, two = (drawn(dataset, number=number).left.attributes for number in (0, 1))
    assert not np.array_equal(one.entity, two.entity)
    assert not np.array_equal(one.value, two.value)


def test_the_task_is_the_same_with_and_without_literals(dataset: Dataset) -> None:
    changes = Changes(kept_facts=0.5, removed=0.2, wrong_seeds=0.5)
    one, two = (drawn(dataset, changes, literals=literals) for literals in (False, True))
    assert one.seeds.digest() == two.seeds.digest()
    assert one.truth.digest() == two.truth.digest()
    for a, b in ((one.left, two.left), (one.right, two.right)):
        assert np.array_equal(a.facts.head, b.facts.head)
        assert np.array_equal(a.facts.tail, b.facts.tail)


def test_removed_counterparts_lose_their_strings(dataset: Dataset) -> None:
    task = drawn(dataset, Changes(removed=0.5))
    gone = np.setdiff1d(task.pairs.right, np.concatenate([task.truth.right, task.seeds.right]))
    assert len(gone) == 15
    assert not np.isin(task.right.attributes.entity, gone).any()
    assert len(task.right.attributes) == N_PEOPLE - len(gone)
    assert not any("right.example" in task.right.entities[number] for number in gone)
    assert len(set(task.right.entities)) == N_PEOPLE


def test_scrambled_literals_say_nothing(dataset: Dataset) -> None:
    task = drawn(dataset, Changes(scrambled=True))
    before, after = texts_by_id(dataset.right), texts_by_id(task.right)
    assert sum((before & after).values()) < 0.2 * N_PEOPLE
    assert Counter(text for *_, text in before) == Counter(text for *_, text in after)


def test_ids_of_a_folder_are_never_seen(dataset: Dataset) -> None:
    """The order of its numbers tells the answer."""
    names = {entity: f"called {entity}" for entity in dataset.left.entities[:30]}
    left = replace(dataset.left, entity_names=names)
    pairs = np.zeros((2, 1), np.int32)
    puzzle = Puzzle(left, dataset.right, pairs, fixed_split=False)
    task = puzzle.draw_task(0, np.random.default_rng(0), literals=True)
    assert not set(task.left.entities) & set(left.entities)
    assert sorted(task.left.entity_names.values()) == sorted(names.values())
    assert task.left.entities == [str(number) for number in range(N_PEOPLE)]
    first = task.left.entities[task.pairs.left[0]]
    assert task.left.entity_names[first] == names[left.entities[0]]


def test_times_that_literals_alone_have_go_with_them() -> None:
    facts = random_facts(20, 60, 1)
    graph = graph_of_frame(fact_frame(*facts))
    years = graph.facts.begin[graph.facts.begin != UNKNOWN]
    shown, hidden = int(years.min()), int(years.max())
    begin = np.where(graph.facts.begin == hidden, UNKNOWN, graph.facts.begin)
    end = np.where(graph.facts.end == hidden, UNKNOWN, graph.facts.end)
    one = np.zeros(1, np.int32)
    literal = Attributes(one, one, one, one + hidden, one + hidden, ["name"], ["x"], [""], [""])
    dated = replace(graph, facts=replace(graph.facts, begin=begin, end=end), attributes=literal)
    puzzle = Puzzle(dated, graph, np.zeros((2, 1), np.int32), fixed_split=False)
    plain = puzzle.draw_task(0, np.random.default_rng(0)).left
    named = puzzle.draw_task(0, np.random.default_rng(0), literals=True).left
    assert graph.instants.second[hidden] not in plain.instants.second
    assert graph.instants.second[shown] in plain.instants.second
    assert graph.instants.second[hidden] in named.instants.second
    of_plain, of_named = (
        np.sort(g.instants.second[g.facts.begin[g.facts.begin != UNKNOWN]]) for g in (plain, named)
    )
    assert np.array_equal(of_plain, of_named)


def test_figures_of_graphs_as_users_have_them(folder: Path) -> None:
    config = make_config(dim=32, top_k=20, rounds=1, alpha=0, beta=0)
    result = bench_run(folder, n_seeds=15, config=config, runs=2)
    assert (result["protocol"], result["preset"]) == ("open", "custom")
    assert result["literals"] is result["names"] is result["config"]["literals"] is False
    assert set(result["mean"]) >= FIGURES
    assert result["mean"]["named_precision"] >= result["mean"]["precision"]
    assert result["mean"]["named_recall"] == result["mean"]["recall"]
    assert result["cpu_seconds"] > 0
    assert all(run["cpu_seconds"] > 0 and run["n"] == 25 for run in result["per_run"])
    closed = bench_run(folder, n_seeds=15, config=config, runs=1, protocol="closed")
    assert closed["protocol"] == "closed"
    assert "named_f1" not in closed["mean"]


def test_literals_reach_the_method_only_where_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def pose(left: Graph, right: Graph, known: object, config: object, *_: object, **__: object):  # type: ignore[no-untyped-def]
        seen.append((len(left.attributes), len(right.attributes), config.literals))  # type: ignore[attr-defined]
        raise ConfigError("enough")

    monkeypatch.setattr("lighttea.bench.task.pose_problem", pose)
    for literals in (False, True):
        with pytest.raises(ConfigError, match="enough"):
            bench_run(folder, config=make_config(literals=True), literals=literals, runs=1)
    assert seen == [(0, 0, False), (N_PEOPLE, N_PEOPLE, True)]


def test_literals_need_consensus(folder: Path) -> None:
    with pytest.raises(ConfigError, match="literals are part of consensus, whose weight is 0"):
        bench_run(folder, config=make_config("paper"), literals=True)
