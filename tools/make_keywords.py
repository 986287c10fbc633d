"""Write the typed dictionaries behind `**settings`, from the declarations of the settings.

Type checkers and editors need them spelt out: `make keywords` writes them again after a
declaration changed, and a test says when that was forgotten.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from lighttea.config import choices
from lighttea.config.alignment import Config
from lighttea.config.declaration import declared_settings
from lighttea.export.options import ExportOptions

SOURCES = Path(__file__).parent.parent / "src" / "lighttea"
_WIDTH = 100


@dataclass(frozen=True)
class Keywords:
    """A typed dictionary to write: of which class, under which name, into which module."""

    declared: type
    name: str
    module: str
    default: str  # what a keyword that is left out means


def all_keywords() -> list[Keywords]:
    """Return every typed dictionary that is generated."""
    return [
        Keywords(Config, "Settings", "config/keywords.py", "as the preset or the config has it"),
        Keywords(ExportOptions, "ExportSettings", "export/keywords.py", "the default"),
    ]


def text_of(keywords: Keywords) -> str:
    """Return the text of the module."""
    declared = keywords.declared
    lines = [
        f'"""The fields of `{declared.__name__}` as keywords. Made by `make keywords`."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import TypedDict",
        "",
        *_imports(declared),
        f"class {keywords.name}(TypedDict, total=False):",
        f'    """The fields of `{declared.__name__}`; left out or None: {keywords.default}."""',
        "",
        *_entries(declared),
    ]
    return "\n".join(lines) + "\n"


def _entries(declared: type) -> Iterator[str]:
    settings = declared_settings(declared)
    for field in fields(declared):
        yield f"    {field.name}: {_plain(str(field.type))} | None"
        described = settings[field.name].described
        text = f'"""{described[:1].upper()}{described[1:]}"""'
        yield from textwrap.wrap(text, _WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 4)


def _imports(declared: type) -> list[str]:
    """Return the imports of closed choices, and the blank lines after them."""
    words = {word for field in fields(declared) for word in re.findall(r"\w+", str(field.type))}
    names = sorted(word for word in words if hasattr(choices, word))
    return [f"from lighttea.config.choices import {', '.join(names)}", "", ""] if names else [""]


def _plain(hint: str) -> str:
    return hint.removesuffix(" | None")


def main() -> None:
    """Write every module."""
    for keywords in all_keywords():
        (SOURCES / keywords.module).write_text(text_of(keywords), encoding="utf-8")


if __name__ == "__main__":
    main()
