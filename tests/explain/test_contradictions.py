"""Facts that can hold only once and differ: negative in score, explanation, alarms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lighttea
from lighttea.results.run import Run
from tests.lives import FLOYD, KNUTH, align_people, knuth_and_floyd, people, person, right_names
from tests.run_folders import forget_list, load_earlier
from tests.worlds import fact_frame

PAIR = (KNUTH, f"x {FLOYD}")


@pytest.fixture(scope="module")
def run() -> Run:
    return align_people(*knuth_and_floyd(), min_confidence=0.0)


def candidate(run: Run, *pair: str) -> dict[str, Any]:
    rows = run.candidates.filter(pl.col("left") == pair[0], pl.col("right") == pair[1])
    return rows.row(0, named=True)


def test_two_people_with_other_years_count_against_each_other(run: Run) -> None:
    term = candidate(run, *PAIR)["contradiction"]
    assert term < -0.05
    links = run.links.filter(pl.col("left") == KNUTH)
    assert links.is_empty() or "contradiction" in links["alarms"][0]
    assert KNUTH not in align_people(*knuth_and_floyd()).links["left"].to_list()
    without = align_people(*knuth_and_floyd(), contradictions=False)
    assert KNUTH in without.links["left"].to_list()
    assert "contradiction" not in without.candidates.columns
    difference = candidate(run, *PAIR)["score"] - candidate(without, *PAIR)["score"]
    assert difference == pytest.approx(term, abs=0.05)  # other terms differ a little too


def test_true_links_are_not_lowered(run: Run) -> None:
    own = run.candidates.filter(pl.col("right") == "x " + pl.col("left"))
    assert len(own) == 30
    assert own["contradiction"].to_list() == [0.0] * 30
    assert (run.candidates["contradiction"] <= 0).all()
    assert (run.candidates["contradiction"] < 0).any()


def test_terms_add_up_to_the_score(run: Run) -> None:
    columns = run.candidates.columns
    terms = columns[columns.index("rank") + 1 : columns.index("score")]
    assert terms[-1] == "contradiction"
    total = run.candidates.select(terms).sum_horizontal()
    assert (total - run.candidates["score"]).abs().max() < 1e-5  # type: ignore[operator]


def test_the_explanation_says_which_facts_contradict(run: Run) -> None:
    found = run.explain(*PAIR)
    assert sum(part.value for part in found.terms) == pytest.approx(found.score, abs=1e-5)
    against = {fact.left.relation: fact for fact in found.contradictions}
    assert set(against) == {"born in", "won"}
    assert all(fact.value < 0 for fact in against.values())
    assert (against["born in"].left.time, against["born in"].right.time) == ("1938", "1936")
    assert against["won"].verdict == "only one can be true: times differ"
    parts = [part for part in found.terms if part.term == "contradiction"]
    assert len(parts) == 2
    total = sum(part.value for part in parts)
    assert total == pytest.approx(found.aspects["contradiction"], abs=1e-6)
    assert all(part.value < 0 for part in parts)  # not exact: together they reach the bound


def test_a_true_link_has_no_contradiction(run: Run) -> None:
    assert not run.explain("person 3").contradictions


def test_impossible_candidates_are_ruled_out_unless_a_seed_says_so() -> None:
    """Ada died before the other was born; all they have in common is where and what."""
    ada, other = person("Ada", 1700, 1740, 1760, 3), person("Ben", 1940, 1980, 2010, 3)
    rights = {}
    for on in (False, True):
        run = align_people(ada, other, contradictions=on)
        rights[on] = set(run.candidates.filter(pl.col("left") == "Ada")["right"])
    assert "x Ben" in rights[False]
    assert "x Ben" not in rights[True]
    names = sorted({end for fact in people() for end in (fact[0], fact[2])})
    seeds = [(name, f"x {name}") for name in names[20:]] + [("Ada", "x Ben")]
    run = lighttea.align(
        fact_frame(*people(), *ada),
        fact_frame(*right_names([*people(), *other])),
        seeds=seeds,
        dim=64,
        rounds=1,
    )
    assert ("Ada", "x Ben") in run.seeds.rows()


# ------------------------------------------------------------------------- beside the links


def test_links_have_codes_of_their_alarms(run: Run, tmp_path: Path) -> None:
    assert run.links.columns[-1] == "alarms"
    alarmed = dict(run.links.filter(pl.col("alarms") != "").select("left", "alarms").rows())
    of_links = run.alarms.drop_nulls("left").group_by("left", maintain_order=True)
    assert alarmed == dict(of_links.agg(pl.col("kind").str.join(",")).rows())
    assert alarmed[KNUTH].split(",") == ["before-begin", "contradiction"]
    run.save(tmp_path / "run")
    header, *lines = (tmp_path / "run" / "links.tsv").read_text().splitlines()
    assert header.split("\t")[-1] == "alarms"
    assert {line.split("\t")[0]: line.split("\t")[-1] for line in lines}[KNUTH] == alarmed[KNUTH]
    assert sum(line.endswith("\t") for line in lines) == len(run.links) - len(alarmed)
    assert lighttea.load_run(tmp_path / "run").links.equals(run.links)


def test_links_with_an_alarm_can_be_left_out(run: Run) -> None:
    without = align_people(*knuth_and_floyd(), no_alarmed=True, min_confidence=0.0)
    assert without.links.equals(run.links.filter(pl.col("alarms") == ""))
    assert without.info["alarmed_links_left_out"] == len(run.links) - len(without.links) > 0
    assert "alarmed_links_left_out" not in run.info


def test_a_run_without_the_column_still_loads(run: Run, tmp_path: Path) -> None:
    folder = run.save(tmp_path / "old")
    run.links.drop("alarms").write_parquet(folder / "links.parquet")
    run.candidates.drop("contradiction").write_parquet(folder / "candidates.parquet")
    old = load_earlier(forget_list(folder))
    assert set(old.links["alarms"]) == {""}  # none were written
    assert set(old.alarms["kind"]) == set(run.alarms["kind"])
    assert old.explain(*PAIR).alarms


def test_without_time_there_is_nothing_to_contradict(recwarn: pytest.WarningsRecorder) -> None:
    facts = [(*fact[:3], None, None) for fact in people()]
    names = sorted({end for fact in people() for end in (fact[0], fact[2])})
    run = lighttea.align(
        fact_frame(*facts),
        fact_frame(*right_names(facts)),
        seeds=[(name, f"x {name}") for name in names[:60]],
        dim=32,
        rounds=1,
    )
    assert set(run.candidates["contradiction"]) == {0.0}
    assert set(run.links["alarms"]) <= {""}
