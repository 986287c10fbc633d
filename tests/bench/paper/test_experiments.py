"""What is run, and what is not run twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lighttea.bench.paper.execute import estimate_work
from lighttea.bench.paper.experiments import FULL, QUICK, SECTIONS, deduplicate, plan
from lighttea.config import make_config
from lighttea.errors import ConfigError
from tests.bench.paper.fakes import make_subject


def test_every_section_of_the_paper_is_planned() -> None:
    groups = plan([make_subject()], (), FULL)
    assert {group.section for group in groups} == set(SECTIONS)
    main = [(g.n_seeds, g.method, len(g.experiments)) for g in groups if g.section == "main"]
    assert main == [
        *((1_000, "lighttea", 5), (1_000, "lightea", 5), (200, "lighttea", 5), (200, "lightea", 5))
    ]
    labels = {name: [g.label for g in groups if g.section == name] for name in SECTIONS}
    assert labels["ablation"] == ["", "w/o TLP", "w/o TC", "w/o SO"]
    assert labels["dimension"] == ["64", "128", "256", "512", "1024", "2048"]
    tenths = ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"]
    assert labels["alpha"] == labels["beta"] == tenths
    assert all(g.n_seeds == 200 for g in groups if g.section not in ("main", "best"))


def test_the_papers_settings_are_used() -> None:
    configs = {
        (g.section, g.label, g.method): g.experiments[0].config
        for g in plan([make_subject()], (), FULL)
    }
    main = configs["main", "", "lighttea"]
    assert (main.alpha, main.beta, main.temperature, main.rounds) == (0.6, 0.4, 0.05, 3)
    assert configs["main", "", "lightea"].dim == 1024  # its own published settings
    assert configs["main", "", "lightea"].alpha == 0
    assert not configs["ablation", "w/o TC", "lighttea"].temporal_constraint
    wide = configs["dimension", "2048", "lighttea"]
    assert wide.dim * wide.sketch_factor == 4 * main.dim * main.sketch_factor


def test_a_run_that_serves_several_tables_is_run_once() -> None:
    groups = plan([make_subject()], (), FULL)
    keys = {one.key for one in deduplicate(groups)}
    assert len(keys) == len(deduplicate(groups)) < sum(len(g.experiments) for g in groups)
    first = next(
        g for g in groups if g.section == "main" and g.method == "lighttea" and g.n_seeds == 200
    )
    for section, label in (("alpha", "0.6"), ("beta", "0.4"), ("dimension", "512"), ("times", "")):
        other = next(g for g in groups if (g.section, g.label) == (section, label))
        assert other.experiments[0] == first.experiments[0]


def test_runs_differ_in_their_random_seed_alone() -> None:
    (group,) = [
        g
        for g in plan([make_subject()], ["times"], replace(FULL, random_seed=7))
        if g.method == "lighttea"
    ]
    seeds = [one.config.random_seed for one in group.experiments]
    assert seeds == [7, 8, 9, 10, 11]
    assert len({replace(one.config, random_seed=0) for one in group.experiments}) == 1


def test_without_time_lightea_alone_is_run() -> None:
    groups = plan([make_subject(None, has_time=False)], (), FULL)
    assert {group.method for group in groups if group.section != "best"} == {"lightea"}
    assert [g.label for g in groups if g.section == "ablation"] == ["", "w/o SO"]
    sections = {"main", "best", "ablation", "times", "dimension", "protocol"}
    assert {group.section for group in groups} == sections


def test_the_default_preset_has_no_settings_of_a_set() -> None:
    groups = plan([make_subject()], ["best"], FULL)
    assert [(g.n_seeds, g.label) for g in groups] == [(1_000, ""), (200, ""), (200, "open")]
    for group in groups:
        (experiment, *_) = group.experiments
        assert experiment.preset == "best"
        assert experiment.config == make_config("best", random_seed=0)


def test_a_set_has_points_of_its_own_in_a_full_bench() -> None:
    subject = replace(make_subject(), points={"beta": (0.0, 1.0), "dim": (64,)})
    labels = {
        name: [g.label for g in plan([subject], [name], FULL)]
        for name in ("alpha", "beta", "dimension")
    }
    assert len(labels["alpha"]) == 11
    assert labels["beta"] == ["0", "1"]
    assert labels["dimension"] == ["64"]
    assert [g.label for g in plan([subject], ["dimension"], QUICK)] == ["16", "32", "64"]


def test_a_quick_plan_is_small() -> None:
    assert len(deduplicate(plan([make_subject()], (), QUICK))) < 30


def test_an_unknown_section_is_refused() -> None:
    with pytest.raises(ConfigError, match="no section 'mian'; choose from main, best, ablation"):
        plan([], ["mian"], FULL)


def test_the_key_knows_all_that_matters() -> None:
    (group, *_) = plan([make_subject()], ["main"], FULL)
    one = group.experiments[0]
    others = [
        replace(one, digest="other"),
        replace(one, n_seeds=3),
        replace(one, protocol="open"),
        replace(one, config=replace(one.config, beta=0.1)),
    ]
    assert len({x.key for x in (one, *others)}) == 5


def test_wider_and_more_rounds_are_more_work() -> None:
    subject = make_subject()
    (group, *_) = plan([subject], ["main"], FULL)
    one = group.experiments[0]
    wide = replace(one, config=replace(one.config, dim=2048))
    short = replace(one, config=replace(one.config, rounds=1))
    assert (
        estimate_work(short, subject) < estimate_work(one, subject) < estimate_work(wide, subject)
    )
