"""Times among the properties of edges: found by their usual names, or as they are given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lighttea.errors import InputError

TIME_NAMES: Mapping[str, tuple[str, ...]] = {  # case and signs aside
    "begin": ("begin", "start", "from", "since", "validfrom", "startdate", "starttime"),
    "end": ("end", "to", "until", "validto", "validuntil", "enddate", "endtime"),
    "time": ("time", "date", "timestamp", "datetime", "at", "on"),
}


def find_time_properties(names: Sequence[str], where: str, advice: str) -> dict[str, str]:
    """Return the property of each time role by its usual name; two for one role are an error.

    `where` begins the message, and `advice` with a role and a property behind it tells how to
    choose: `--columns neo4j,`.
    """
    times: dict[str, str] = {}
    for role, usual in TIME_NAMES.items():
        matches = [name for name in names if plain_name(name) in usual]
        if len(matches) > 1:
            raise InputError(
                f"{where}: properties {' and '.join(matches)} both mean {role}; choose one: "
                f"{advice}{role}={matches[0]}"
            )
        if matches:
            times[role] = matches[0]
    return times


def plain_name(name: str) -> str:
    """Return the name of a property without case and signs."""
    return re.sub(r"[_\W]", "", name).casefold()


def note_time_properties(
    times: Mapping[str, str], names: Sequence[str], owners: str, advice: str
) -> tuple[str, ...]:
    """Return what a user should know about the choice: what is time and what is not used.

    `owners` have the properties: `relationships`. `advice` tells how to name others.
    """
    unused = [name for name in names if name not in times.values()]
    if times:
        listed = ", ".join(f"{role} = {name}" for role, name in times.items())
        return (
            f"time is taken from the {owners}' properties {listed}",
            *[f"properties of {owners} not used: {', '.join(unused)}"] * bool(unused),
        )
    if unused:
        return (
            f"no property of the {owners} is taken as time; found {', '.join(unused)}; name one "
            f"with {advice}time=... or begin=..., end=...",
        )
    return ()


def check_given_properties(given: Mapping[str, str], names: Sequence[str], where: str) -> None:
    """Raise an error for a given property that is not there; `where` begins the message."""
    for name in given.values():
        if name not in names:
            raise InputError(f"{where} {name!r}; found: {', '.join(names) or 'none'}")
