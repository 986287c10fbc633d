"""Made-up pairs of graphs: sizes, rates, truth, repeatability, and that they are worth aligning."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cyclopts import App

from lighttea.bench.run import bench_run
from lighttea.cli.synth import SynthOptions, synth
from lighttea.config import make_config
from lighttea.errors import ConfigError, InputError
from lighttea.graph.facts import Graph
from lighttea.io.benchmark import read_dataset, read_side
from lighttea.synth.config import SynthConfig
from lighttea.synth.overlap import count_common_facts
from lighttea.synth.sides import draw_world
from lighttea.synth.world import draw_ranks
from lighttea.synth.write import write_synth

FACT = ("head", "relation", "tail", "begin", "end")
PAIR = ("left", "right")
IDS = ("first", "second")
FILES = ("triples", "ent_ids", "rel_ids")
PLAIN: dict[str, Any] = {  # both sides say the same thing in different words
    "missing_left": 0.0,
    "missing_right": 0.0,
    "coarse_rate": 0.0,
    "wrong_rate": 0.0,
    "split_rate": 0.0,
    "merge_rate": 0.0,
}


def table(path: Path, names: tuple[str, ...]) -> pl.DataFrame:
    return pl.read_csv(path, separator="\t", has_header=False, new_columns=list(names))


def made(folder: Path, **options: Any) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Left facts, right facts and all true pairs of a new folder."""
    write_synth(folder, SynthConfig(**{"entities": 2000, **options}))
    facts = [table(folder / f"triples_{side}", FACT) for side in "12"]
    pairs = pl.concat([table(folder / name, PAIR) for name in ("sup_pairs", "ref_pairs")])
    return facts[0], facts[1], pairs


