"""Layouts of published tables by name: the column of each role, and the marks of empty cells.

The positions are those of the publishers' own descriptions: GDELT's event codebooks 1.0 and 2.0,
ICEWS coded event data, POLECAT.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

NEO4J = "neo4j"
_NODE_ID = re.compile(r"\w*:ID(?:\([^()]*\))?")  # in a file of nodes for neo4j-admin


@dataclass(frozen=True)
class EventLayout:
    """A table of events: the column of each role, and the texts that mark an unknown actor.

    `actors` has the columns that say something of the head and of the tail, by the attribute that
    they become. `headerless` lists the names of all columns, one list for each width that files
    without a header have.
    """

    columns: Mapping[str, str]
    actors: Mapping[str, tuple[str, str]]
    absent: frozenset[str] = frozenset({""})
    headerless: tuple[tuple[str, ...], ...] = ()


_GDELT_ACTOR = (
    *("Code", "Name", "CountryCode", "KnownGroupCode", "EthnicCode"),
    *("Religion1Code", "Religion2Code", "Type1Code", "Type2Code", "Type3Code"),
)


def _gdelt_names(*, second_version: bool) -> tuple[str, ...]:
    """Return the 58 columns of GDELT 1.0, or the 61 of 2.0, whose places have one more code."""
    second_code = ("ADM2Code",) if second_version else ()
    place = (
        "Type",
        "FullName",
        "CountryCode",
        "ADM1Code",
        *second_code,
        "Lat",
        "Long",
        "FeatureID",
    )
    return (
        *("GLOBALEVENTID", "SQLDATE", "MonthYear", "Year", "FractionDate"),
        *(f"Actor{number}{part}" for number in (1, 2) for part in _GDELT_ACTOR),
        *("IsRootEvent", "EventCode", "EventBaseCode", "EventRootCode", "QuadClass"),
        *("GoldsteinScale", "NumMentions", "NumSources", "NumArticles", "AvgTone"),
        *(
            f"{actor_name}Geo_{part}"
            for actor_name in ("Actor1", "Actor2", "Action")
            for part in place
        ),
        *("DATEADDED", "SOURCEURL"),
    )


def _of_both(attributes: Iterable[str], head: str, tail: str) -> dict[str, tuple[str, str]]:
    """Return the columns of attributes; a `*` in `head` and `tail` stands for the attribute."""
    return {name: (head.replace("*", name), tail.replace("*", name)) for name in attributes}


_GDELT_1, _GDELT_2 = _gdelt_names(second_version=False), _gdelt_names(second_version=True)

EVENT_LAYOUTS: Mapping[str, EventLayout] = {
    "gdelt": EventLayout(
        {"head": "Actor1Code", "relation": "EventCode", "tail": "Actor2Code", "time": "SQLDATE"},
        _of_both(_GDELT_ACTOR, "Actor1*", "Actor2*"),
        headerless=(_GDELT_1[:-1], _GDELT_1, _GDELT_2),  # before April 2013 without SOURCEURL
    ),
    "icews": EventLayout(
        {
            "head": "Source Name",
            "relation": "CAMEO Code",
            "tail": "Target Name",
            "time": "Event Date",
        },
        _of_both(("Name", "Sectors", "Country"), "Source *", "Target *"),
    ),
    "polecat": EventLayout(
        {
            "head": "Actor Name",
            "relation": "Event Type",
            "tail": "Recipient Name",
            "time": "Event Date",
        },
        {
            **_of_both(("Name", "Country", "COW", "Sectors"), "Actor *", "Recipient *"),
            "Primary Sector": ("Primary Actor Sector", "Primary Recipient Sector"),
            **_of_both(("Title", "Name Raw"), "Actor *", "Recipient *"),
            "Wikipedia ID": ("Wikipedia Actor ID", "Wikipedia Recipient ID"),
        },
        absent=frozenset({"", "none"}),
    ),
}
LISTS = ("Sectors",)  # attributes whose cells hold several values, parted by commas or semicolons
PRESETS = tuple(sorted((*EVENT_LAYOUTS, NEO4J)))


def plain_name(name: str) -> str:
    """Return a column name without case and underscores, which exporters change."""
    return name.strip().casefold().replace("_", " ")


def recognise_preset(names: Sequence[str]) -> str | None:
    """Return the preset whose columns a header has; None where there is none."""
    plain_names = {plain_name(name) for name in names}
    for preset, layout in EVENT_LAYOUTS.items():
        if {plain_name(column) for column in layout.columns.values()} <= plain_names:
            return preset
    bare = {name.strip() for name in names}
    if {"_start", "_end", "_type"} <= bare or any(":START_ID" in name for name in bare):
        return NEO4J
    if any(_NODE_ID.fullmatch(name) for name in bare):
        return NEO4J
    return None
