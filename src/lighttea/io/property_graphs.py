"""Properties of nodes and edges of property graphs: literals, names for people, times of edges."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lighttea.errors import InputError
from lighttea.io.graph_rows import GraphRows
from lighttea.io.json.values import literal_text, plain_text
from lighttea.io.times import NoSuchDayError, TimeError, is_unknown, parse_instant

LABELS = "_labels"  # the attribute of a node's labels, as apoc calls the column
_DISPLAY = ("name", "title")
_BREAKS = re.compile(r"[\t\r\n\0]")
_SIGNS = re.compile(r"[_\W]")
_SHORTEST_VECTOR = 32  # numbers: a longer list is an embedding, not a list of values
TIME_NAMES: Mapping[str, tuple[str, ...]] = {  # names of properties, case and signs aside
    "begin": (
        *("begin", "start", "from", "since", "validfrom", "startdate", "starttime", "validat"),
        *("begindate", "fromdate", "datefrom"),
    ),
    "end": (
        *("end", "to", "until", "validto", "validuntil", "enddate", "endtime", "invalidat"),
        *("todate", "dateto"),
    ),
    "time": ("time", "date", "timestamp", "datetime", "at", "on"),
}
Times = tuple[str | None, str | None, str | None]  # begin, end, point in time


def plain_property(name: str) -> str:
    """Return the name of a property without case and signs."""
    return _SIGNS.sub("", name).casefold()


def display_name(properties: Mapping[str, Any], keys: Iterable[str] = _DISPLAY) -> str | None:
    """Return the first of the display properties that is a text with something in it."""
    candidates = (properties.get(key) for key in keys)
    return next((text for text in candidates if isinstance(text, str) and text.strip()), None)


def add_properties(
    rows: GraphRows, line: int, entity: str, properties: Mapping[str, Any], counts: Counter[str]
) -> None:
    """Add a literal for each value of each property, lists member by member.

    Long lists of numbers are vectors and only counted.
    """
    for name, value in properties.items():
        if is_vector(value):
            counts["vectors"] += 1
            continue
        attribute = attribute_name(name)
        for member in value if isinstance(value, list) else (value,):
            if member is not None and member != "":
                text, datatype = literal_text(member)
                rows.add_literal(line, entity, attribute, text, datatype)


def attribute_name(name: str) -> str:
    """Return the name of a property on one line."""
    return _BREAKS.sub(" ", name).strip() or "_"


def is_vector(value: Any) -> bool:
    """Whether a value is a long list of numbers, such as an embedding."""
    if not isinstance(value, list) or len(value) < _SHORTEST_VECTOR:
        return False
    return all(isinstance(member, int | float) for member in value)


def known_time(value: Any) -> str | None:
    """Return a time as text; None where it is none or unknown."""
    text = plain_text(value)
    if text is None or is_unknown(text):
        return None
    try:
        parse_instant(text)
    except NoSuchDayError:  # counts as its month
        return text
    except TimeError:
        return None
    return text


class EdgeTimes:
    """Which properties of edges say when, as given or by their usual names."""

    def __init__(
        self, where: Path | str, given: Mapping[str, str], *, noun: str, layout: str = ""
    ) -> None:
        self._where = where  # begins messages
        self._given = dict(given)
        self._noun = noun  # what edges are called in this file
        self._layout = layout  # that `columns` begin with
        self._roles: dict[str, str | None] = {}  # of all names so far
        self._names = dict(given)  # by role

    def of(self, properties: Mapping[str, Any]) -> Times:
        """Return begin, end and point in time of an edge as texts."""
        times: dict[str, str | None] = {}
        for name, value in properties.items():
            if (role := self._role(name)) is not None:
                times[role] = plain_text(value)
        return times.get("begin"), times.get("end"), times.get("time")

    def among(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return the properties that say when, by role, where these are all there are."""
        for name in names:
            self._role(name)
        return self._names

    def check(self) -> None:
        """Raise an error where a given property was nowhere."""
        for name in self._given.values():
            if name not in self._roles:
                raise InputError(
                    f"{self._where}: no {self._noun} has a property {name!r}; "
                    f"found: {', '.join(self._roles) or 'none'}"
                )

    def notes(self) -> list[str]:
        """Return what was taken for time, and which properties were not used."""
        if self._given or not self._roles:
            return []
        if not self._names:
            return [
                f"no property of the {self._noun}s is used as time; found "
                f"{', '.join(self._roles)}; name one: `columns='{self._layout}time=...'` or "
                f"`columns='{self._layout}begin=...,end=...'`"
            ]
        listed = ", ".join(
            f"{role} = {self._names[role]}" for role in TIME_NAMES if role in self._names
        )
        unused = [name for name, role in self._roles.items() if role is None]
        return [
            f"time comes from these properties of {self._noun}s: {listed}",
            *[f"unused properties of {self._noun}s: {', '.join(unused)}"] * bool(unused),
        ]

    def _role(self, name: str) -> str | None:
        if name not in self._roles:
            self._roles[name] = self._find_role(name)
        return self._roles[name]

    def _find_role(self, name: str) -> str | None:
        if self._given:
            return next((role for role, own in self._given.items() if own == name), None)
        plain = plain_property(name)
        role = next((role for role, usual in TIME_NAMES.items() if plain in usual), None)
        if role is None:
            return None
        if (other := self._names.setdefault(role, name)) != name:
            raise InputError(
                f"{self._where}: properties {other} and {name} both mean {role}; choose one: "
                f"`columns='{self._layout}{role}={other}'`"
            )
        return role


def refuse_ends(columns: Mapping[str, str], title: str) -> None:
    """Raise an error where columns are given that the format knows itself."""
    given = sorted({"head", "relation", "tail"} & columns.keys())
    if given:
        raise InputError(
            f"columns: {title} defines its own {', '.join(given)}; name only time, begin and end"
        )
