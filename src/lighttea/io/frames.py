"""Named text columns to a graph of dense ids, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lighttea.errors import SHOWN_PROBLEMS
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.timeline import (
    UNKNOWN,
    Instants,
    distinct_instants,
    format_instants,
    instant_ends,
)
from lighttea.io.problems import Problems
from lighttea.io.times import UNKNOWN_TEXTS, ParsedTimes, parse_instants
from lighttea.types import Ints

LINE = "line"
_BREAKS = r"[\t\r\n\x00]"  # not in a name: a line of links.tsv would be two, or damaged


def graph_of_frame(
    frame: pl.DataFrame,
    *,
    source: str = "",
    digest: str = "",
    entities: Sequence[str] = (),
    relations: Sequence[str] = (),
    notes: Sequence[str] = (),
    problems: Problems | None = None,
) -> Graph:
    """A graph from text columns head, relation, tail and, where there are, time, begin, end.

    `entities` and `relations` name some that no fact need mention; `line` says where a row stood.
    Rows that are no facts are an error, or left out where `problems` takes them.
    """
    problems = problems or Problems(strict=True)
    if LINE not in frame.columns:
        frame = frame.with_row_index(LINE, offset=1)
    named = _with_ends(_with_names(frame, source, problems))
    frame, times = _with_times(named, source, problems)
    problems.check()
    if problems.total and frame.is_empty():
        raise problems.error()
    instants, codes = _coded_times(frame, times)
    entity_names = _distinct(entities, frame["head"], frame["tail"])
    relation_names = _distinct(relations, frame["relation"])
    facts = Facts(
        head=_codes(frame["head"], entity_names),
        relation=_codes(frame["relation"], relation_names),
        tail=_codes(frame["tail"], entity_names),
        begin=codes["begin"],
        end=codes["end"],
    )
    return Graph(
        entities=entity_names.to_list(),
        relations=relation_names.to_list(),
        facts=facts,
        instants=instants,
        source=source,
        digest=digest,
        notes=(
            *problems.notes(),
            *notes,
            *odd_days(times.taken_as_month),
            *contradictions(facts, instants),
        ),
    )


def frame_of_graph(graph: Graph) -> pl.DataFrame:
    """head, relation, tail, begin, end as text; unknown ends are null."""
    facts = graph.facts
    times = pl.Series(format_instants(graph.instants), dtype=pl.String)
    entities = pl.Series(graph.entities, dtype=pl.String)
    relations = pl.Series(graph.relations, dtype=pl.String)
    return pl.DataFrame(
        {
            "head": entities.gather(facts.head),
            "relation": relations.gather(facts.relation),
            "tail": entities.gather(facts.tail),
            "begin": _decoded(facts.begin, times),
            "end": _decoded(facts.end, times),
        }
    )


def names_of_graph(graph: Graph) -> pl.DataFrame:
    """kind, id and name of the entities and relations that have a name other than their id."""
    known = (("entity", graph.entity_names), ("relation", graph.relation_names))
    rows = [(kind, i, name) for kind, names in known for i, name in names.items() if name != i]
    return pl.DataFrame(rows, schema=dict.fromkeys(("kind", "id", "name"), pl.String), orient="row")


def _with_names(frame: pl.DataFrame, source: str, problems: Problems) -> pl.DataFrame:
    """The rows whose head, relation and tail are there and fit into one field of one line."""
    names = [pl.col(name) for name in ("head", "relation", "tail")]
    empty = [n.str.strip_chars().fill_null("") == "" for n in names]
    frame = _without(frame, source, problems, empty, "be empty")
    broken = [n.str.contains(_BREAKS) for n in names]
    return _without(frame, source, problems, broken, "hold a tab or a line break or a NUL")


def _without(
    frame: pl.DataFrame, source: str, problems: Problems, tests: Sequence[pl.Expr], what: str
) -> pl.DataFrame:
    """The rows where none of the tests, one for each column, is true; the others are noted."""
    marks = frame.select(*tests)
    is_wrong = marks.select(pl.any_horizontal(pl.all())).to_series()
    if not is_wrong.any():
        return frame
    first = []
    lines = frame[LINE].filter(is_wrong).head(SHOWN_PROBLEMS)
    for line, row in zip(lines, marks.filter(is_wrong).iter_rows(), strict=False):
        columns = " and ".join(c for c, bad in zip(marks.columns, row, strict=True) if bad)
        first.append(f"{source}:{line}: {columns} must not {what}")
    problems.add_many(first, total=int(is_wrong.sum()))
    return frame.filter(~is_wrong)


def _with_ends(frame: pl.DataFrame) -> pl.DataFrame:
    """A point in time is an interval that begins and ends with it; unknown texts become null."""
    known = {}
    for column in ("time", "begin", "end"):
        text = pl.col(column) if column in frame.columns else pl.lit(None, pl.String)
        text = text.str.strip_chars()
        known[column] = pl.when(~text.str.to_lowercase().is_in(list(UNKNOWN_TEXTS))).then(text)
    no_interval = known["begin"].is_null() & known["end"].is_null()
    return frame.with_columns(
        begin=pl.when(no_interval).then(known["time"]).otherwise(known["begin"]),
        end=pl.when(no_interval).then(known["time"]).otherwise(known["end"]),
    )


def _distinct(first: Sequence[str], *more: pl.Series) -> pl.Series:
    """All names once, in the order they come."""
    return pl.concat([pl.Series(first, dtype=pl.String), *more]).unique(maintain_order=True)


def _time_texts(frame: pl.DataFrame) -> pl.Series:
    """The times that rows name, each once."""
    return pl.concat([frame["begin"], frame["end"]]).drop_nulls().unique(maintain_order=True)


def _coded_times(frame: pl.DataFrame, times: ParsedTimes) -> tuple[Instants, dict[str, Ints]]:
    """The ends of each fact as codes; equal instants written differently share one."""
    texts = _time_texts(frame)
    instants, code = distinct_instants(times.instants)
    ends = {}
    for column in ("begin", "end"):
        place = _codes(frame[column], texts)
        ends[column] = (
            np.where(place == UNKNOWN, UNKNOWN, code[place]).astype(np.int32)
            if len(code)
            else place
        )
    return instants, ends


def odd_days(texts: Sequence[str]) -> tuple[str, ...]:
    """A remark on days that do not exist."""
    if not texts:
        return ()
    shown = ", ".join(texts[:3]) + (" ..." if len(texts) > 3 else "")
    return (f"{len(texts):,} times name a day that does not exist ({shown}); taken as the month",)


def _with_times(
    frame: pl.DataFrame, source: str, problems: Problems
) -> tuple[pl.DataFrame, ParsedTimes]:
    """The rows whose times are understood, and these times; the others are noted."""
    parsed = parse_instants(_time_texts(frame))
    bad = parsed.problems
    if not bad:
        return frame, parsed
    is_wrong = pl.any_horizontal(pl.col("begin", "end").is_in(list(bad)).fill_null(value=False))
    wrong = frame.filter(is_wrong)
    first = []
    for row in wrong.head(SHOWN_PROBLEMS).iter_rows(named=True):
        text = row["begin"] if row["begin"] in bad else row["end"]
        is_first = row[LINE] == frame[LINE][0]
        advice = "; if this line is a header, name its columns with --columns" * is_first
        first.append(f"{source}:{row[LINE]}: {bad[text]}, or ~ for unknown{advice}")
    problems.add_many(first, total=len(wrong))
    problems.check()
    frame = frame.filter(~is_wrong)
    return frame, parse_instants(_time_texts(frame))


def _codes(values: pl.Series, names: pl.Series) -> Ints:
    """The place of each value in names; null is -1."""
    if names.is_empty():
        return np.full(len(values), UNKNOWN, np.int32)
    places = values.cast(pl.Enum(names)).to_physical().cast(pl.Int32)
    return places.fill_null(UNKNOWN).to_numpy().astype(np.int32)


def _decoded(codes: Ints, times: pl.Series) -> pl.Series:
    return times.gather(pl.Series(codes, dtype=pl.Int32).replace(UNKNOWN, None))


def contradictions(facts: Facts, instants: Instants) -> tuple[str, ...]:
    """Said, never mended: an end before its begin."""
    both = np.flatnonzero((facts.begin != UNKNOWN) & (facts.end != UNKNOWN))
    # a year that ends a fact lasts to its last day: 1971-03-01 to 1971 is no contradiction
    ends = instant_ends(instants)[facts.end[both]]
    backwards = both[ends <= instants.second[facts.begin[both]]]
    if not len(backwards):
        return ()
    begin_texts, end_texts = (
        format_instants(instants.take(codes[backwards[:3]])) for codes in (facts.begin, facts.end)
    )
    shown = ", ".join(
        f"{begin} to {end}" for begin, end in zip(begin_texts, end_texts, strict=True)
    )
    return (f"{len(backwards):,} facts end before they begin ({shown}); kept as given",)
