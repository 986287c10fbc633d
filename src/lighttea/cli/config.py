"""`lighttea config show` and `lighttea config example`."""

from __future__ import annotations

import json as json_text
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lighttea.cli.console import print_table, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import command
from lighttea.cli.settings_file import (
    all_settings,
    given_by_group,
    read_settings,
    settings_by_group,
)
from lighttea.config import PRESETS, Preset, Setting, make_rules, resolve_config

_NEEDED = ("left", "right", "out", "seeds")
_TITLES = {
    "inputs": "Inputs and outputs. Paths are relative to the folder of this file.",
    "method": "The method.",
    "links": "Which candidates become links.",
}


@command
def show(
    *, config: Path | None = None, preset: Preset | None = None, json: JsonTarget = None
) -> None:
    """Show the settings that `lighttea align` would use and where each comes from.

    Parameters
    ----------
    config
        TOML file with settings.
    preset
        Settings to start from; those of the file override them.
    json
        Write the settings to this file, or to stdout with -.
    """
    refuse_unwritable(json)
    of_file = {} if config is None else read_settings(config)
    values = effective(of_file, str(config), preset)
    write_json_result(json, {name: {"value": v, "from": w} for name, (v, w) in values.items()})
    if json != "-":
        rows = [(name, _toml(value), where) for name, (value, where) in values.items()]
        print_table(stdout(), "Settings", ("setting", "value", "from"), rows)


def effective(
    of_file: Mapping[str, Any], file: str, preset: Preset | None = None
) -> dict[str, tuple[Any, str]]:
    """Return each setting that has a value: the value, and where it comes from."""
    given = {**of_file, "preset": preset} if preset else dict(of_file)
    values = _values(given)
    return {
        name: (
            str(values[name]) if isinstance(values[name], Path) else values[name],
            _source(name, values, of_file, file, preset),
        )
        for name in all_settings()
        if values[name] is not None
    }


def _values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every setting with which `align` would run."""
    by_group = given_by_group(given)
    values = {name: setting.default for name, setting in all_settings().items()} | dict(given)
    rules = make_rules(**by_group["links"])
    config = resolve_config(None, values["preset"], rules, by_group["method"])
    return values | asdict(config) | asdict(rules)


def _source(
    name: str, values: Mapping[str, Any], of_file: Mapping[str, Any], file: str, preset: str | None
) -> str:
    """Return where the value of a setting comes from."""
    if name == "preset" and preset:
        return "command line"
    if name in of_file:
        return f"file {file}"
    start = values["preset"]
    if name not in PRESETS[start]:
        return "default"
    is_preset = values[name] == PRESETS[start][name]
    return f"preset {start}" if is_preset else "other settings"


@command
def example() -> None:
    """Print a commented TOML file for `lighttea align --config FILE`, with every option."""
    sys.stdout.write(example_text())


def example_text() -> str:
    """Return every setting with its help text and its value; what is optional is commented out."""
    parts = ["# Settings for: lighttea align --config lighttea.toml", ""]
    for group, settings in settings_by_group().items():
        parts += [f"# --- {_TITLES[group]} ---", ""]
        for setting in settings.values():
            parts += [f"# {line}" for line in textwrap.wrap(_explained(setting), 95)]
            sign = "" if setting.name in _NEEDED else "#"
            value = setting.example if setting.default is None else setting.default
            parts += [f"{sign}{setting.name} = {_toml(value)}", ""]
    return "\n".join(parts)


def _explained(setting: Setting) -> str:
    """Return the help text, with the values of the presets where they differ."""
    text = setting.described if setting.presets else setting.help
    return text[:1].upper() + text[1:]


def _toml(value: Any) -> str:
    """Return a value as TOML has it."""
    return json_text.dumps(value, ensure_ascii=False)
