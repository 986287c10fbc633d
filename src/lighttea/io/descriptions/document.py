"""A description as a TOML file: its content, and where in it each key stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lighttea.errors import InputError
from lighttea.io.lines import existing_file

_PLACE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")
_HEADER = re.compile(r"\s*\[\[\s*[\"']?source[\"']?\s*\]\]")
_SUBTABLE = re.compile(r"\s*\[\s*[\"']?source[\"']?\s*\.\s*[\"']?(?P<key>[\w-]+)[\"']?\s*\]")
_KEY = re.compile(r"\s*(?P<quote>[\"']?)(?P<key>[\w-]+)(?P=quote)\s*[=.]")
_LARGEST = 16 << 20  # bytes; a description is written by hand


@dataclass(frozen=True)
class Document:
    """The content of a description file; `lines` has the line of each key of each source.

    Source 0 stands for the keys outside of sources.
    """

    path: Path
    content: Mapping[str, Any]
    lines: Mapping[tuple[int, str], int]

    def place(self, source: int, key: str) -> str:
        """Return file, line and key, for messages."""
        line = self.lines.get((source, key))
        if line is not None:
            return f"{self.path}:{line}: {key}"
        return f"{self.path}: source {source}: {key}" if source else f"{self.path}: {key}"


def read_document(path: str | Path) -> Document:
    """Return the content of a TOML file; raise an error where it is none."""
    path = existing_file(path)
    try:
        content = path.read_bytes()
        if len(content) > _LARGEST:
            raise InputError(f"{path}: {len(content) >> 20} MiB is too large for a description")
        text = content.decode("utf-8-sig")
        return Document(path, tomllib.loads(text), _key_lines(text))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(f"{path}:{line}: not UTF-8 text: {error.reason}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(_describe_error(path, text, str(error))) from None
    except (RecursionError, OverflowError, ValueError) as error:
        raise InputError(f"{path}: not TOML that can be read: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def _key_lines(text: str) -> dict[tuple[int, str], int]:
    """Return the line of each key of each source, as far as a look at single lines can tell."""
    lines: dict[tuple[int, str], int] = {}
    source, is_inside = 0, False
    for number, line in enumerate(text.splitlines(), 1):
        if _HEADER.match(line):
            source, is_inside = source + 1, False
            lines[source, "source"] = number
        elif match := _SUBTABLE.match(line):
            is_inside = True
            lines.setdefault((source, match["key"]), number)
        elif not is_inside and (match := _KEY.match(line)):
            lines.setdefault((source, match["key"]), number)
    return lines


def _describe_error(path: Path, text: str, reason: str) -> str:
    place = _PLACE.search(reason)
    line = place[1] if place and place[1] else len(text.splitlines())
    return (
        f"{path}:{line}: not TOML: {_PLACE.sub('', reason).strip()}; expected lines: key = value, "
        'texts in "quotes"'
    )
