"""Configurations: presets, bounds, names that are wrong or old, settings that the data choose."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, asdict, replace
from typing import Any, get_args

import numpy as np
import pytest

import lighttea
from lighttea.config import (
    ADAPTABLE,
    DEFAULT_PRESET,
    METHODS,
    PRESETS,
    RENAMED,
    Config,
    LinkRules,
    Method,
    Preset,
    declared_settings,
    default_preset,
    make_config,
    make_rules,
    preset_name,
    resolve_config,
    stored_config,
)
from lighttea.errors import ConfigError

OLD_NAMES = {name: new for name, new in RENAMED.items() if new in declared_settings(Config)}


def test_a_config_without_arguments_is_what_align_does() -> None:
    assert Config() == make_config() == make_config(DEFAULT_PRESET)
    assert resolve_config(None, None, LinkRules(), {}) == Config()
    assert lighttea.Config is Config
    assert (Config().rounds, Config().top_k, Config().min_confidence) == (4, 100, 0.5)


def test_the_paper_preset_is_the_papers_text() -> None:
    config = make_config("paper")
    assert (config.dim, config.depth, config.top_k, config.iterations) == (512, 2, 500, 15)
    assert (config.temperature, config.beta, config.threshold) == (0.05, 0.4, 0.8)
    assert (config.alpha, config.rounds, config.adapt) == (0.5, 3, "")


def test_presets_and_methods_are_the_choices_of_their_types() -> None:
    assert set(PRESETS) == set(get_args(Preset))
    assert set(METHODS) == set(get_args(Method))
    for settings in (*PRESETS.values(), *METHODS.values()):
        assert set(settings) <= set(declared_settings(Config))
    for name in PRESETS["best"]:
        assert PRESETS["best"][name] != PRESETS["paper"][name], f"{name} does not differ"


def test_literals_count_unless_consensus_has_no_weight() -> None:
    assert make_config().uses_literals
    assert not make_config(literals=False).uses_literals
    assert not make_config("paper").literals
    asked = make_config("paper", literals=True)
    assert asked.literals
    assert not asked.uses_literals
    assert make_config("paper", literals=True, consensus=0.3).uses_literals


def test_lightea_starts_from_the_papers_settings() -> None:
    assert (default_preset("lighttea"), default_preset("lightea")) == ("best", "paper")
    config = make_config("paper", method="lightea", rounds=1)
    assert (config.alpha, config.dim, config.sketch_factor, config.rounds) == (0, 1024, 8, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 1.5}, "alpha must be <= 1; got 1.5"),
        ({"beta": -0.1}, "beta must be >= 0; got -0.1"),
        ({"temperature": 0}, "temperature must be > 0; got 0"),
        ({"dim": 0}, "dim must be >= 1; got 0"),
        ({"top_k": 2.5}, "top_k must be a whole number; got 2.5"),
        ({"alpha": "half"}, "alpha must be a number; got 'half'"),
        ({"sinkhorn": 1}, "sinkhorn must be True or False; got 1"),
        ({"rounds": True}, "rounds must be a whole number; got True"),
        ({"rounds": 10**400}, "rounds must be a number of 300 digits at most"),
        ({"alpha": -(10**400)}, "alpha must be a number of 300 digits at most"),
        ({"alpha": float("nan")}, "alpha must be"),
        ({"search": "exakt"}, "search must be auto, exact or approximate; got 'exakt'; did you"),
        ({"adapt": "beta, depth"}, "adapt must be some of alpha, beta"),
        ({"tempreature": 0.1}, "there is no setting 'tempreature'; did you mean 'temperature'?"),
    ],
)
def test_a_wrong_setting_says_what_is_wrong(options: dict[str, Any], message: str) -> None:
    for make in (Config, make_config):
        with pytest.raises(ConfigError) as caught:
            make(**options)
        assert message in str(caught.value)


def test_all_problems_come_together() -> None:
    with pytest.raises(ConfigError) as caught:
        make_config(alpha=2.0, beta=2.0)
    assert len(str(caught.value).splitlines()) == 2
    wrong: dict[str, Any] = {"alhpa": 1, "evened": True}
    with pytest.raises(ConfigError) as caught:
        Config(**wrong)
    assert len(str(caught.value).splitlines()) == 2


def test_an_unknown_preset_or_method_is_refused() -> None:
    message = "preset must be best or paper; got 'papr'; did you mean 'paper'"
    with pytest.raises(ConfigError, match=message):
        make_config("papr")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="method must be lighttea or lightea; got 'x'"):
        make_config(method="x")  # type: ignore[arg-type]


def test_none_leaves_the_preset_and_config_is_frozen() -> None:
    config = make_config(alpha=None, beta=0.1)
    assert (config.alpha, config.beta) == (0.5, 0.1)
    with pytest.raises(FrozenInstanceError):
        config.alpha = 0.1  # type: ignore[misc]


def test_numbers_of_numpy_become_plain_ones() -> None:
    config = Config(alpha=np.float32(0.25), top_k=np.int64(7))  # type: ignore[arg-type]
    assert (type(config.alpha), type(config.top_k)) == (float, int)


def test_switches_take_the_weights_away() -> None:
    config = make_config("paper", temporal_propagation=False)
    assert (config.temporal_weight, config.time_weight) == (0.0, 0.4)
    assert make_config(temporal_constraint=False).time_weight == 0.0
    assert make_config().without_time().temporal_weight == 0.0


def test_every_setting_has_a_help_text() -> None:
    assert all(setting.help for setting in declared_settings(Config).values())


# what the data choose


def test_a_setting_that_is_given_is_not_chosen_by_the_data() -> None:
    assert Config().adapted == set(ADAPTABLE)
    for config in (Config(beta=0.4), make_config(beta=0.4), replace(Config(), adapt="alpha")):
        assert "beta" not in config.adapted
    assert Config(beta=0.4) == make_config(beta=0.4)
    assert Config(beta=0.4, adapt="beta").adapted == {"beta"}
    assert Config(rounds=2).adapted == set(ADAPTABLE)
    assert replace(Config(), beta=0.4).adapted == set(ADAPTABLE)  # as rounds replace what is chosen


def test_a_config_survives_pickling() -> None:
    config = Config(beta=0.4, rounds=2)
    assert pickle.loads(pickle.dumps(config)) == config


# a config, a preset, names


def test_names_override_a_config() -> None:
    config = make_config("paper", beta=0.3)
    resolved = resolve_config(config, None, LinkRules(), {"rounds": 1, "dim": None})
    assert resolved == replace(config, rounds=1)
    adapted = resolve_config(Config(), None, LinkRules(), {"beta": 0.3})
    assert adapted == Config(beta=0.3)


def test_a_config_and_a_preset_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match="give either config or preset"):
        resolve_config(Config(), "paper", LinkRules(), {})
    with pytest.raises(ConfigError, match=r"config must be a lighttea\.Config; got 'paper'"):
        resolve_config("paper", None, LinkRules(), {})  # type: ignore[arg-type]


def test_several_links_of_an_entity_are_not_left_out_for_their_confidence() -> None:
    rules = make_rules(top_n=3, many_to_one=None)
    assert resolve_config(None, None, rules, {}).min_confidence == 0
    assert resolve_config(None, None, rules, {"min_confidence": 0.2}).min_confidence == 0.2
    assert resolve_config(Config(), None, rules, {}).min_confidence == 0.5


def test_the_preset_of_a_config_is_known_where_it_has_its_values() -> None:
    assert preset_name(Config(random_seed=3)) == "best"
    assert preset_name(make_config("paper", alpha=0.6)) == "paper"
    assert preset_name(Config(rounds=1)) == "custom"


# names of earlier versions


@pytest.mark.parametrize(("old", "new"), OLD_NAMES.items())
def test_an_old_name_is_refused_with_the_new_one(old: str, new: str) -> None:
    message = f"there is no setting '{old}'; it has been called '{new}' since 0.2"
    single: dict[str, Any] = {old: getattr(Config(), new)}
    config: dict[str, Any] = {**asdict(Config()), **single}
    for call in (
        lambda: Config(**single),
        lambda: make_config(**single),
        lambda: lighttea.align([], [], **config),  # as a run.json of 0.1 has it
    ):
        with pytest.raises(ConfigError, match=message):
            call()


def test_other_old_keywords_of_align() -> None:
    with pytest.raises(ConfigError, match=r"'cluster'; it has been called 'scheduler' since 0\.2"):
        lighttea.align([], [], cluster="tcp://10.0.0.1:8786")  # type: ignore[call-arg]
    with pytest.raises(ConfigError, match="'must_lnk'; did you mean 'must_link'"):
        lighttea.align([], [], must_lnk=[])  # type: ignore[call-arg]


def test_a_stored_config_comes_back() -> None:
    config = make_config("paper", rounds=1, search="exact")
    assert stored_config(asdict(config)) == config
    earlier = {"rounds": 2, "beta": 0.3, "gone": 1}  # what it does not name did not exist then
    assert stored_config(earlier) == make_config("paper", rounds=2, beta=0.3)
