"""Temporal alarms: contradictions in the times of a link.

The meaning of a relation is inferred from the data, never from its name: whether it holds once, and
begins or ends an entity (`evidence/moments.py`); it is *single-valued* where the intervals of an
entity hardly ever overlap. Both need several entities as support. A fact that both sides have is
never an alarm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import polars as pl

from lighttea.alarms.contradicting import find_contradicting
from lighttea.alarms.graphs import LinkedGraphs
from lighttea.evidence.moments import MIN_SHARE, MIN_SUPPORT
from lighttea.graph.timeline import Grain, format_instant
from lighttea.types import Bools

DISJOINT, AFTER_END, BEFORE_BEGIN = "disjoint-times", "after-end", "before-begin"
CONTRADICTION, CONFLICT, SHIFT = "contradiction", "two-values", "clock-shift"

MIN_SHIFTED = 3  # matched facts of a link that must differ by the same amount
_DAY = 86_400
SEVERITY = {
    DISJOINT: 0.9,
    AFTER_END: 0.8,
    BEFORE_BEGIN: 0.8,
    CONTRADICTION: 0.7,
    CONFLICT: 0.6,
    SHIFT: 0.4,
}
KINDS = tuple(SEVERITY)
SCHEMA = {
    "left": pl.String,
    "right": pl.String,
    "kind": pl.String,
    "severity": pl.Float64,
    "message": pl.String,
}


def find_alarms(graphs: LinkedGraphs) -> pl.DataFrame:
    """Return all alarms, most severe first; an alarm without a link is about the two graphs."""
    if not graphs.has_time or not len(graphs.links):
        return pl.DataFrame(schema=SCHEMA)
    links, sides = graphs.numbered_links, graphs.sides
    places = graphs.names.place("left"), graphs.names.place("right")
    findings = [
        *_find_disjoint(links, sides, places),
        *_find_outside(graphs, is_end=True),
        *_find_outside(graphs, is_end=False),
        *((left, right, CONTRADICTION, words) for left, right, words in find_contradicting(graphs)),
        *_find_conflicts(graphs, links, sides),
        *_find_shifts(links, sides, places[1]),
    ]
    rows = [_row(graphs, *finding) for finding in findings]
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    names = ["left", "right", "kind", "message"]  # the same order every time
    frame = frame.sort("severity", *names, descending=[True] + [False] * len(names))
    return frame.unique(["left", "right", "kind"], keep="first", maintain_order=True)


def alarm_codes(alarms: pl.DataFrame) -> pl.DataFrame:
    """Return the alarms of each link as one text, codes with commas: left, right, alarms."""
    of_links = alarms.drop_nulls("left").group_by("left", "right", maintain_order=True)
    return of_links.agg(alarms=pl.col("kind").str.join(","))


Finding: TypeAlias = tuple[int | None, int | None, str, str]  # left, right, kind, message


def _row(
    graphs: LinkedGraphs, left: int | None, right: int | None, kind: str, message: str
) -> tuple[str | None, str | None, str, float, str]:
    names = (
        None if left is None else graphs.left.entities[left],
        None if right is None else graphs.right.entities[right],
    )
    return (*names, kind, SEVERITY[kind], message)


# ------------------------------------------------------------------------------ disjoint times


def _find_disjoint(
    links: pl.DataFrame, sides: Sequence[pl.DataFrame], places: tuple[str, str]
) -> Iterator[Finding]:
    """Yield links of which all facts of one entity lie before all facts of the other."""
    lives = [_lifespans(side) for side in sides]
    joined = links.join(lives[0], left_on="l", right_on="entity").join(
        lives[1], left_on="r", right_on="entity", suffix="_right"
    )
    apart = joined.filter(
        (pl.col("last") <= pl.col("first_right")) | (pl.col("last_right") <= pl.col("first")),
        pl.col("n") >= 2,
        pl.col("n_right") >= 2,
    )
    for row in apart.rows(named=True):
        grain = max(row["grain"], row["grain_right"])
        left_span = _span(row["first"], row["last"], grain)
        right_span = _span(row["first_right"], row["last_right"], grain)
        yield (
            row["l"],
            row["r"],
            DISJOINT,
            f"the facts {places[0]} date from {left_span}, those {places[1]} from {right_span}",
        )


def _lifespans(facts: pl.DataFrame) -> pl.DataFrame:
    """Return first and last second of each entity's facts; an open end is unlimited."""
    far = 1 << 60
    return facts.group_by("entity").agg(
        first=pl.col("low").fill_null(-far).min(),
        last=pl.col("high").fill_null(far).max(),
        grain=pl.col("grain").max(),
        n=pl.len(),
    )


