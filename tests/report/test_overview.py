"""The first screen: date, command, key figures, and advice that follows from the run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from lighttea.report.advice import advise, count_doubtful
from lighttea.report.blocks import Bar
from lighttea.report.figures import SecondRun, TimeFigures
from lighttea.report.overview import overview_of
from lighttea.report.page import report_html
from lighttea.results.run import Run
from tests.worlds import align_example


@pytest.fixture(scope="module")
def run() -> Run:
    """The bundled example."""
    return align_example(preset="best", dim=128)


def with_links(run: Run, **columns: Any) -> Run:
    return replace(run, links=run.links.with_columns(**columns))


def sure(run: Run) -> Run:
    """The run with links that nothing speaks against."""
    return with_links(
        run,
        confidence=pl.lit(0.999, pl.Float32),
        margin=pl.lit(0.99, pl.Float32),
        fdr=pl.lit(0.001, pl.Float32),
        alarms=pl.lit(""),
    )


def test_the_first_screen_says_what_the_run_is(run: Run) -> None:
    told = replace(
        run, info={**run.info, "date": "2031-02-03T04:05:06+00:00", "command": "lighttea"}
    )
    top = overview_of(told, "RUN", TimeFigures.of(told))
    assert top.date == "3 February 2031, 04:05 UTC"
    assert top.command == "lighttea"
    assert [graph.name for graph in top.graphs] == ["left", "right"]
    assert "391 entities, 1,363 facts" in top.graphs[0].sizes
    links, wrong, time, _ = top.figures
    assert links.value == f"{len(run.links):,}"
    assert wrong.value.startswith("about ")
    assert time.note.startswith("estimated")


def test_a_run_of_an_earlier_version_has_neither_date_nor_command(run: Run) -> None:
    info = {name: value for name, value in run.info.items() if name not in ("date", "command")}
    top = overview_of(replace(run, info=info), "RUN", TimeFigures(None, None))
    assert (top.date, top.command) == ("", "")
    assert top.figures[2].value == "nothing"


def test_a_second_run_counts_instead_of_the_estimate(run: Run) -> None:
    second = SecondRun(100, 90, 80, 12, 95.0, 85.0, pl.DataFrame())
    top = overview_of(run, "RUN", TimeFigures(TimeFigures.of(run).effect, second))
    assert top.figures[2].value == "20 links"
    assert "second run" in top.figures[2].note


def test_alarms_are_counted_by_link(run: Run) -> None:
    linked = run.alarms.drop_nulls("left")["left"].n_unique()
    alarms = overview_of(run, "RUN", TimeFigures(None, None)).figures[3]
    assert alarms.value == (f"{linked} links" if linked != 1 else "1 link")
    assert alarms.is_warning


# ------------------------------------------------------------------------------------ advice


def test_doubtful_links_go_to_the_review(run: Run) -> None:
    n = count_doubtful(run)
    assert n == len(run.links.filter((pl.col("margin") < 0.9) | (pl.col("alarms") != "")))
    assert advise(run, "my runs/a") == [
        f"Review the {n} doubtful links with `lighttea review 'my runs/a'`."
    ]


def test_links_that_nothing_speaks_against_are_exported(run: Run) -> None:
    (advice,) = advise(sure(run), "RUN")
    assert "`lighttea export RUN --format sameas --out links.nt`" in advice


def test_many_expected_errors_ask_for_a_threshold(run: Run) -> None:
    half = with_links(
        sure(run),
        confidence=pl.when(pl.int_range(pl.len()) < 200).then(0.999).otherwise(0.5),
        fdr=pl.when(pl.int_range(pl.len()) < 200).then(0.001).otherwise(0.2),
    )
    assert "`lighttea export RUN --max-fdr 0.001 " in advise(half, "RUN")[0]
    assert f"keeps 200 of {len(run.links):,}, about 0 of them wrong" in advise(half, "RUN")[0]


def test_a_warning_of_the_decoys_is_all_that_counts(run: Run) -> None:
    warned = replace(run, info={**run.info, "decoys": {**run.info["decoys"], "warning": "chance"}})
    (advice,) = advise(warned, "RUN")
    assert advice.startswith("Do not use these links as they stand")
    assert "more seeds than 45" in advice
    (advice,) = advise(replace(warned, info={**warned.info, "seeds": 0}), "RUN")
    assert "`--seeds FILE`" in advice


def test_no_link_asks_for_seeds(run: Run) -> None:
    empty = replace(run, links=run.links.head(0))
    assert advise(empty, "RUN")[0].startswith("This run has no links")


def test_wrong_seeds_come_first(run: Run) -> None:
    check = {"warning": "about 20% of the seeds look wrong", "share_wrong": 0.2}
    first, second = advise(replace(run, info={**run.info, "seed_check": check}), "RUN")
    assert first == "Check the seeds: about 20% look wrong, see `suspicious_seeds.tsv`."
    assert second.startswith("Review the ")


def test_a_strict_threshold_is_named_with_what_it_leaves_out(run: Run) -> None:
    kept = sure(replace(run, links=run.links.head(250)))
    config = {**run.info["config"], "max_fdr": 0.001}
    (advice,) = advise(replace(kept, info={**run.info, "config": config}), "RUN")
    n = int(advice.split()[0])
    assert n >= 40
    assert advice.endswith("left out by `--max-fdr 0.001`: raise it to get them.")
    config = {**run.info["config"], "min_confidence": 0.99}
    (advice,) = advise(replace(kept, info={**run.info, "config": config}), "RUN")
    assert advice.endswith("left out by `--min-confidence 0.99`: lower it to get them.")


def test_seeds_are_advised_where_none_were_given_and_much_is_missing(run: Run) -> None:
    few = sure(replace(run, links=run.links.head(100), seeds=run.seeds.head(0)))
    (advice,) = advise(replace(few, info={**run.info, "seeds": 0}), "RUN")
    assert "74% of the left entities have no link" in advice
    assert "may find more" in advice


def test_bars_of_values_that_count_against_are_hatched(run: Run) -> None:
    assert Bar("-0.073", 0.3).is_negative
    assert not Bar("0.073", 0.3).is_negative
    against = replace(run, candidates=run.candidates.with_columns(contradiction=pl.lit(-0.1)))
    text = report_html(against)
    assert '<span class="bar minus"' in text
    assert '<span class="bar"' in text
