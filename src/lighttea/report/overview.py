"""The first screen of a report: what the run is, its key figures, what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lighttea.report import figures
from lighttea.report.advice import advise
from lighttea.results.expectation import decoy_warning, expected_wrong
from lighttea.results.names import graph_names
from lighttea.results.run import Run


@dataclass(frozen=True)
class Figure:
    """A key figure: what it is, its value, and what it rests on."""

    title: str
    value: str
    note: str
    is_warning: bool = False


@dataclass(frozen=True)
class GraphLine:
    """A graph in a line: name, sizes, source."""

    name: str
    sizes: str
    source: str


@dataclass(frozen=True)
class Overview:
    """What stands on the first screen."""

    date: str
    command: str
    version: str
    graphs: list[GraphLine]
    warning: str | None
    figures: list[Figure]
    advice: list[str]


def overview_of(run: Run, folder: str, time: figures.TimeFigures) -> Overview:
    """Return the first screen of a run that lies in a folder."""
    return Overview(
        date=describe_date(run.info),
        command=str(run.info.get("command") or ""),
        version=str(run.info.get("versions", {}).get("lighttea", "")),
        graphs=[_graph_line(run, side) for side in ("left", "right")],
        warning=decoy_warning(run),
        figures=[_links(run), _wrong(run), _time(time), _alarms(run)],
        advice=advise(run, folder),
    )


def describe_date(info: Mapping[str, Any]) -> str:
    """Return when the run was made, in words; empty for runs of earlier versions."""
    try:
        date = datetime.fromisoformat(str(info.get("date") or ""))
    except ValueError:
        return ""
    return f"{date.astimezone(UTC):%d %B %Y, %H:%M} UTC".removeprefix("0")


def _graph_line(run: Run, side: str) -> GraphLine:
    own, name = run.info["input"][side], graph_names(run).of_side(side)
    sizes = f"{own['entities']:,} entities, {own['facts']:,} facts"
    return GraphLine(name, sizes, str(own["source"] or "given in Python"))


def _links(run: Run) -> Figure:
    n_open = run.info["input"]["left"]["entities"] - run.seeds["left"].n_unique()
    n_linked = len(run.best_links)
    share = f"{n_linked / n_open:.0%}" if n_open else "none"
    seeds = f" without a seed; {len(run.seeds):,} seeds" if len(run.seeds) else "; no seeds"
    note = f"{share} of the {n_open:,} left entities{seeds}"
    return Figure("Links", f"{len(run.links):,}", note)


def _wrong(run: Run) -> Figure:
    title, n_wrong = "Expected errors", expected_wrong(run)
    if n_wrong is None or run.links.is_empty():
        why = "no links" if run.links.is_empty() else "confidence is not calibrated"
        return Figure(title, "unknown" if len(run.links) else "-", why)
    value = "under 1" if n_wrong < 0.5 else f"about {n_wrong:,.0f}"
    share, decoys = n_wrong / len(run.links), run.info.get("decoys")
    origin = "with decoys" if decoys else "from their confidence"
    return Figure(title, value, f"{share:.1%} of the links, estimated {origin}", share > 0.05)


def _time(time: figures.TimeFigures) -> Figure:
    title = "Time decides"
    if time.second is not None:
        n = time.second.n_elsewhere + time.second.n_lost
        return Figure(title, f"{n:,} links", "differ or disappear in a second run without time")
    if time.effect is None:
        return Figure(title, "nothing", "this run did not use time")
    note = f"estimated: {time.effect.share:.1%} would change without time"
    return Figure(title, _count(time.effect.n_changed, "link"), note)


def _alarms(run: Run) -> Figure:
    n = run.alarms.drop_nulls("left").select("left").n_unique()
    left_out = run.info.get("alarmed_links_left_out")
    note = "with contradicting times" if n else "no contradicting times"
    if left_out:
        note += f"; {_count(left_out, 'link')} with an alarm left out"
    return Figure("Alarms", _count(n, "link") if n else "none", note, n > 0)


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
