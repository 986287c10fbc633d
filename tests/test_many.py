"""`align_many`: clusters of three graphs, from graphs to folder and back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import lighttea
from lighttea.errors import ConfigError, InputError, StartError
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frame
from lighttea.results.check import check_run
from lighttea.results.cluster_store import is_cluster_run
from lighttea.review.decisions import decisions_file
from tests.several import NAMES, named, run_of_three, seeds, three_graphs, truth
from tests.worlds import fact_frame, random_facts

FILES = ("clusters", "cluster_links", "conflicts")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = run_of_three().save(tmp_path_factory.mktemp("many") / "run")
    return folder


def test_three_tellings_of_one_world_make_its_clusters() -> None:
    run = run_of_three()
    figures = run.evaluate(truth())
    assert figures.clusters.f1 > 0.95
    assert figures.clusters.f1 >= figures.pairwise.f1
    assert run.graphs == list(NAMES)
    assert set(run.pairs) == {("north", "south"), ("north", "west"), ("south", "west")}
    assert run.clusters.group_by("cluster", "graph").len()["len"].max() == 1
    assert "clusters of" in repr(run)
    assert "<table>" in run._repr_html_()


def test_the_order_of_graphs_changes_no_cluster_id() -> None:
    run = run_of_three()
    turned = lighttea.align_many(three_graphs()[::-1], seeds=seeds(), threads=1)
    own, other = (
        {frozenset(rows) for rows in table.clusters.select("cluster", "graph", "entity").rows()}
        for table in (run, turned)
    )
    assert len(own & other) > 0.9 * len(own)


def test_graphs_with_nothing_in_common_are_joined_by_a_third() -> None:
    facts = random_facts(40, 700, 9)
    first, second = facts[:350], facts[350:]
    graphs = [named(first, "one "), named(facts, "all "), named(second, "two ")]
    known = [(f"one e{n}", f"all e{n}") for n in range(0, 40, 3)]
    known += [(f"two e{n}", f"all e{n}") for n in range(0, 40, 3)]
    names = {graph.name: set(graph.entities) for graph in graphs}
    kept = [
        (a, b) for a, b in known if any(a in own for own in names.values()) and b in names["all "]
    ]
    with pytest.warns(lighttea.LightteaWarning, match="were not aligned with each other"):
        run = lighttea.align_many(
            graphs, seeds=pl.DataFrame(kept, schema=["left", "right"], orient="row"), threads=1
        )
    assert [pair["why"][:8] for pair in run.info["unaligned"]] == ["no seeds"]
    implied = run.links.filter(graph_left="one", graph_right="two")
    assert len(implied) > 20
    assert (implied["found"] == "through all").all()
    right = implied["left"].str.slice(4) == implied["right"].str.slice(4)
    assert right.sum() > 0.9 * len(right)


def test_a_run_comes_back_from_its_folder(saved: Path) -> None:
    assert is_cluster_run(saved)
    run, own = lighttea.load_clusters(saved), run_of_three()
    for name in ("clusters", "links", "conflicts"):
        assert getattr(run, name).equals(getattr(own, name)), name
    assert list(run.pairs) == list(own.pairs)
    assert run.pair("west", "north")[1]
    table = pl.read_csv(saved / "clusters.tsv", separator="\t", infer_schema=False)
    assert table.columns == ["cluster", "graph", "entity", "confidence"]
    assert check_run(saved).is_whole
    pair = lighttea.load_run(saved / "pairs" / "north-south")
    assert pair.links.equals(own.pairs["north", "south"].links)


def test_the_two_kinds_of_runs_are_told_apart(saved: Path) -> None:
    with pytest.raises(InputError, match="a run of several graphs; load it with"):
        lighttea.load_run(saved)
    pair = saved / "pairs" / "north-south"
    assert not is_cluster_run(pair)
    with pytest.raises(InputError, match="a run of two graphs; load it with"):
        lighttea.load_clusters(pair)
    with pytest.raises(InputError, match="there is no run of north and east"):
        run_of_three().pair("north", "east")


@pytest.mark.parametrize("name", ["clusters.parquet", "pairs/north-west/links.parquet", "run.json"])
def test_damage_is_found(tmp_path: Path, name: str) -> None:
    folder = run_of_three().save(tmp_path / "run")
    (folder / name).write_bytes(b"x" + (folder / name).read_bytes()[1:])
    with pytest.raises(InputError, match="damaged"):
        lighttea.load_clusters(folder)
    checked = check_run(folder)
    assert not checked.is_whole
    assert [file.name for file in checked.files if file.state == "damaged"] == [name]


def test_a_pair_that_is_missing_or_elsewhere_is_found(tmp_path: Path) -> None:
    folder = run_of_three().save(tmp_path / "run")
    record = json.loads((folder / "run.json").read_text())
    record["pairs"][0]["folder"] = "../../elsewhere"
    (folder / "files.json").unlink()
    (folder / "run.json").write_text(json.dumps({**record, "files": None}))
    with pytest.raises(InputError, match="no name of a pair's folder"):
        lighttea.load_clusters(folder)


def test_ids_survive_a_second_run(tmp_path: Path) -> None:
    run = run_of_three()
    before = replace(run, clusters=run.clusters.with_columns(cluster="k" + pl.col("cluster")))
    again = lighttea.align_many(three_graphs(), seeds=seeds(), previous=before, threads=1)
    assert again.clusters.sort("graph", "entity").equals(before.clusters.sort("graph", "entity"))
    assert set(again.links["cluster"]) == set(again.clusters["cluster"])


def test_what_must_not_be_linked_is_in_no_cluster() -> None:
    never = pl.DataFrame({"left": ["north e1"], "right": ["south e1"]})
    run = lighttea.align_many(three_graphs(), seeds=seeds(), cannot_link=never, threads=1)
    own = run.clusters.filter(pl.col("entity").is_in(["north e1", "south e1"]))
    assert own["cluster"].n_unique() == len(own)


@pytest.mark.slow
def test_the_engine_dask_makes_the_same_clusters() -> None:
    pytest.importorskip("distributed")
    run = lighttea.align_many(three_graphs(), seeds=seeds(), threads=1, engine="dask")
    members = ["cluster", "graph", "entity"]
    assert run.clusters.select(members).equals(run_of_three().clusters.select(members))


def test_wrong_inputs_are_said() -> None:
    graphs = three_graphs()
    with pytest.raises(InputError, match="two graphs or more; got 1"):
        lighttea.align_many(graphs[:1])
    with pytest.raises(InputError, match=r"no two of the graphs .* have 'north e1' and 'nobody'"):
        lighttea.align_many(graphs, seeds=[("north e1", "nobody")])
    wrong = truth().with_columns(graph=pl.lit("east"))
    with pytest.raises(InputError, match="names a graph 'east'; the graphs are north, south, west"):
        lighttea.align_many(graphs, seeds=wrong)
    with pytest.raises(ConfigError, match="raunds"):
        lighttea.align_many(graphs, raunds=2)  # type: ignore[call-arg]
    with pytest.raises(InputError, match="the truth is empty"):
        run_of_three().evaluate(truth().head(0))
    strangers = [named(random_facts(12, 12, n), f"{n} ") for n in range(3)]
    with (
        pytest.warns(lighttea.LightteaWarning),
        pytest.raises(StartError, match="no two of the graphs can be aligned"),
    ):
        lighttea.align_many(strangers, threads=1)


def test_a_truth_of_two_graphs_judges_these_alone() -> None:
    of_two = truth().filter(pl.col("graph") != "west")
    figures = run_of_three().evaluate(of_two)
    assert figures.clusters.precision > 0.95
    assert figures.to_dict()["n_truth"] == figures.n_truth < 50


def test_a_cluster_is_explained() -> None:
    run = run_of_three()
    explained = run.explain("north e1")
    assert {member.graph for member in explained.members} == set(NAMES)
    assert len(explained.links) == 3
    assert all(link.explanation is not None for link in explained.links)
    assert explained.to_dict()["links"][0]["explanation"]["facts"]
    assert json.dumps(explained.to_dict())
    assert run.explain("north e0").links[0].origin == "seed"
    with pytest.raises(InputError, match="'nobody' is an entity of none of the graphs"):
        run.explain("nobody")
    with pytest.raises(InputError, match="there is no graph 'east'"):
        run.explain("north e1", "east")


def worlds_of_same_ids() -> list[Graph]:
    """Return three graphs whose entities are called the same."""
    facts = random_facts(20, 120, 3)
    return [graph_of_frame(fact_frame(*facts[n:])) for n in (0, 10, 20)]


def test_an_entity_of_several_graphs_asks_which_of_them_is_meant() -> None:
    names = ("one\u202etwo", "it's", "other")
    graphs = [replace(graph, name=n) for graph, n in zip(worlds_of_same_ids(), names, strict=True)]
    run = lighttea.align_many(graphs, seeds=[("e0", "e0"), ("e1", "e1")], threads=1)
    with pytest.raises(InputError) as caught:
        run.explain("e2")
    message = r"is an entity of one\u202etwo and of it's and of other; say which graph is meant"
    assert message in str(caught.value)


def test_clusters_are_exported(tmp_path: Path) -> None:
    run = run_of_three()
    for form in ("tsv", "parquet", "jsonl"):
        run.export(tmp_path / f"out.{form}", format=form, min_confidence=0.5)
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    table = pl.read_parquet(tmp_path / "out.parquet")
    assert len(lines) == len(table) == len(pl.read_csv(tmp_path / "out.tsv", separator="\t"))
    assert table.columns[:4] == ["cluster", "graph", "entity", "confidence"]
    run.export(tmp_path / "same.nt", format="sameas", namespace="https://x.org/")
    same = (tmp_path / "same.nt").read_text()
    assert "<https://x.org/south/south%20e1> <http://www.w3.org/2002/07/owl#sameAs> " in same
    assert "<https://x.org/north/north%20e1> ." in same
    run.export(tmp_path / "out.sssom", format="sssom")
    mappings = [x for x in (tmp_path / "out.sssom").read_text().splitlines() if x[0] != "#"]
    n_links = len(table) - table["cluster"].n_unique()
    assert len(mappings) == 1 + n_links
    with pytest.raises(ConfigError, match="max_fdr"):
        run.export(tmp_path / "x.tsv", format="tsv", max_fdr=0.1)


def test_fused_clusters_are_one_graph(tmp_path: Path) -> None:
    run = run_of_three()
    run.export(tmp_path / "fused", format="fused")
    fused = lighttea.read_graph(tmp_path / "fused")
    n_all = sum(len(graph.entities) for graph in three_graphs())
    n_merged = len(run.clusters) - run.clusters["cluster"].n_unique()
    assert len(fused.entities) == n_all - n_merged
    members = pl.read_parquet(tmp_path / "fused" / "entities.parquet")
    own = members.filter(pl.col("id").is_in([f"{name} e1" for name in NAMES]))
    assert own["entity"].to_list() == ["https://example.org/north/north%20e1"] * 3
    assert len(fused.relations) == 8
    assert len(fused.facts) < 0.6 * sum(len(graph.facts) for graph in three_graphs())


def test_fused_clusters_in_nquads_are_the_same_graph(tmp_path: Path) -> None:
    run = run_of_three()
    run.export(tmp_path / "fused", format="fused")
    run.export(tmp_path / "fused.nq", format="fused")
    as_folder, as_quads = (lighttea.read_graph(tmp_path / name) for name in ("fused", "fused.nq"))
    columns = ["head", "relation", "tail", "begin", "end"]
    tables = [graph.to_polars().select(columns).unique() for graph in (as_folder, as_quads)]
    assert tables[0].sort(columns).equals(tables[1].sort(columns))
    text = (tmp_path / "fused.nq").read_text(encoding="utf-8")
    for name in NAMES:
        assert f"<https://example.org/fused/graph/of/{name}> ." in text
    assert "<http://www.w3.org/2002/07/owl#sameAs> <https://example.org/west/west%20e1>" in text


def test_the_report_has_the_key_figures(saved: Path) -> None:
    pytest.importorskip("vl_convert")
    from lighttea.report.clusters import write_cluster_report

    run = run_of_three()
    page = write_cluster_report(run, saved, run.evaluate(truth())).read_text(encoding="utf-8")
    n_clusters = run.clusters["cluster"].n_unique()
    for words in (
        "north",
        "south",
        "west",
        f"<strong>{n_clusters:,}</strong>",
        "Against the truth",
    ):
        assert words in page, words


def test_decisions_on_two_graphs_lie_beside_the_run_of_all(saved: Path) -> None:
    path = decisions_file(saved / "pairs" / "north-south")
    assert path == saved.with_name("run.review") / "north-south" / "decisions.sqlite"
