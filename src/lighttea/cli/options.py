"""Command-line options made from the fields of a configuration: names, types, help texts."""

from __future__ import annotations

import os
from dataclasses import asdict, field, fields, make_dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from lighttea.config import Config, LinkRules
from lighttea.settings import field_types

if TYPE_CHECKING:

    class ConfigOptions:
        """Every field of Config, None where it was not given."""

    class RuleOptions:
        """Every field of LinkRules, None where it was not given."""


def options_class(name: str, config: type, group: str, default_word: str) -> Any:
    """A dataclass with every field of a configuration, None where it was not given."""
    kinds = field_types(config)
    shown_group = Group(group, sort_key=10)

    def parameter(help_text: str, default: Any) -> Parameter:
        shown = help_text if default is None else f"{help_text} [{default_word}: {default}]"
        return Parameter(help=shown, group=shown_group)

    made = make_dataclass(
        name,
        [
            (
                f.name,
                Annotated[kinds[f.name] | None, parameter(f.metadata["help"], f.default)],
                field(default=None, kw_only=True),
            )
            for f in fields(config)
        ],
        frozen=True,
    )
    made.__module__ = __name__  # cyclopts takes classes of module "types" for builtins
    return made


if not TYPE_CHECKING:
    ConfigOptions = options_class("ConfigOptions", Config, "Method", "default")
    RuleOptions = options_class("RuleOptions", LinkRules, "Links", "default")


def limit_table_threads(threads: int) -> None:
    """Tell polars how many threads to use (0: all cores); it asks once, when it is loaded."""
    if threads:
        os.environ.setdefault("POLARS_MAX_THREADS", str(threads))


def given(options: Any) -> dict[str, Any]:
    """The options by name; None where one was not given."""
    return {} if options is None else asdict(options)
