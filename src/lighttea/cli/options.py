"""Command-line options made from the fields of `Config`: names, types, help and bounds."""

from __future__ import annotations

from dataclasses import asdict, field, fields, make_dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from lighttea.config import FIELD_TYPES, Config

_METHOD = Group("Method", sort_key=10)


def _parameter(name: str, help_text: str) -> Parameter:
    return Parameter(help=f"{help_text} [paper: {getattr(Config(), name)}]", group=_METHOD)


if TYPE_CHECKING:

    class ConfigOptions:
        """Every field of Config, None where it was not given."""

else:
    ConfigOptions = make_dataclass(
        "ConfigOptions",
        [
            (
                f.name,
                Annotated[FIELD_TYPES[f.name] | None, _parameter(f.name, f.metadata["help"])],
                field(default=None, kw_only=True),
            )
            for f in fields(Config)
        ],
        frozen=True,
    )
    ConfigOptions.__module__ = __name__  # cyclopts takes classes of module "types" for builtins


def given(options: ConfigOptions | None) -> dict[str, Any]:
    """The options by name; None where one was not given."""
    return {} if options is None else asdict(options)  # type: ignore[call-overload]
