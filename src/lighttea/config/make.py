"""Making configurations: from a preset, a method, settings by name, or a stored run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

from lighttea.config.alignment import FIELD_TYPES, Config, LinkRules, adapt_without
from lighttea.config.choices import (
    DEFAULT_METHOD,
    DEFAULT_PRESET,
    Method,
    Preset,
    check_choice,
)
from lighttea.config.keywords import Settings
from lighttea.config.names import refuse_unknown
from lighttea.config.presets import METHODS, PRESETS
from lighttea.errors import ConfigError


def make_config(
    preset: Preset = DEFAULT_PRESET,
    *,
    method: Method = DEFAULT_METHOD,
    **settings: Unpack[Settings],
) -> Config:
    """Return the settings of a preset, then of a method, then those given by name.

    None means: not given. A setting that is given is not chosen by the data, unless `adapt` is
    given too.
    """
    check_choice("preset", preset, PRESETS)
    check_choice("method", method, METHODS)
    given = {name: value for name, value in settings.items() if value is not None}
    return override_config(Config(**PRESETS[preset]), {**METHODS[method], **given})


def override_config(config: Config, settings: Mapping[str, Any]) -> Config:
    """Return the configuration with some settings replaced; None leaves one as it is."""
    refuse_unknown(settings, FIELD_TYPES)
    given = {name: value for name, value in settings.items() if value is not None}
    return replace(config, **{"adapt": adapt_without(config.adapt, given), **given})


def resolve_config(
    config: Config | None, preset: Preset | None, rules: LinkRules, settings: Mapping[str, Any]
) -> Config:
    """Return the configuration that `align` runs with.

    It is `config`, or the preset where there is none, with the settings given by name. Where
    several links of an entity are asked for, none is left out for its confidence, unless
    `min_confidence` is given.
    """
    resolved = _resolve(config, preset, rules, settings)
    if rules.many_to_one and resolved.max_fdr < 1:
        raise ConfigError(
            "`max_fdr` needs calibrated confidence, and `many_to_one=True` gives none: the "
            "candidates of an entity share its confidence; use `min_confidence` instead"
        )
    return resolved


def _resolve(
    config: Config | None, preset: Preset | None, rules: LinkRules, settings: Mapping[str, Any]
) -> Config:
    """Return the configuration before it is compared with the rules."""
    if config is None:
        all_links = {"min_confidence": 0.0} if rules.top_n else {}
        given = {name: value for name, value in settings.items() if value is not None}
        return make_config(preset or DEFAULT_PRESET, **{**all_links, **given})
    if not isinstance(config, Config):
        raise ConfigError(f"config must be a lighttea.Config; got {config!r}")
    if preset is not None:
        raise ConfigError(
            "give either config or preset; lighttea.make_config(preset) makes a config"
        )
    return override_config(config, settings)


def stored_config(stored: Mapping[str, Any]) -> Config:
    """Return the configuration that a run was stored with.

    A setting that was not stored did not exist when the run was made: it has the paper's value,
    with which what it controls is off. One that this version does not know is left out.
    """
    known = {name: value for name, value in stored.items() if name in FIELD_TYPES}
    return Config(**{**PRESETS["paper"], **known})


def make_rules(**given: Any) -> LinkRules:
    """Return the rules; None leaves one as it is."""
    return LinkRules(**{name: value for name, value in given.items() if value is not None})
