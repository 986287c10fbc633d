from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from lighttea.config import METHODS, PRESETS, Config, make_config
from lighttea.errors import ConfigError


def test_the_paper_preset_is_the_papers_text() -> None:
    config = make_config("paper")
    assert (config.dim, config.depth, config.top_k, config.iterations) == (512, 2, 500, 15)
    assert (config.temperature, config.beta, config.threshold, config.alpha) == (
        0.05,
        0.4,
        0.8,
        0.5,
    )
    assert config.rounds == 3


def test_presets_and_methods_name_real_fields() -> None:
    names = {f.name for f in fields(Config)}
    for settings in (*PRESETS.values(), *METHODS.values()):
        assert set(settings) <= names


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
        ({"alpha": float("nan")}, "alpha must be"),
        ({"tempreature": 0.1}, "there is no option 'tempreature'; did you mean 'temperature'?"),
    ],
)
def test_a_wrong_option_says_what_is_wrong(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_config(**options)
    assert message in str(caught.value)


def test_all_problems_come_together() -> None:
    with pytest.raises(ConfigError) as caught:
        make_config(alpha=2.0, beta=2.0)
    assert len(str(caught.value).splitlines()) == 2


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no preset 'papr'; did you mean 'paper'"):
        make_config("papr")
    with pytest.raises(ConfigError, match="there is no method 'x'"):
        make_config(method="x")


def test_none_leaves_the_preset_and_config_is_frozen() -> None:
    config = make_config(alpha=None, beta=0.1)
    assert (config.alpha, config.beta) == (0.5, 0.1)
    with pytest.raises(FrozenInstanceError):
        config.alpha = 0.1  # type: ignore[misc]


def test_switches_take_the_weights_away() -> None:
    config = make_config("paper", temporal_propagation=False)
    assert (config.temporal_weight, config.time_weight) == (0.0, 0.4)
    assert make_config(temporal_constraint=False).time_weight == 0.0
    assert make_config().without_time().temporal_weight == 0.0


def test_every_field_has_a_help_text() -> None:
    assert all(f.metadata["help"] for f in fields(Config))
