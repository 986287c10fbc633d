"""What a JSON text is made of, from its first bytes alone: the values as far as they go."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([{}\[\],:])|([^\s{}\[\],:"]+))', re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?Infinity|NaN|[-+.\dEe]+")
_SCALARS = {"true": True, "false": False, "null": None}
_SHOWN_KEYS = 12
_SHOWN_SIGNS = 40  # of a key
_LOOKED_AT = 50  # items


@dataclass(frozen=True)
class Shape:
    """The beginning of a JSON text: its values, the last one perhaps without its end.

    Texts are as they are written, with their escapes.
    """

    roots: tuple[Any, ...]
    is_whole: bool  # whether the last value has its end
    is_wrong: bool = False  # whether something follows that is no JSON

    @classmethod
    def of(cls, text: str) -> Shape:
        """Return the values at the beginning of a text, up to where it is cut off or no JSON."""
        reader = _PartialReader()
        place = 1 if text.startswith("\ufeff") else 0
        is_wrong = False
        while not is_wrong and (match := _TOKEN.match(text, place)):
            is_wrong = not reader.take(match)
            place = match.end()
        return cls(tuple(reader.roots), not reader.open, is_wrong)

    @property
    def sections(self) -> dict[str, Any]:
        """The members of the only object; none where the text is something else."""
        only = self.roots[0] if len(self.roots) == 1 else None
        return only if isinstance(only, dict) else {}

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The first objects: of an array, or one after another."""
        first = self.roots[0] if self.roots else None
        return _objects(first if isinstance(first, list) else self.roots)

    def objects_in(self, *sections: str) -> list[dict[str, Any]]:
        """Return the first objects in these members of the only object."""
        inside: list[Any] = []
        for section in sections:
            members = self.sections.get(section)
            inside += members.values() if isinstance(members, dict) else ()
            inside += members if isinstance(members, list) else ()
        return _objects(inside)

    def __str__(self) -> str:
        """Say what it is, in words."""
        first = self.roots[0] if self.roots else None
        if first == []:
            return "an empty array"
        if isinstance(first, list):
            inside = next((member for member in first if isinstance(member, dict)), None)
            return f"an array of {'values' if inside is None else _with_keys('objects', [inside])}"
        if not isinstance(first, dict):
            return "neither an object nor an array"
        many = len(self.roots) > 1
        return _with_keys("objects" if many else "an object", self.roots if many else [first])


def _objects(values: Iterable[Any]) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)][:_LOOKED_AT]


def _with_keys(noun: str, objects: Iterable[Any]) -> str:
    keys = list(dict.fromkeys(key for entry in objects if isinstance(entry, dict) for key in entry))
    if not keys:
        return f"{noun} without keys"
    shown = ", ".join(map(_shown_key, keys[:_SHOWN_KEYS])) + ", ..." * (len(keys) > _SHOWN_KEYS)
    return f"{noun} with the keys {shown}"


def _shown_key(key: str) -> str:
    """Return a key as one line shows it: short, in quotes where it has line breaks or the like."""
    short = key[:_SHOWN_SIGNS]
    return short if short.isprintable() else repr(short)


class _PartialReader:
    """Puts tokens together; containers that are not closed keep what they have so far."""

    def __init__(self) -> None:
        self.roots: list[Any] = []
        self.open: list[Any] = []
        self._keys: list[str | None] = []  # of the open objects, as far as they are read

    def take(self, match: re.Match[str]) -> bool:
        """Add a token; return whether it may stand there."""
        text, sign, scalar = match.groups()
        if sign in ("{", "["):
            container: Any = {} if sign == "{" else []
            placed = self._place(container)
            self.open.append(container)
            self._keys.append(None)
            return placed
        if sign in ("}", "]"):
            return self._close(dict if sign == "}" else list)
        if sign is not None:
            return bool(self.open)
        if text is None:
            return _SCALAR.fullmatch(scalar) is not None and self._place(_scalar(scalar))
        if self.open and isinstance(self.open[-1], dict) and self._keys[-1] is None:
            self._keys[-1] = text
            return True
        return self._place(text)

    def _place(self, value: Any) -> bool:
        if not self.open:
            self.roots.append(value)
        elif isinstance(self.open[-1], list):
            self.open[-1].append(value)
        elif (key := self._keys[-1]) is not None:
            self.open[-1][key], self._keys[-1] = value, None
        else:
            return False
        return True

    def _close(self, kind: type) -> bool:
        if not self.open or not isinstance(self.open[-1], kind):
            return False
        self.open.pop()
        self._keys.pop()
        return True


def _scalar(text: str) -> Any:
    """Return a value that is no text; numbers stay as they are written unless they are whole."""
    if text in _SCALARS:
        return _SCALARS[text]
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else text
