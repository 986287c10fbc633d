"""`lighttea inspect`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter
from rich.console import Console

from lighttea.cli.console import print_table, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result

if TYPE_CHECKING:
    from lighttea.graph.clocks import ClockShift
    from lighttea.graph.facts import Graph
    from lighttea.graph.profile import Profile
    from lighttea.graph.usefulness import TimeUse


def inspect(
    graph: Path,
    right: Path | None = None,
    *,
    columns: str | None = None,
    left_columns: str | None = None,
    right_columns: str | None = None,
    format: str | None = None,  # noqa: A002
    left_format: str | None = None,
    right_format: str | None = None,
    strict: Annotated[bool, Parameter(negative="")] = False,
    json: JsonTarget = None,
) -> None:
    """Show what is in a graph: sizes, time coverage, granularity, range, odd times, warnings.

    Given two graphs, say also whether their clocks seem shifted against each other and whether
    time is likely to help to align them.

    Parameters
    ----------
    graph
        Facts: TSV, CSV, Parquet, RDF or Wikidata JSON, plain or compressed.
    right
        Facts of a second graph, to be compared with the first.
    columns
        Columns, such as head=subj,relation=pred,tail=obj,begin=4,end=5, or a publisher's layout:
        gdelt, icews, neo4j, polecat. For RDF, the predicates that say begin, end or time.
    left_columns
        Columns of the first graph alone.
    right_columns
        Columns of the second graph alone.
    format
        What the files are where their names do not say it: table, ntriples, nquads, turtle, trig,
        rdfxml or wikidata.
    left_format
        What the first file is.
    right_format
        What the second file is.
    strict
        Stop at malformed lines of dumps (N-Triples, N-Quads, Wikidata, event tables, Neo4j), which
        are otherwise left out and counted. Other formats always stop at them.
    json
        Write the findings to this file, or to stdout with -.
    """
    from lighttea.graph.profile import profile
    from lighttea.io.graphs import read_graph

    refuse_unwritable(json)
    sides = [(graph, left_columns or columns, left_format or format)]
    if right is not None:
        sides.append((right, right_columns or columns, right_format or format))
    read = [
        read_graph(path, columns=wanted, format=form, strict=strict) for path, wanted, form in sides
    ]
    found = [profile(one) for one in read]
    together = _together(*read) if right is not None else None
    write_json_result(json, _as_json(found, together))
    if json == "-":
        return
    console = stdout()
    for one, its_profile in zip(read, found, strict=True):
        _print_profile(console, one, its_profile)
    if together is not None:
        _print_together(console, together)


class _Together(NamedTuple):
    """What two graphs say together: time as it stands, and once a shift has been corrected."""

    shift: ClockShift
    use: TimeUse
    corrected: TimeUse | None


def _together(left: Graph, right: Graph) -> _Together:
    from lighttea.graph.clocks import Verdict, correct_clock, find_clock_shift
    from lighttea.graph.usefulness import assess_time

    shift, use = find_clock_shift(left, right), assess_time(left, right)
    is_shifted = shift.verdict == Verdict.SHIFTED
    return _Together(
        shift, use, assess_time(left, correct_clock(right, shift)) if is_shifted else None
    )


def _as_json(found: list[Profile], together: _Together | None) -> dict[str, Any]:
    """One graph's findings, or those of both under left and right and what follows of them."""
    from dataclasses import asdict

    sides = [
        {
            **one.to_dict(),
            "span": _texts(one.span) if one.span else None,
            "odd": [{**vars(odd), "examples": _texts(odd.examples)} for odd in one.odd],
        }
        for one in found
    ]
    if together is None:
        return sides[0]
    shift, use, corrected = together
    return {
        "left": sides[0],
        "right": sides[1],
        "clock_shift": asdict(shift),
        "time": asdict(use),
        "time_corrected": asdict(corrected) if corrected else None,
        "summary": [_shift_in_words(shift), _use_in_words(use, corrected)],
    }


def _texts(instants: Iterable[tuple[int, int]]) -> list[str]:
    from lighttea.graph.timeline import format_instant

    return [format_instant(*one) for one in instants]


def _print_profile(console: Console, graph: Graph, found: Profile) -> None:
    sizes = ("entities", "entities_without_facts", "relations", "facts", "duplicate_facts")
    rows = [(name.replace("_", " "), f"{getattr(found, name):,}") for name in sizes]
    print_table(console, graph.source, ("what", "count"), rows)
    kinds = [
        (kind.replace("_", " "), f"{count:,}", f"{count / max(found.facts, 1):.1%}")
        for kind, count in found.kinds.items()
    ]
    print_table(console, "Time of the facts", ("kind", "facts", "share"), kinds)
    if found.span:
        first, last = _texts(found.span)
        grains = ", ".join(f"{name} {count:,}" for name, count in found.grains.items() if count)
        share = f"{found.timed_facts:.1%} of the facts have a time"
        console.print(f"{share}, {first} to {last}; distinct times by granularity: {grains}\n")
    if found.odd:
        odd = [(one.what, f"{one.count:,}", ", ".join(_texts(one.examples))) for one in found.odd]
        print_table(console, "Odd times", ("what", "facts", "such as"), odd)
    common = [(graph.relation_names.get(n, n), f"{count:,}") for n, count in found.top_relations]
    print_table(console, "Most frequent relations", ("relation", "facts"), common)
    for warning in found.warnings:
        console.print(f"warning: {warning}", markup=False, soft_wrap=True)
    if found.warnings:
        console.print()


def _print_together(console: Console, together: _Together) -> None:
    shift, use, corrected = together
    rows = [
        (what, f"{getattr(use.left, name):.1%}", f"{getattr(use.right, name):.1%}")
        for what, name in (
            ("facts with a time", "timed_facts"),
            ("their times that the other graph has too", "shared_times"),
            ("entities that their times tell apart", "told_apart"),
        )
    ]
    print_table(console, "Both together", ("share of", "left", "right"), rows)
    for text in (_shift_in_words(shift), _use_in_words(use, corrected)):
        console.print(text, markup=False, soft_wrap=True)


def _shift_in_words(shift: ClockShift) -> str:
    from lighttea.graph.clocks import Verdict

    votes = f"{shift.votes:,} of {shift.votes_in_all:,}"
    if shift.verdict == Verdict.AGREE:
        return f"Clocks: no shift seen; {votes} rare time patterns in common are at the same time."
    if shift.verdict == Verdict.UNCLEAR:
        why = "no rare time pattern is in both graphs"
        if shift.votes:
            why = f"at most {votes} rare time patterns agree on one"
        return f"Clocks: no shift seen, but one could be there; {why}."
    plural = "s" * (abs(shift.amount) != 1)
    side = "ahead of" if shift.amount > 0 else "behind"
    return (
        f"Clocks: the right graph seems {abs(shift.amount):,} {shift.unit}{plural} {side} the left "
        f"one; {votes} rare time patterns in common say so, {shift.votes_unshifted:,} say that "
        "there is none. Correct the times before aligning."
    )


def _use_in_words(use: TimeUse, corrected: TimeUse | None) -> str:
    words = {
        "likely": "is likely to help",
        "a little": "may help a little",
        "no": "cannot help",
    }
    if corrected is None:
        return f"Time {words[use.helps]}: {_why(use)}."
    return (
        f"Time {words[use.helps]} as the clocks stand: {_why(use)}. "
        f"Once they are corrected it {words[corrected.helps]}: {_why(corrected)}."
    )


def _why(use: TimeUse) -> str:
    return f"{use.reason} ({use.shared_ticks:,} times are in both graphs)"
