"""Two graphs of people whose literals tell most: names in one attribute or two, phones, dates."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

import lighttea
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frames
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from tests.worlds import Fact, fact_frame

GIVEN = (
    "Hank",
    "Ada",
    "Grace",
    "Alan",
    "Edsger",
    "Barbara",
    "Donald",
    "Frances",
    "Tony",
    "Niklaus",
)
FAMILY = ("Aaron", "Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Allen", "Hoare")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September")
HEBREW, CODE = "דוד בן־גוריון", "<script>document.title='broken'</script>"
LONG = "a very long text about a person " * 12
N_PEOPLE = 60
LEFT, RIGHT = "http://left.example/", "http://right.example/"
STRANGER = 7  # whose phone numbers and dates of birth differ


def left_id(number: int) -> str:
    return f"{LEFT}person/{number * 37 % 101}"


def right_id(number: int) -> str:
    return f"{RIGHT}p{number * 53 % 211}"


@lru_cache
def literal_world(*, timed: bool = True) -> tuple[Graph, Graph]:
    """Graphs with a few facts; with `timed`, facts and some names have a time."""
    rng = np.random.default_rng(4)
    literals: tuple[list[Any], list[Any]] = ([], [])
    facts: tuple[list[Fact], list[Fact]] = ([], [])
    for i in range(N_PEOPLE):
        given, family = GIVEN[i % len(GIVEN)], f"{FAMILY[i % len(FAMILY)]}{'aeiou'[i % 5]}"
        year, month, day = 1900 + int(rng.integers(90)), int(rng.integers(1, 10)), 10 + i % 18
        phone = [str(n) for n in rng.integers(100, 1000, 3)]
        begin, end = (str(year + 20), str(year + 30)) if timed else (None, None)
        facts[0].append((left_id(i), "lives in", f"town {i % 7}", begin, end))
        facts[1].append((right_id(i), "resides", f"x town {i % 7}", begin, None))
        literals[0].extend(
            (
                left_id(i),
                f"{LEFT}p#{name}",
                text,
                None,
                language,
                begin if name == "given" else None,
            )
            for name, text, language in (
                ("given", given, "en"),
                ("family", family, None),
                ("phone", "/".join(phone[:2]) + "-" + phone[2], None),
                ("born", f"{year}-{month:02d}-{day}", None),
                ("about", (LONG, HEBREW, CODE)[i % 3], None),
            )
        )
        if i == STRANGER:
            phone, year = ["555", "111", "222"], year + 31
        literals[1].extend(
            (right_id(i), name, text, None, None, None)
            for name, text in (
                ("displayName", f"{family}, {given}"),
                ("telephone", "-".join(phone)),
                ("birth date", f"{day} {MONTHS[month - 1]} {year}"),
                ("note", f"row {i}"),
            )
        )
    return _graph(facts[0], literals[0]), _graph(facts[1], literals[1])


def _graph(facts: list[Fact], literals: list[Any]) -> Graph:
    columns = ["entity", "attribute", "value", "datatype", "language", "begin"]
    table = pl.DataFrame(literals, schema=dict.fromkeys(columns, pl.String), orient="row")
    empty = empty_table("attributes_left")
    return graph_of_frames(fact_frame(*facts), pl.concat([empty, table], how="diagonal"))


@lru_cache
def literal_run(*, timed: bool = True, literals: bool = True) -> Run:
    """A run on these graphs, with a few seeds."""
    left, right = literal_world(timed=timed)
    seeds = [(left_id(i), right_id(i)) for i in range(40, N_PEOPLE)]
    return lighttea.align(left, right, seeds=seeds, dim=64, literals=literals, min_confidence=0.0)