# ------------------------------------------------------- after the end, before the beginning


def _find_outside(graphs: LinkedGraphs, *, is_end: bool) -> Iterator[Finding]:
    """Yield facts of one side after the end, or before the beginning, that the other side has."""
    kind = AFTER_END if is_end else BEFORE_BEGIN
    verb, place = ("ends", "after") if is_end else ("begins", "before")
    links, sides = graphs.numbered_links, graphs.sides
    bounding = graphs.moments.ends if is_end else graphs.moments.begins
    for here, there, words in ((0, 1, ("left", "right")), (1, 0, ("right", "left"))):
        own, other = words[0][0], words[1][0]  # l and r, the columns of the links
        own_place, other_place = (graphs.names.place(side) for side in words)
        bounded = links.join(_bounds(sides[here], bounding), left_on=own, right_on="entity")
        others = _of_entities(sides[there], bounded[other])
        facts = bounded.join(others, left_on=other, right_on="entity")
        outside = pl.col("low") >= pl.col("over") if is_end else pl.col("high") <= pl.col("at")
        keys = ["class", "neighbour", "low"]  # what both sides have is no alarm
        odd = facts.filter(outside)
        known = _of_entities(sides[here], odd[own])
        odd = odd.join(known, left_on=[own, *keys], right_on=["entity", *keys], how="anti")
        for row in odd.rows(named=True):
            by, relation = (graphs.relation_name(row[name]) for name in ("by", "relation"))
            moment = format_instant(row["at"], row["grain_at"])
            second = row["low"] if row["low"] is not None else row["end"]
            fact = f"{relation} at {format_instant(second, row['grain'])}"
            subject = f"{own_place} the entity {verb} with {by} at {moment}, {other_place} it has"
            yield row["l"], row["r"], kind, f"{subject} {fact}, {place} that"


def _of_entities(facts: pl.DataFrame, entities: pl.Series) -> pl.DataFrame:
    """Return the facts of some entities: few, so that joining them takes little memory."""
    return facts.filter(pl.col("entity").is_in(entities.unique().implode()))


def _bounds(facts: pl.DataFrame, bounding: Bools) -> pl.DataFrame:
    """Return the time at which entities end, or begin, and the relation that tells."""
    known = facts.filter(pl.col("relation").is_in(np.flatnonzero(bounding).tolist()))
    return known.group_by("entity", maintain_order=True).agg(
        at=pl.col("low").first(),
        over=pl.col("high").first(),
        by=pl.col("relation").first(),
        grain_at=pl.col("grain").first(),
    )


# -------------------------------------------------------------------------- two values at one time


def find_single_valued_relations(facts: pl.DataFrame) -> list[int]:
    """Return relations whose intervals with different neighbours hardly ever overlap."""
    lasting = facts.filter(pl.col("end") > pl.col("low"))
    shares = (
        facts.group_by("relation")
        .agg(n=pl.len())
        .join(lasting.group_by("relation").agg(lasting=pl.len()), on="relation")
    )
    mostly = shares.filter(2 * pl.col("lasting") >= pl.col("n"))["relation"]
    successive = (
        lasting.filter(pl.col("relation").is_in(mostly.implode()))
        .sort("entity", "relation", "low", "end")
        .with_columns(
            following=pl.col("low").shift(-1).over("entity", "relation"),
            other=pl.col("neighbour").shift(-1).over("entity", "relation"),
        )
        .filter(pl.col("following").is_not_null(), pl.col("other") != pl.col("neighbour"))
    )
    successions = successive.group_by("relation").agg(
        n=pl.len(), apart=(pl.col("following") >= pl.col("end")).mean()
    )
    kept = successions.filter(pl.col("n") >= MIN_SUPPORT, pl.col("apart") >= MIN_SHARE)
    return sorted(kept["relation"].to_list())


