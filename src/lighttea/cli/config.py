"""`lighttea config show` and `lighttea config example`."""

from __future__ import annotations

import json as json_text
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lighttea.cli.console import print_table, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.settings_file import Setting, all_settings, read_settings
from lighttea.config import DEFAULT_PRESET, PRESETS, make_config, make_rules
from lighttea.engines import ENGINES

_SAMPLES = {
    "left": "left.tsv",
    "right": "right.csv",
    "out": "runs/first",
    "seeds": "seeds.tsv",
    "truth": "truth.tsv",
    "must_link": "must.tsv",
    "cannot_link": "cannot.tsv",
    "types": "types.tsv",
    "left_types": "left-types.tsv",
    "right_types": "right-types.tsv",
    "preset": DEFAULT_PRESET,
    "engine": ENGINES[0],
    "columns": "head=subj,relation=pred,tail=obj,begin=4,end=5",
    "left_columns": "head=1,relation=2,tail=3",
    "right_columns": "head=1,relation=2,tail=3",
}
_NEEDED = ("left", "right", "out", "seeds")
_TITLES = {
    "inputs": "Inputs and outputs. Paths are relative to the folder of this file.",
    "method": "The method.",
    "links": "Which candidates become links.",
}


def show(*, config: Path | None = None, preset: str | None = None, json: JsonTarget = None) -> None:
    """Show the settings that `lighttea align` would use and where each comes from.

    Parameters
    ----------
    config
        TOML file with settings.
    preset
        Settings to start from, before those of the file.
    json
        Write the settings to this file, or to stdout with -.
    """
    refuse_unwritable(json)
    told = {} if config is None else read_settings(config)
    found = effective(told, str(config), preset)
    write_json_result(json, {name: {"value": v, "from": w} for name, (v, w) in found.items()})
    if json != "-":
        rows = [(name, _shown(value), where) for name, (value, where) in found.items()]
        print_table(stdout(), "Settings", ("option", "value", "from"), rows)


def effective(
    told: dict[str, Any], file: str, preset: str | None = None
) -> dict[str, tuple[Any, str]]:
    """Each setting that has a value: the value, and which source won."""
    chosen = preset or told.get("preset", DEFAULT_PRESET)
    known = all_settings()
    by_group = {
        group: {name: value for name, value in told.items() if known[name].group == group}
        for group in _TITLES
    }
    values: dict[str, Any] = {"engine": ENGINES[0], **by_group["inputs"], "preset": chosen}
    values |= asdict(make_config(chosen, **by_group["method"]))
    values |= asdict(make_rules(**by_group["links"]))
    found = {}
    for name in known:
        if name not in values:
            continue
        value = values[name]
        where = f"file {file}" if name in told else "default"
        if name == "preset" and preset is not None:
            where = "command line"
        elif name not in told and name in PRESETS[chosen]:
            where = f"preset {chosen}"
        found[name] = (str(value) if isinstance(value, Path) else value, where)
    return found


def example() -> None:
    """Print a commented TOML file for `lighttea align --config FILE`, with every option."""
    sys.stdout.write(example_text())


def example_text() -> str:
    """Every option with its help text and its default; what need not be given is commented out."""
    parts = ["# Settings for: lighttea align --config lighttea.toml", ""]
    group = ""
    for one in all_settings().values():
        if one.group != group:
            group = one.group
            parts += [f"# --- {_TITLES[group]} ---", ""]
        parts += [f"# {line}" for line in textwrap.wrap(_explained(one), 95)]
        value = _sample(one) if one.group == "inputs" else one.default
        sign = "" if one.name in _NEEDED else "#"
        parts += [f"{sign}{one.name} = {_shown(value)}", ""]
    return "\n".join(parts)


def _sample(one: Setting) -> Any:
    """A value to show for an input."""
    return _SAMPLES.get(one.name, False if one.kind is bool else "...")


def _explained(one: Setting) -> str:
    """The help text, and what presets make of it."""
    others = [
        f"preset {name}: {_shown(p[one.name])}" for name, p in PRESETS.items() if one.name in p
    ]
    text = one.help[:1].upper() + one.help[1:]
    return f"{text} ({', '.join(others)})" if others else text


def _shown(value: Any) -> str:
    """A value as TOML has it."""
    return json_text.dumps(value, ensure_ascii=False)