def matched(folder: Path, left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
    """Left facts beside every right fact that joins the same entities by the same relation."""
    pairs = pl.concat([table(folder / name, PAIR) for name in ("sup_pairs", "ref_pairs")])
    relations = table(folder / "rel_pairs", PAIR)
    left = left.with_row_index("fact")
    for column, known in (("head", pairs), ("relation", relations), ("tail", pairs)):
        left = left.join(known, left_on=column, right_on="left").with_columns(
            pl.col("right").alias(column)
        )
        left = left.drop("right")
    return left.join(right, on=["head", "relation", "tail"])


def degrees(facts: pl.DataFrame) -> pl.Series:
    return pl.concat([facts["head"], facts["tail"]]).value_counts()["count"].sort(descending=True)


@pytest.fixture(scope="module")
def default(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The default pair at 2,000 entities a side."""
    folder = tmp_path_factory.mktemp("synth") / "default"
    write_synth(folder, SynthConfig(entities=2000))
    return folder


def test_the_folder_is_a_dataset_of_the_sizes_asked_for(tmp_path: Path) -> None:
    config = SynthConfig(
        left_entities=1500, right_entities=1300, facts=12_345, left_share=0.4, seeds=77, ticks=245
    )
    summary = write_synth(tmp_path / "made", config)
    dataset = read_dataset(tmp_path / "made")
    assert (len(dataset.left.entities), len(dataset.right.entities)) == (1500, 1300)
    assert (len(dataset.left.facts), len(dataset.right.facts)) == (4938, 7407)
    assert len(dataset.pairs) == summary.pairs == round(0.95 * 1300)
    assert dataset.fixed_split
    assert len(table(tmp_path / "made" / "sup_pairs", PAIR)) == summary.seeds == 77
    assert len(dataset.left.relations) == summary.left_relations
    assert len(dataset.right.relations) == summary.right_relations
    assert len(table(tmp_path / "made" / "time_id", ("id", "year"))) == 246
    assert not dataset.left.notes
    assert not dataset.right.notes


def test_ids_are_numbered_as_in_public_sets_and_say_nothing(default: Path) -> None:
    for name in ("ent", "rel"):
        left, right = (table(default / f"{name}_ids_{s}", ("id", "name"))["id"] for s in "12")
        assert left.to_list() == list(range(len(left)))
        assert right.to_list() == list(range(len(left), len(left) + len(right)))
    pairs = table(default / "ref_pairs", PAIR)
    assert abs(float(np.corrcoef(pairs["left"], pairs["right"])[0, 1])) < 0.1
    by_left = pairs.sort("left")["right"].to_numpy()
    assert np.mean(by_left == np.sort(by_left)) < 0.01
    left_names, right_names = (
        set(table(default / f"ent_ids_{s}", ("id", "name"))["name"]) for s in "12"
    )
    assert not left_names & right_names


def test_the_same_random_seed_makes_the_same_files(tmp_path: Path, default: Path) -> None:
    write_synth(tmp_path / "again", SynthConfig(entities=2000))
    write_synth(tmp_path / "other", SynthConfig(entities=2000, random_seed=1))
    names = sorted(path.name for path in default.iterdir())
    assert names == sorted(path.name for path in (tmp_path / "again").iterdir())
    for name in names:
        assert (default / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name
    for name in ("triples_1", "triples_2", "ref_pairs"):
        assert (default / name).read_bytes() != (tmp_path / "other" / name).read_bytes(), name


def test_without_flaws_every_shared_fact_stands_on_both_sides(tmp_path: Path) -> None:
    left, right, _ = made(tmp_path / "made", **PLAIN)
    both = matched(tmp_path / "made", left, right)
    same = both.filter(
        (pl.col("begin") == pl.col("begin_right")) & (pl.col("end") == pl.col("end_right"))
    )
    n_shared = SynthConfig(entities=2000).n_facts_shared
    assert n_shared <= same["fact"].n_unique() < 1.1 * n_shared


def test_with_flaws_shared_facts_differ_only_as_allowed(default: Path) -> None:
    left, right = (table(default / f"triples_{side}", FACT) for side in "12")
    both = matched(default, left, right)
    config = SynthConfig(entities=2000)
    gap = (pl.col("begin_right") - pl.col("begin")).abs()
    unknown = (pl.col("begin") == 0) | (pl.col("begin_right") == 0)
    allowed = both.filter(unknown | (gap <= config.wrong_by + 9))
    assert allowed["fact"].n_unique() >= config.n_facts_shared
    dated = both.filter(~unknown).group_by("fact").agg(gap.min().alias("gap"))["gap"]
    exact = np.mean(dated.to_numpy() == 0)
    assert 0.7 < exact < 0.95  # coarse and wrong: 10 % each


@pytest.mark.parametrize("share", [0.0, 0.1, 0.9])
def test_the_share_of_common_facts_is_realised_and_counted(tmp_path: Path, share: float) -> None:
    config = SynthConfig(entities=2000, common_facts=share, **PLAIN)
    summary = write_synth(tmp_path / "made", config)
    left, right = (table(tmp_path / "made" / f"triples_{side}", FACT) for side in "12")
    both = matched(tmp_path / "made", left, right)
    same = both.filter(
        (pl.col("begin") == pl.col("begin_right")) & (pl.col("end") == pl.col("end_right"))
    )
    distinct = same.unique(["head", "relation", "tail", "begin", "end"])
    assert summary.common_facts == len(distinct)
    assert summary.shared_facts == round(share * 10_000)
    assert summary.common_share == pytest.approx(share, abs=0.012)  # some by chance
    assert (len(left), len(right)) == (10_000, 10_000)


def test_few_common_facts_are_about_the_same_entities(tmp_path: Path) -> None:
    """With a lower shared rate each side turns to entities of its own."""
    alike: list[float] = []
    for options in ({}, {"common_facts": 0.1}, {"shared_rate": 0.1}):
        left, right, pairs = made(tmp_path / str(len(alike)), **options)
        counts = []
        for facts, ids in ((left, pairs["left"]), (right, pairs["right"])):
            ends = np.concatenate([facts["head"].to_numpy(), facts["tail"].to_numpy()])
            counts.append(np.log1p(np.bincount(ends, minlength=4000)[ids.to_numpy()]))
        alike.append(float(np.corrcoef(*counts)[0, 1]))
    assert alike[1] > 0.6
    assert alike[0] > alike[1] > alike[2] + 0.1


def test_a_count_of_many_facts_is_made_on_a_sample() -> None:
    world = draw_world(SynthConfig(entities=4000, common_facts=0.3))
    exact = count_common_facts(world, 500_000)
    assert exact == pytest.approx(6000, rel=0.03)
    sampled = count_common_facts(world, 500_000, most_keys=10_000)
    assert sampled != exact
    assert sampled == pytest.approx(exact, rel=0.1)


def test_wrong_dates_are_a_little_off(tmp_path: Path) -> None:
    left, right, _ = made(tmp_path / "made", **{**PLAIN, "wrong_rate": 1.0, "shared_rate": 1.0})
    both = matched(tmp_path / "made", left, right).filter(pl.len().over("fact") == 1)
    gap = (both["begin_right"] - both["begin"]).abs()
    assert len(gap) > 5000
    assert gap.max() == 2
    assert (gap == 0).mean() == pytest.approx(0, abs=0.02)  # only at the last and the first year


def test_coarse_dates_are_decades(tmp_path: Path) -> None:
    _, right, _ = made(tmp_path / "made", coarse_rate=1.0)
    years = table(tmp_path / "made" / "time_id", ("id", "year")).filter(pl.col("id") > 0)
    decades = years.filter((pl.col("year").cast(pl.Int64) % 10 == 0) | (pl.col("id") == 1))["id"]
    dates = pl.concat([right["begin"], right["end"]])
    assert dates.filter(dates > 0).is_in(decades.implode()).all()


def test_rates_are_kept(default: Path) -> None:
    config = SynthConfig(entities=2000)
    left, right = (table(default / f"triples_{side}", FACT) for side in "12")
    for facts, missing in ((left, config.missing_left), (right, config.missing_right)):
        unknown = (facts["begin"] == 0) & (facts["end"] == 0)
        assert unknown.mean() == pytest.approx(missing, abs=0.06)
        dated = facts.filter(~unknown)
        open_end = dated["end"] == 0
        assert open_end.mean() == pytest.approx(config.open_rate * config.interval_rate, abs=0.03)
        assert (dated["begin"] > 0).all()
        assert (dated.filter(~open_end).select(pl.col("end") >= pl.col("begin")).to_series()).all()
    lasting = left.filter((pl.col("begin") > 0) & (pl.col("end") != pl.col("begin")))
    share = len(lasting) / left.filter(pl.col("begin") > 0).height
    assert share == pytest.approx(config.interval_rate, abs=0.05)  # some end in the last year


def test_dangling_entities_have_facts_and_no_pair(default: Path) -> None:
    pairs = pl.concat([table(default / name, PAIR) for name in ("sup_pairs", "ref_pairs")])
    for side, name in (("1", "left"), ("2", "right")):
        facts = table(default / f"triples_{side}", FACT)
        ids = table(default / f"ent_ids_{side}", ("id", "name"))["id"]
        dangling = ids.filter(~ids.is_in(pairs[name].implode()))
        assert len(dangling) == 100
        ends = pl.concat([facts["head"], facts["tail"]])
        degree = ends.is_in(dangling.implode()).sum() / len(dangling)
        assert degree == pytest.approx(len(ends) / len(ids), rel=0.5)


def test_degrees_have_a_long_tail(default: Path) -> None:
    found = degrees(table(default / "triples_1", FACT)).to_numpy()
    assert np.median(found) < 0.8 * found.mean()
    assert found[:20].mean() > 5 * found.mean()  # 1 % of the entities
    tail = found[found >= 10]
    assert 2.0 < 1 + len(tail) / np.log(tail / 9.5).sum() < 3.5


def test_a_smaller_exponent_makes_larger_hubs(tmp_path: Path) -> None:
    largest = [degrees(made(tmp_path / str(e), exponent=e)[0])[0] for e in (1.5, 2.0, 2.5, 4.0)]
    assert largest == sorted(largest, reverse=True)
    assert largest[0] > 3 * largest[-1]


@pytest.mark.parametrize("skew", [0.5, 1.0, 1.5])
def test_ranks_follow_the_power_law(skew: float) -> None:
    n, draws = 50, 200_000
    ranks = draw_ranks(np.full(draws, n), skew, np.random.default_rng(0))
    found = np.bincount(ranks, minlength=n) / draws
    edges = np.arange(1, n + 2, dtype=float)
    area = np.log(edges) if skew == 1 else edges ** (1 - skew) / (1 - skew)
    expected = np.diff(area) / (area[-1] - area[0])
    assert np.abs(found - expected).max() < 0.005


def test_vocabularies_differ(tmp_path: Path) -> None:
    write_synth(tmp_path / "plain", SynthConfig(entities=500, private_relation_rate=0.0, **PLAIN))
    pairs = table(tmp_path / "plain" / "rel_pairs", PAIR)
    assert len(pairs) == pairs["left"].n_unique() == pairs["right"].n_unique() == 120
    mixed: dict[str, Any] = {"split_rate": 0.3, "merge_rate": 0.4, "rename_rate": 0.5}
    write_synth(tmp_path / "mixed", SynthConfig(entities=500, **mixed))
    pairs = table(tmp_path / "mixed" / "rel_pairs", PAIR)
    assert pairs["left"].is_duplicated().any()
    assert pairs["right"].is_duplicated().any()
    names = [table(tmp_path / "mixed" / f"rel_ids_{s}", ("id", "name"))["name"] for s in "12"]
    common = set(names[0]) & set(names[1])
    assert 0.2 < len(common) / len(names[0]) < 0.6


def test_the_chunk_size_changes_no_statistic(tmp_path: Path) -> None:
    config = SynthConfig(entities=2000)
    figures = []
    for chunk in (700, 1_000_000):
        folder = tmp_path / str(chunk)
        write_synth(folder, config, chunk=chunk)
        left, right = (table(folder / f"triples_{side}", FACT) for side in "12")
        assert (len(left), len(right)) == (config.n_facts_left, config.n_facts_right)
        found = degrees(left).to_numpy()
        both = matched(folder, left, right)["fact"].n_unique() / len(left)
        unknown, begins = left["begin"] == 0, left["begin"].filter(left["begin"] > 0)
        figures.append(
            [np.median(found), np.quantile(found, 0.9), both, unknown.mean(), begins.mean()]
        )
    assert figures[0] == pytest.approx(figures[1], rel=0.06)


def test_line_order_does_not_show_the_pairs(default: Path) -> None:
    left, right = (table(default / f"triples_{side}", FACT) for side in "12")
    pairs = pl.concat([table(default / name, PAIR) for name in ("sup_pairs", "ref_pairs")])
    partner = dict(pairs.rows())
    heads = [partner.get(head) for head in left["head"]]
    assert np.mean([a == b for a, b in zip(heads, right["head"], strict=True)]) < 0.01


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"entities": 3}, "entities must be >= 10; got 3"),
        ({"shared_rate": 1.5}, "shared_rate must be <= 1; got 1.5"),
        ({"common_facts": -0.5}, "common_facts must be >= 0; got -0.5"),
        ({"exponent": 1}, "exponent must be > 1; got 1"),
        ({"ticks": 2.5}, "ticks must be a whole number; got 2.5"),
        ({"missing_left": "half"}, "missing_left must be a number; got 'half'"),
        ({"locality": float("nan")}, "locality must be a finite number; got nan"),
        ({"entities": True}, "entities must be a whole number; got True"),
        ({"entities": 100, "seeds": 95}, "seeds must be fewer than the 95 true pairs"),
    ],
)
def test_a_wrong_option_says_what_is_wrong(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SynthConfig(**options)
    assert message in str(caught.value)


def test_all_problems_come_together() -> None:
    with pytest.raises(ConfigError) as caught:
        SynthConfig(entities=1, wrong_by=0)
    assert len(str(caught.value).splitlines()) == 2


def test_a_folder_with_something_in_it_is_kept(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        write_synth(tmp_path, SynthConfig(entities=100))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    (tmp_path / "new").mkdir()
    write_synth(tmp_path / "new", SynthConfig(entities=100))
    assert (tmp_path / "new" / "triples_1").exists()


@pytest.mark.parametrize(
    "options",
    [
        {"entities": 10, "facts": 2},
        {"dangling_rate": 1.0},
        {"dangling_rate": 0.0, "shared_rate": 1.0},
        {"shared_rate": 0.0},
        {"common_facts": 0.0},
        {"common_facts": 1.0},
        {"ticks": 1},
        {"ticks": 2100},
        {"relations": 1, "types": 1, "tail_rate": 1.0},
        {"merge_rate": 1.0, "private_relation_rate": 1.0},
        {"split_rate": 1.0, "interval_rate": 0.0},
        {"missing_left": 1.0, "missing_right": 1.0},
        {"left_entities": 30, "right_entities": 900, "community": 1},
    ],
    ids=str,
)
def test_extremes_still_make_a_dataset(tmp_path: Path, options: dict[str, Any]) -> None:
    write_synth(tmp_path / "made", SynthConfig(**{"entities": 200, **options}))
    assert len(read_dataset(tmp_path / "made").pairs) >= 2


def test_the_command_writes_a_folder_and_says_its_sizes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = SynthOptions(entities=300, facts=4000)  # type: ignore[call-arg]
    synth(out=tmp_path / "made", options=options)
    said = capsys.readouterr().out
    assert "2,000" in said
    assert "lighttea bench run" in said
    synth(out=tmp_path / "two", json=str(tmp_path / "sizes.json"), options=options)
    assert json.loads((tmp_path / "sizes.json").read_text())["left_facts"] == 2000


def test_every_field_is_an_option(tmp_path: Path) -> None:
    app = App(result_action="return_value")
    app.default(synth)
    tokens = ["--out", str(tmp_path / "made"), "--json", str(tmp_path / "sizes.json")]
    for one in fields(SynthConfig):
        own = {"seeds": 5, "common_facts": 0.5}
        value = one.default if one.default is not None else own.get(one.name, 60)
        name = f"--{one.name.replace('_', '-')}"
        tokens += [name] if isinstance(value, bool) else [name, str(value)]
        assert one.metadata["help"]
    app(tokens, exit_on_error=False)
    sizes = json.loads((tmp_path / "sizes.json").read_text())
    assert (sizes["left_entities"], sizes["left_facts"]) == (60, 30)
    assert (tmp_path / "made" / "attr_triples_2").is_file()


def test_the_page_names_every_option_with_its_default() -> None:
    page = (Path(__file__).parent.parent / "docs" / "synth.md").read_text(encoding="utf-8")
    for one in fields(SynthConfig):
        row = next(
            x for x in page.splitlines() if x.startswith(f"| `--{one.name.replace('_', '-')}`")
        )
        if one.default is not None:
            shown = "off" if one.default is False else f"{one.default:,}"
            assert f"| {shown} |".replace("0.", ".") in row, one.name


@pytest.mark.slow
def test_the_default_is_neither_trivial_nor_hopeless(default: Path) -> None:
    config = make_config(dim=128, top_k=100, rounds=1)
    result = bench_run(default, n_seeds=100, config=config, runs=1)
    assert 0.3 < result["mean"]["hits@1"] < 0.95


def test_literals_say_the_same_of_a_pair_in_other_words(tmp_path: Path) -> None:
    write_synth(tmp_path / "named", SynthConfig(entities=600, literals=True, typo_rate=0.1))
    dataset = read_dataset(tmp_path / "named")
    left, right = (literals_of(graph) for graph in (dataset.left, dataset.right))
    assert {name for values in left.values() for name in values} == {
        *("name", "given name", "family name", "phone", "born")
    }
    pairs = [(left[a], right[b]) for a, b in dataset.pairs.rows()]
    same_name = [f"{a['family name']}, {a['given name']}" == b["name"] for a, b in pairs]
    assert 0.8 < np.mean(same_name) < 0.97
    for one, other in pairs:
        assert one["phone"].replace("-", "") == other["telephone"].replace("/", "").replace("-", "")
        assert one["phone"] != other["telephone"]
        assert one["born"] == other["year of birth"]
        assert 0 <= len(f"{one['family name']}, {one['given name']}") - len(other["name"]) <= 1
    phones = {values["phone"] for values in left.values()}
    assert len(phones) > 0.99 * len(left)


def literals_of(graph: Graph) -> dict[str, dict[str, str]]:
    """The value of each attribute of each entity."""
    own = graph.attributes
    values: dict[str, dict[str, str]] = {}
    rows = zip(own.entity.tolist(), own.attribute.tolist(), own.value.tolist(), strict=True)
    for entity, attribute, value in rows:
        values.setdefault(graph.entities[entity], {})[own.names[attribute]] = own.texts[value]
    return values


def test_literals_change_nothing_else(tmp_path: Path, default: Path) -> None:
    write_synth(tmp_path / "named", SynthConfig(entities=2000, literals=True))
    more = {path.name for path in (tmp_path / "named").iterdir()} - {
        p.name for p in default.iterdir()
    }
    assert more == {"attr_triples_1", "attr_triples_2"}
    for name in ("triples_1", "triples_2", "ref_pairs", "ent_ids_2"):
        assert (default / name).read_bytes() == (tmp_path / "named" / name).read_bytes(), name


def test_three_graphs_are_of_one_world(tmp_path: Path) -> None:
    config = SynthConfig(entities=1000, graphs=3)
    summary = write_synth(tmp_path / "made", config)
    sides = [read_side(tmp_path / "made", side) for side in "123"]
    assert sum(len(graph.facts) for graph in sides) == summary.facts
    truth = pl.read_csv(tmp_path / "made" / "clusters.tsv", separator="\t")
    assert truth.columns == ["cluster", "graph", "entity"]
    assert truth["cluster"].n_unique() == summary.clusters
    assert truth.select("graph", "entity").is_duplicated().sum() == 0
    assert truth.group_by("cluster", "graph").len()["len"].max() == 1
    for number, graph in enumerate(sides, 1):
        own = truth.filter(graph=f"triples_{number}")["entity"].cast(pl.String)
        assert own.is_in(list(graph.entities)).all()
        assert len(own) / 1000 == pytest.approx(0.95 * 0.9, abs=0.03)
    sizes = truth.group_by("cluster").len()["len"].to_numpy()
    assert np.mean(sizes == 3) == pytest.approx(0.75, abs=0.04)  # .9 ** 3 / (1 - .1 ** 2 * 2.8)
    left, right = (truth.filter(graph=f"triples_{n}") for n in (1, 2))
    pairs = left.join(right, on="cluster").select(left="entity", right="entity_right")
    told = pl.concat([table(tmp_path / "made" / name, PAIR) for name in ("sup_pairs", "ref_pairs")])
    assert set(pairs.rows()) == set(told.rows())


def test_further_graphs_tell_shared_facts_of_their_own_choice(tmp_path: Path) -> None:
    rates: dict[str, Any] = {"absent_rate": 0.0, **PLAIN}
    shares = []
    for untold in (0.0, 0.5):
        summary = write_synth(
            tmp_path / str(untold),
            SynthConfig(entities=1000, graphs=3, untold_rate=untold, **rates),
        )
        shares.append(summary.common_facts / summary.shared_facts)
    assert shares[0] > 0.99
    assert shares[1] == pytest.approx(0.25, abs=0.04)


def test_duplicates_divide_the_facts_of_their_entity(tmp_path: Path) -> None:
    plain = write_synth(tmp_path / "plain", SynthConfig(entities=1000, **PLAIN))
    options: dict[str, Any] = {"duplicates": 0.2, **PLAIN}
    alone = write_synth(
        tmp_path / "alone", SynthConfig(entities=1000, duplicate_overlap=0.0, **options)
    )
    both = write_synth(
        tmp_path / "both", SynthConfig(entities=1000, duplicate_overlap=1.0, **options)
    )
    assert (plain.duplicates, alone.duplicates) == (0, 400)
    assert alone.left_entities == 1200
    assert alone.left_facts == plain.left_facts < both.left_facts
    for folder, is_repeated in ((tmp_path / "alone", False), (tmp_path / "both", True)):
        heads = heads_of_duplicates(folder)
        common = [one & other for one, other in heads if one and other]
        assert len(common) > 50
        share = np.mean([bool(facts) for facts in common])
        assert share == 1 if is_repeated else share < 0.2
    truth = pl.read_csv(tmp_path / "alone" / "clusters.tsv", separator="\t")
    twice = {frozenset(row) for row in table(tmp_path / "alone" / "duplicates_1", IDS).rows()}
    own = truth.filter(graph="triples_1").group_by("cluster").agg("entity")["entity"].to_list()
    assert {frozenset(ids) for ids in own if len(ids) == 2} == twice


def heads_of_duplicates(folder: Path) -> list[tuple[set[Any], set[Any]]]:
    """What both ids of each left entity that is there twice say: relation and times."""
    facts: dict[int, set[Any]] = {}
    for head, *rest in table(folder / "triples_1", FACT).rows():
        facts.setdefault(head, set()).add((rest[0], *rest[2:]))
    pairs = table(folder / "duplicates_1", IDS).rows()
    return [(facts.get(one, set()), facts.get(other, set())) for one, other in pairs]


def test_some_duplicates_are_one_life_in_two_halves(tmp_path: Path) -> None:
    config = SynthConfig(entities=1000, duplicates=0.3, duplicate_overlap=0.0, **PLAIN)
    write_synth(tmp_path / "made", config)
    begins = [
        [[begin for _, begin, _ in facts] for facts in pair]
        for pair in heads_of_duplicates(tmp_path / "made")
    ]
    known = [(a, b) for a, b in begins if len(a) > 2 and len(b) > 2]
    apart = [max(a) < min(b) for a, b in known]
    assert len(known) > 40
    assert 0.25 < np.mean(apart) < 0.85


def test_both_ids_of_a_duplicate_have_literals(tmp_path: Path) -> None:
    write_synth(tmp_path / "made", SynthConfig(entities=500, duplicates=0.2, literals=True))
    dataset = read_dataset(tmp_path / "made")
    left = literals_of(dataset.left)
    pairs = [
        (left[str(one)], left[str(other)])
        for one, other in table(tmp_path / "made" / "duplicates_1", IDS).rows()
    ]
    phones = [(a["phone"], b["phone"]) for a, b in pairs if "phone" in a and "phone" in b]
    assert 0.3 < len(phones) / len(pairs) < 0.7
    assert all(a == b for a, b in phones)
