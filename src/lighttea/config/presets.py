"""Presets and methods: named sets of values to start from."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lighttea.config.alignment import Config
from lighttea.config.choices import DEFAULT_PRESET, Method, Preset, choices_of
from lighttea.config.declaration import declared_settings

CUSTOM = "custom"

# the settings in which presets differ; the others have their default in all of them
PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        preset: MappingProxyType(
            {
                setting.name: setting.presets[preset]
                for setting in declared_settings(Config).values()
                if setting.presets
            }
        )
        for preset in choices_of(Preset)
    }
)

# LightEA knows no time and was published with its own settings; the paper's LightEA rows come
# from that code, so the method is run as its authors did.
METHODS: Mapping[Method, Mapping[str, Any]] = MappingProxyType(
    {
        "lighttea": {},
        "lightea": {
            "alpha": 0.0,
            "beta": 0.0,
            "dim": 1024,
            "sketch_factor": 8,
            "temperature": 0.02,
            "threshold": 0.5,
        },
    }
)


def default_preset(method: Method) -> Preset:
    """Return the preset that a method starts from: LightEA stands in the paper's comparison."""
    return "paper" if method == "lightea" else DEFAULT_PRESET


def preset_name(config: Config) -> str:
    """Return the preset whose values a configuration has, or "custom"."""
    for name, values in PRESETS.items():
        if all(getattr(config, setting) == value for setting, value in values.items()):
            return name
    return CUSTOM
