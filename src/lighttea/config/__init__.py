"""Given settings by name; hands on checked, frozen configurations; imports errors and display.

Each setting is declared once, with its type, bounds, help text and value in each preset, in
`alignment.py`. Command-line options, settings files, `align`'s keywords (`keywords.py`) and the
tables of the documentation are made from that declaration.
"""

from __future__ import annotations

from lighttea.config.alignment import ADAPTABLE, FIELD_TYPES, Config, LinkRules
from lighttea.config.choices import (
    DEFAULT_ENGINE,
    DEFAULT_METHOD,
    DEFAULT_PRESET,
    EngineName,
    Method,
    Preset,
    Search,
    check_choice,
    choices_of,
    did_you_mean,
)
from lighttea.config.declaration import (
    Setting,
    declared_settings,
    described,
    option,
    problems_of,
    shown_value,
)
from lighttea.config.keywords import Settings
from lighttea.config.make import (
    make_config,
    make_rules,
    override_config,
    resolve_config,
    stored_config,
)
from lighttea.config.names import (
    RENAMED,
    RENAMED_SINCE,
    refuse_unknown,
    unknown_name,
    with_current_names,
)
from lighttea.config.presets import METHODS, PRESETS, default_preset, preset_name

__all__ = [
    "ADAPTABLE",
    "DEFAULT_ENGINE",
    "DEFAULT_METHOD",
    "DEFAULT_PRESET",
    "FIELD_TYPES",
    "METHODS",
    "PRESETS",
    "RENAMED",
    "RENAMED_SINCE",
    "Config",
    "EngineName",
    "LinkRules",
    "Method",
    "Preset",
    "Search",
    "Setting",
    "Settings",
    "check_choice",
    "choices_of",
    "declared_settings",
    "default_preset",
    "described",
    "did_you_mean",
    "make_config",
    "make_rules",
    "option",
    "override_config",
    "preset_name",
    "problems_of",
    "refuse_unknown",
    "resolve_config",
    "shown_value",
    "stored_config",
    "unknown_name",
    "with_current_names",
]
