"""Command-line options made from declared settings: names, types, help texts, defaults."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, field, make_dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from lighttea.cli.inputs import EngineInputs
from lighttea.config import Config, LinkRules, Setting, declared_settings

if TYPE_CHECKING:

    class ConfigOptions:
        """Every field of Config, None where it was not given."""

    class RuleOptions:
        """Every field of LinkRules, None where it was not given."""

    class EngineOptions:
        """Every field of EngineInputs, None where it was not given."""


def options_class(
    declared: type,
    group: str | None = None,
    *,
    leave_out: tuple[str, ...] = (),
    text_of: Callable[[Setting], str] = lambda setting: setting.described,
) -> Any:
    """Return a dataclass of command-line options, one for each declared setting.

    An option that was not given is None. `group` is the heading on the help page, `text_of` makes
    the help text of an option.
    """
    settings = [s for s in declared_settings(declared).values() if s.name not in leave_out]
    shown_group = None if group is None else Group(group, sort_key=10)
    made = make_dataclass(
        f"{declared.__name__}Options",
        [
            (
                setting.name,
                Annotated[
                    setting.hint | None, parameter_of(setting, text_of(setting), shown_group)
                ],
                field(default=None, kw_only=True),
            )
            for setting in settings
        ],
        frozen=True,
    )
    made.__module__ = __name__  # cyclopts takes classes of module "types" for builtins
    return made


def parameter_of(setting: Setting, text: str, group: Group | None = None) -> Parameter:
    """Return how an option is shown.

    A switch without a group of its own has no opposite, nor has one that is called "no ...". Help
    pages are Markdown: an asterisk needs a backslash.
    """
    text, plain = (words.replace("*", r"\*") for words in (text, setting.help))
    if group is not None:
        opposite = "" if setting.name.startswith("no_") else None
        return Parameter(help=text, group=group, negative=opposite)
    one_way = setting.kind is bool and not setting.default
    return Parameter(help=plain, negative="") if one_way else Parameter(help=text)


if not TYPE_CHECKING:
    ConfigOptions = options_class(Config, "Method")
    RuleOptions = options_class(LinkRules, "Links")
    EngineOptions = options_class(EngineInputs)


def limit_table_threads(threads: int) -> None:
    """Tell polars how many threads to use (0: all cores); it asks once, when it is loaded."""
    if threads:
        os.environ.setdefault("POLARS_MAX_THREADS", str(threads))


def given(options: Any) -> dict[str, Any]:
    """Return the options that were given, by name."""
    chosen = {} if options is None else asdict(options)
    return {name: value for name, value in chosen.items() if value is not None}
