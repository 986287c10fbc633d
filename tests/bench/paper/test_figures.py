"""Means, spreads, t-tests, differences, claims."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from lighttea.bench.paper.claims import CLAIMS, claims_table
from lighttea.bench.paper.document import (
    NOTHING,
    format_difference,
    format_number,
    format_p_value,
    format_share,
)
from lighttea.bench.paper.experiments import FULL, plan
from lighttea.bench.paper.figures import (
    Figure,
    compute_p_value,
    join_results,
    make_figures,
    make_t_tests,
)
from lighttea.bench.paper.tables.beside import beside_table, best_table
from tests.bench.paper.fakes import make_findings, make_records, make_subject


def make_figure(*values: float, paper: float | None = 0.95, section: str = "main") -> Figure:
    return Figure(section, make_subject(), 200, "LightTEA", "", "hits@1", values, paper)


def test_the_p_value_is_that_of_a_one_sample_t_test() -> None:
    values = (0.9581, 0.9577, 0.9590, 0.9583, 0.9579)
    t = (statistics.fmean(values) - 0.943) / (statistics.stdev(values) / math.sqrt(len(values)))
    by_hand = 2 * stats.t.sf(abs(t), df=len(values) - 1)
    assert compute_p_value(values, 0.943) == pytest.approx(by_hand)
    assert compute_p_value(values, 0.943) == pytest.approx(stats.ttest_1samp(values, 0.943).pvalue)


@pytest.mark.parametrize("values", [(0.9,), (0.9, 0.9, 0.9)])
def test_runs_that_do_not_differ_have_no_p_value(values: tuple[float, ...]) -> None:
    assert compute_p_value(values, 0.5) is None


def test_means_spreads_and_differences() -> None:
    figure = make_figure(0.950, 0.960, 0.970)
    assert figure.mean == pytest.approx(0.960)
    assert figure.std == pytest.approx(np.std([0.950, 0.960, 0.970], ddof=1))
    assert figure.difference == pytest.approx(0.010)
    assert figure.is_far
    assert not make_figure(0.9549).is_far
    assert make_figure(0.9449).is_far
    assert make_figure(0.9).std is None
    alone = make_figure(0.9, paper=None)
    assert alone.difference is None
    assert not alone.is_far


def test_each_main_figure_stands_beside_the_papers() -> None:
    figures = make_figures(make_findings([make_subject()]).measurements)
    found = {(one.n_seeds, one.method, one.metric): one for one in figures if one.section == "main"}
    assert len(found) == 2 * 4 * 3
    assert found[200, "LightTEA*", "hits@1"].paper == 0.949
    assert found[200, "LightTEA", "hits@1"].paper == 0.958
    assert found[1_000, "LightEA", "hits@10"].paper == 0.936
    star, full = (found[200, name, "hits@1"] for name in ("LightTEA*", "LightTEA"))
    assert star.values == pytest.approx((0.91, 0.911, 0.912, 0.913, 0.914))  # after round 1
    assert full.mean == pytest.approx(star.mean + 0.02)  # after the last


def test_ablation_and_dimension_stand_beside_the_papers() -> None:
    figures = make_figures(make_findings([make_subject()]).measurements)
    papers = {(one.section, one.label, one.method, one.metric): one.paper for one in figures}
    assert papers["ablation", "w/o SO", "LightTEA", "mrr"] == 0.942
    assert papers["dimension", "64", "LightTEA*", "hits@1"] == 0.943
    assert papers["alpha", "0.5", "LightTEA", "hits@1"] is None  # the figure prints no numbers


def test_other_datasets_have_nothing_beside_them() -> None:
    figures = make_figures(make_findings([make_subject(None)]).measurements)
    assert figures
    assert all(one.paper is None for one in figures)
    assert make_t_tests(figures) == []


def test_t_tests_are_against_the_strongest_baseline() -> None:
    tests = make_t_tests(make_figures(make_findings([make_subject()]).measurements))
    assert len(tests) == 2 * 2 * 3
    one = next(x for x in tests if (x.figure.n_seeds, x.figure.metric) == (1_000, "hits@10"))
    assert (one.figure.method, one.baseline, one.baseline_figure) == ("LightTEA*", "TREA", 0.966)
    assert one.paper_p_value == 2e-6
    assert one.p_value == pytest.approx(stats.ttest_1samp(one.figure.values, 0.966).pvalue)


def test_a_failed_run_is_left_out_of_the_mean() -> None:
    groups = plan([make_subject()], ["main"], FULL)
    records = make_records(groups)
    del records[groups[0].experiments[0]]
    found = join_results(groups, records)
    assert len(found[0].runs) == 4
    for one in groups[0].experiments[1:]:
        del records[one]
    assert len(join_results(groups, records)) == len(groups) - 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0021, "+.002"),
        (-0.011, "−.011‡"),
        (0.0004, ".000"),
        (-0.0004, ".000"),
        (0.0051, "+.005‡"),
        (1.0, "+1.000‡"),
        (None, "–"),
    ],
)
def test_a_difference_shows_its_sign_and_whether_it_is_far(value: float, text: str) -> None:
    assert format_difference(value) == text


def test_numbers_are_shown_as_the_field_prints_them() -> None:
    assert (format_share(0.9454), format_share(1.0), format_share(None)) == (".945", "1.000", "–")
    assert format_share(0.9454, 0.0012) == ".945 ± .001"
    shown = [format_p_value(value) for value in (3.4e-7, 0.04, 2e-12, None)]
    assert shown == ["3e-7", "4e-2", "2e-12", "–"]
    assert (format_number(1_203.6), format_number(8.54, 1)) == ("1,204", "8.5")
    assert format_difference(-1203, digits=0) == "−1,203"  # of counts none is far
    assert format_difference(0, digits=0) == "0"


def curve(section: str, **by_version: dict[str, float]) -> list[Figure]:
    names = {"star": "LightTEA*", "full": "LightTEA"}
    return [
        replace(make_figure(value, section=section), method=names[version], label=label)
        for version, points in by_version.items()
        for label, value in points.items()
    ]


@pytest.mark.parametrize(
    ("figures", "verdicts"),
    [
        (
            curve("alpha", star={"0": 0.8, "0.5": 0.9, "1": 0.7}, full={"0": 0.9, "1": 0.91}),
            ["yes", "yes"],
        ),
        (
            curve("alpha", star={"0": 0.9, "0.5": 0.8, "1": 0.7}, full={"0": 0.9, "1": 0.1}),
            ["no", "no"],
        ),
        (curve("beta", star={"0.4": 0.9, "1": 0.5}, full={"1": 0.4}), ["yes", "yes"]),
        (curve("beta", star={"0.4": 0.8, "0.5": 0.9, "1": 0.5}, full={"1": 0.6}), ["no", "no"]),
        (curve("beta", star={"0.5": 0.8}, full={"0.5": 0.9}), []),  # nothing to judge by
        (curve("dimension", full={"512": 0.9, "1024": 0.902, "2048": 0.903}), ["yes"]),
        (curve("dimension", full={"512": 0.9, "1024": 0.902, "2048": 0.92}), ["no"]),
        (curve("ablation", full={"": 0.9, "w/o TC": 0.8}), ["yes"]),
        (curve("ablation", full={"": 0.9, "w/o TC": 0.95}), ["no"]),
    ],
)
def test_claims_are_judged(figures: list[Figure], verdicts: list[str]) -> None:
    assert [record["holds"] for record in claims_table(figures).records] == verdicts


def test_every_claim_is_of_a_section() -> None:
    assert {claim.section for claim in CLAIMS} == {"alpha", "beta", "dimension", "ablation"}


def test_the_best_preset_has_figures_beside_the_papers_method() -> None:
    findings = make_findings([make_subject()], only=("main", "best"))
    figures = make_figures(findings.measurements)
    best = [x for x in figures if x.section == "best"]
    assert {x.method for x in best} == {"best"}
    assert {(x.n_seeds, x.metric) for x in best} == {
        (n, metric) for n in (1_000, 200) for metric in ("mrr", "hits@1", "hits@10")
    }
    measurements = findings.measurements_of("best")
    table = best_table(measurements, findings.measurements_of("main"))
    assert [record["seeds"] for record in table.records] == ["1,000", "200"]
    opened = [record["links of best: F1"] for record in table.records]
    assert opened[0] == NOTHING
    assert opened[1] != NOTHING


def test_others_and_ours_stand_in_one_table_the_best_first() -> None:
    findings = make_findings([make_subject()], only=("main", "best"))
    figures = [x for x in make_figures(findings.measurements) if x.n_seeds == 200]
    table = beside_table(make_subject(), 200, figures)
    methods = [record["method"] for record in table.records]
    assert {"best, here", "LightTEA*, here", "LightTEA*", "DualMatch", "STEA"} <= set(methods)
    shares = [record["Hits@1"] for record in table.records]
    assert shares == sorted(shares, reverse=True)
    assert all(record["source"] for record in table.records)
    assert not beside_table(make_subject(None), 200, figures).records
