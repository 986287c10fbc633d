"""`lighttea inspect`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter
from rich.console import Console

from lighttea.cli.attributes import print_attributes
from lighttea.cli.console import print_named_table, print_sentence, print_table, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import command
from lighttea.cli.progress import costs_of_files, shown_progress
from lighttea.cli.streams import reading_stdin, sourced
from lighttea.cli.wording import as_options
from lighttea.display import GraphNames, Named

if TYPE_CHECKING:
    from lighttea.graph.clocks import ClockShift
    from lighttea.graph.facts import Graph
    from lighttea.graph.profile import Profile
    from lighttea.graph.usefulness import TimeUse


@command
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
    nary: bool = True,
    sitelinks: Annotated[bool, Parameter(negative="")] = False,
    json: JsonTarget = None,
) -> None:
    """Show what is in a graph: sizes, times, relations, attributes, odd times, warnings.

    Given two graphs, also show whether their clocks differ and whether time will help to align
    them.

    Parameters
    ----------
    graph
        Facts: TSV, CSV, Parquet, RDF, GraphML or JSON (Wikidata, FollowTheMoney, Neo4j and others),
        plain or compressed, or a description of where they are (.toml). - reads stdin.
    right
        Facts of a second graph to compare with the first.
    columns
        Columns, such as head=subj,relation=pred,tail=obj,begin=4,end=5, or a publisher's layout:
        gdelt, icews, neo4j, polecat. A text in quotes is a constant: relation='played for'.
        missing=NA|- lists cells that mean no value, date_format=%d/%m/%Y the form of dates. For
        RDF: the predicates for begin, end or time.
    left_columns
        Columns of the first graph only.
    right_columns
        Columns of the second graph only.
    format
        Format of the files, if their names and first bytes do not tell: table, ntriples, nquads,
        turtle, trig, n3, rdfxml, jsonld, wikidata, followthemoney, neo4j, graphiti, popolo,
        node-link, json, graphml or description.
    left_format
        Format of the first file.
    right_format
        Format of the second file.
    strict
        Stop at malformed lines of dumps (N-Triples, N-Quads, JSON, event tables, Neo4j); by default
        these lines are skipped and counted. Other formats always stop.
    nary
        Read an RDF node with a begin or an end and two entities as a fact between the two.
    sitelinks
        Keep the links from Wikidata's entities to wiki pages; by default they are skipped and
        counted.
    json
        Write the findings to this file, or to stdout with -.
    """
    from lighttea.graph.profile import profile
    from lighttea.io.graphs import read_graph

    refuse_unwritable(json)
    sides = [(graph, left_columns or columns, left_format or format)]
    if right is not None:
        sides.append((right, right_columns or columns, right_format or format))
    options = {"strict": strict, "nary": nary, "sitelinks": sitelinks}
    files = [("GRAPH", graph), ("RIGHT", right)]
    with shown_progress() as progress, reading_stdin(files) as streams:
        progress.expect(costs_of_files([streams.path(path) for path, _, _ in sides]))
        with progress.stage("load"):
            graphs = [
                sourced(
                    read_graph(streams.path(path), columns=graph_columns, format=form, **options)
                )
                for path, graph_columns, form in sides
            ]
        with progress.stage("profile"):
            profiles = [profile(graph_read) for graph_read in graphs]
            comparison = _compare(*graphs) if right is not None else None
    names = GraphNames.of(*((own.name, own.source) for own in (graphs[0], graphs[-1])))
    write_json_result(json, _as_json(profiles, comparison, names))
    if json == "-":
        return
    console = stdout()
    for graph_read, graph_profile in zip(graphs, profiles, strict=True):
        _print_profile(console, graph_read, graph_profile)
    if comparison is not None:
        _print_comparison(console, comparison, names)


class _Comparison(NamedTuple):
    """The clock shift of two graphs, and the use of time as it is and after a correction."""

    shift: ClockShift
    use: TimeUse
    corrected: TimeUse | None


def _compare(left: Graph, right: Graph) -> _Comparison:
    from lighttea.graph.clocks import Verdict, correct_clock, find_clock_shift
    from lighttea.graph.usefulness import assess_time

    shift, use = find_clock_shift(left, right), assess_time(left, right)
    is_shifted = shift.verdict == Verdict.SHIFTED
    return _Comparison(
        shift, use, assess_time(left, correct_clock(right, shift)) if is_shifted else None
    )


def _as_json(
    profiles: list[Profile], comparison: _Comparison | None, names: GraphNames
) -> dict[str, Any]:
    """Return the profile of one graph, or left and right with their comparison."""
    from dataclasses import asdict

    sides = [
        {
            **graph_profile.to_dict(),
            "span": _format_times(graph_profile.span) if graph_profile.span else None,
            "odd": [
                {**vars(odd), "examples": _format_times(odd.examples)} for odd in graph_profile.odd
            ],
        }
        for graph_profile in profiles
    ]
    if comparison is None:
        return sides[0]
    shift, use, corrected = comparison
    return {
        "left": sides[0],
        "right": sides[1],
        "clock_shift": asdict(shift),
        "time": asdict(use),
        "time_corrected": asdict(corrected) if corrected else None,
        "summary": [_describe_shift(shift, names), _describe_use(use, corrected, names)],
    }


def _format_times(instants: Iterable[tuple[int, int]]) -> list[str]:
    from lighttea.graph.timeline import format_instant

    return [format_instant(*instant) for instant in instants]


def _print_profile(console: Console, graph: Graph, graph_profile: Profile) -> None:
    sizes = (
        *("entities", "entities_without_facts", "relations", "facts", "duplicate_facts"),
        *("literals", "entities_with_literals"),
    )
    rows = [(name.replace("_", " "), f"{getattr(graph_profile, name):,}") for name in sizes]
    title = f"{graph.name} ({graph.source})" if graph.name and graph.source else graph.name
    print_table(console, title or graph.source, ("what", "count"), rows)
    kinds = [
        (kind.replace("_", " "), f"{count:,}", f"{count / max(graph_profile.facts, 1):.1%}")
        for kind, count in graph_profile.kinds.items()
    ]
    print_table(console, "Time of the facts", ("kind", "facts", "share"), kinds)
    if graph_profile.span:
        first, last = _format_times(graph_profile.span)
        grains = ", ".join(
            f"{name} {count:,}" for name, count in graph_profile.grains.items() if count
        )
        share = f"{graph_profile.timed_facts:.1%} of the facts have a time"
        console.print(f"{share}, {first} to {last}; distinct times by granularity: {grains}\n")
    if graph_profile.recognised:
        ways = [(name, f"{count:,}") for name, count in graph_profile.recognised.items()]
        print_table(console, "How the file expresses time", ("model", "count"), ways)
    if graph_profile.odd:
        odd = [
            (times.what, f"{times.count:,}", ", ".join(_format_times(times.examples)))
            for times in graph_profile.odd
        ]
        print_table(console, "Odd times", ("what", "facts", "such as"), odd)
    named = [Named.of(name, graph.relation_names) for name, _ in graph_profile.top_relations]
    if named:
        counts = [f"{count:,}" for _, count in graph_profile.top_relations]
        common = [(own.text, count) for own, count in zip(named, counts, strict=True)]
        columns = ("relation", "facts")
        print_named_table(console, "Most frequent relations", columns, common, named)
    if graph_profile.attributes:
        print_attributes(console, graph, graph_profile)
    for warning in graph_profile.warnings:
        print_sentence(console, f"warning: {as_options(warning)}")
    if graph_profile.warnings:
        console.print()


def _print_comparison(console: Console, comparison: _Comparison, names: GraphNames) -> None:
    shift, use, corrected = comparison
    rows = [
        (description, f"{getattr(use.left, name):.1%}", f"{getattr(use.right, name):.1%}")
        for description, name in (
            ("facts with a time", "timed_facts"),
            ("times that the other graph also has", "shared_times"),
            ("entities with distinctive times", "told_apart"),
        )
    ]
    print_table(console, "Both together", ("share of", names.left, names.right), rows)
    for text in (_describe_shift(shift, names), _describe_use(use, corrected, names)):
        print_sentence(console, text)


def _describe_shift(shift: ClockShift, names: GraphNames) -> str:
    from lighttea.graph.clocks import Verdict

    votes = f"{shift.votes:,} of {shift.votes_in_all:,}"
    if shift.verdict == Verdict.AGREE:
        return (
            f"Clocks agree: {votes} rare time patterns that both graphs have are at the same time."
        )
    if shift.verdict == Verdict.UNCLEAR:
        why = "the graphs share no rare time pattern"
        if shift.votes:
            why = f"at most {votes} rare time patterns agree on one shift"
        return f"Clocks: no shift found, but one is possible; {why}."
    plural = "s" * (abs(shift.amount) != 1)
    side = "ahead of" if shift.amount > 0 else "behind"
    text = (
        f"Clocks: the right graph seems {abs(shift.amount):,} {shift.unit}{plural} {side} the "
        f"left one; {votes} rare time patterns in common agree on that, "
        f"{shift.votes_unshifted:,} on no shift. Correct the times before aligning."
    )
    return _with_names(text, names)


def _with_names(text: str, names: GraphNames) -> str:
    """Return a text with the names of the graphs in place of their sides."""
    for side in ("left", "right"):
        if (name := names.of_side(side)) != side:
            text = name.join(re.split(rf"\bthe {side} (?:graph|one)\b", text))
    return text


def _describe_use(use: TimeUse, corrected: TimeUse | None, names: GraphNames) -> str:
    words = {
        "likely": "is likely to help",
        "a little": "may help a little",
        "no": "cannot help",
    }
    if corrected is None:
        return _with_names(f"Time {words[use.helps]}: {_describe_reason(use)}.", names)
    text = (
        f"Time {words[use.helps]} as the clocks stand: {_describe_reason(use)}. "
        f"Once they are corrected it {words[corrected.helps]}: {_describe_reason(corrected)}."
    )
    return _with_names(text, names)


def _describe_reason(use: TimeUse) -> str:
    return f"{use.reason} ({use.shared_ticks:,} times in common)"
