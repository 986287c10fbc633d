"""Messages of the library in the words of the command line.

The library speaks Python and puts its arguments in backticks: `overwrite=True`, `dim`. Here they
become options: `--overwrite`, `--dim`.
"""

from __future__ import annotations

import re
from functools import cache

_ARGUMENT = re.compile(r"`([a-z_]+)(?:=([^`]*))?`")
_QUOTES = "\"'"
_CALLED = {"checkpoint": "resume"}  # what an argument is called on the command line
# options of commands that are not declared as settings
_FURTHER = (
    *("data", "folder", "json", "overwrite", "quick", "resume", "url"),
    *("remove_left", "remove_right", "replace_left", "replace_right"),
)


def as_options(text: str) -> str:
    """Return a message with the arguments in backticks written as options."""
    return _ARGUMENT.sub(_as_option, text)


def _as_option(match: re.Match[str]) -> str:
    name = _CALLED.get(match[1], match[1])
    if name not in option_names():
        return match[0]
    option, value = name.replace("_", "-"), match[2] or ""
    if value == "False":
        return f"`--no-{option}`"
    shown = "" if value in ("", "True") else f" {value.strip(_QUOTES)}"
    return f"`--{option}{shown}`"


@cache
def option_names() -> frozenset[str]:
    """Return the names of arguments that are options of some command."""
    from lighttea.bench.settings import BenchSettings
    from lighttea.cli.settings_file import all_settings
    from lighttea.config import declared_settings
    from lighttea.export.options import ExportOptions
    from lighttea.synth.config import SynthConfig

    declared = (BenchSettings, ExportOptions, SynthConfig)
    names = {*all_settings(), *(name for each in declared for name in declared_settings(each))}
    return frozenset({*names, *_FURTHER} - {"left", "right"})