def _find_conflicts(
    graphs: LinkedGraphs, links: pl.DataFrame, sides: Sequence[pl.DataFrame]
) -> Iterator[Finding]:
    """Yield different values of a relation on both sides, for most of the shorter time."""
    parts = []
    for facts in sides:
        single = find_single_valued_relations(facts)
        parts.append(
            facts.filter(
                pl.col("relation").is_in(single),
                pl.col("linked"),
                pl.col("class") >= 0,
                pl.col("end") > pl.col("low"),
            ).select("entity", "class", "relation", "neighbour", "low", "end")
        )
    both = links.join(parts[0], left_on="l", right_on="entity").join(
        parts[1], left_on=["r", "class"], right_on=["entity", "class"], suffix="_right"
    )
    shared = pl.min_horizontal("end", "end_right") - pl.max_horizontal("low", "low_right")
    shorter = pl.min_horizontal(
        pl.col("end") - pl.col("low"), pl.col("end_right") - pl.col("low_right")
    )
    odd = both.filter(pl.col("neighbour") != pl.col("neighbour_right"), 2 * shared > shorter)
    for row_side, key in ((sides[0], "neighbour_right"), (sides[1], "neighbour")):
        owner = "l" if key == "neighbour_right" else "r"  # a side that has both values agrees
        known = _of_entities(row_side.select("entity", "class", "neighbour"), odd[owner])
        odd = odd.join(
            known,
            left_on=[owner, "class", key],
            right_on=["entity", "class", "neighbour"],
            how="anti",
        )
    places = graphs.names.place("left"), graphs.names.place("right")
    for row in odd.rows(named=True):
        relation = graphs.relation_name(row["relation"])
        names = (graphs.entity_name(row[name]) for name in ("neighbour", "neighbour_right"))
        left, right = names
        left_years = f"({_year(row['low'])} to {_year(row['end'])})"
        right_years = f"({_year(row['low_right'])} to {_year(row['end_right'])})"
        values = f"{left} {places[0]} {left_years} but {right} {places[1]} {right_years}"
        yield row["l"], row["r"], CONFLICT, f"{relation} is {values}"


# ------------------------------------------------------------------------------------ clock shift


def _find_shifts(
    links: pl.DataFrame, sides: Sequence[pl.DataFrame], place: str
) -> Iterator[Finding]:
    """Yield links whose matched facts are all later on one side by the same amount.

    `place` is the right side in words.
    """
    keys = ("class", "neighbour")
    parts = [
        facts.filter(pl.col("linked"), pl.col("class") >= 0, pl.col("low").is_not_null())
        .group_by("entity", *keys)
        .agg(pl.col("low").first(), pl.col("grain").first(), n=pl.len())
        .filter(pl.col("n") == 1)
        for facts in sides
    ]
    both = links.join(parts[0], left_on="l", right_on="entity").join(
        parts[1], left_on=["r", *keys], right_on=["entity", *keys], suffix="_right"
    )
    years = [pl.from_epoch(name, time_unit="s").dt.year() for name in ("low", "low_right")]
    is_year = pl.col("grain") == Grain.YEAR.value
    shift = (
        pl.when(is_year)
        .then(years[1] - years[0])
        .otherwise((pl.col("low_right") - pl.col("low")) // _DAY)
    )
    shifted = both.filter(pl.col("grain") == pl.col("grain_right")).with_columns(
        shift=shift, unit=pl.when(is_year).then(pl.lit("year")).otherwise(pl.lit("day"))
    )
    if shifted.is_empty():
        return
    yield from _find_general_shift(shifted, place)
    by_link = shifted.group_by("l", "r", "unit", maintain_order=True).agg(
        pl.col("shift").mode().first(), pl.len(), same=pl.col("shift").n_unique() == 1
    )
    odd = by_link.filter(pl.col("same"), pl.col("len") >= MIN_SHIFTED, pl.col("shift") != 0)
    for row in odd.rows(named=True):
        message = f"all {row['len']} matched facts are {_later(row)} {place}"
        yield row["l"], row["r"], SHIFT, message


def _find_general_shift(shifted: pl.DataFrame, place: str) -> Iterator[Finding]:
    """Yield the most common difference of all matched facts, where it is not zero."""
    counted = shifted.group_by("unit", "shift").len().sort("len", descending=True)
    top = counted.row(0, named=True)
    if top["shift"] and top["len"] >= MIN_SUPPORT and 5 * top["len"] >= len(shifted):
        share = top["len"] / len(shifted)
        message = (
            f"the clocks of the graphs differ: {share:.0%} of the matched facts are {_later(top)}"
        )
        yield None, None, SHIFT, f"{message} {place}"


def _later(row: dict[str, object]) -> str:
    shift = int(str(row["shift"]))
    n = abs(shift)
    return f"{n:,} {row['unit']}{'s' * (n != 1)} {'later' if shift > 0 else 'earlier'}"


def _span(first: int, over: int, grain: int) -> str:
    return f"{_instant(first, grain)} to {_instant(over - 1, grain)}"


def _year(second: int) -> str:
    return _instant(second, Grain.YEAR)


def _instant(second: int, grain: int) -> str:
    return format_instant(second, grain) if abs(second) < 1 << 59 else "ever"
