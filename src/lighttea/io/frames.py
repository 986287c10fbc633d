"""Conversion between tables of text columns and graphs of dense ids."""

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
from lighttea.io.cells import NA, note_na
from lighttea.io.literals import VISIBLE, attributes_of, codes_of, decode_times
from lighttea.io.problems import Problems
from lighttea.io.times import UNKNOWN_TEXTS, ParsedTimes, parse_instants
from lighttea.types import Ints

LINE = "line"
_FORBIDDEN_CHARACTERS = r"[\t\r\n\x00]"  # in a name they would break the lines of links.tsv


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
    """Return a graph from the text columns head, relation, tail and, optionally, time, begin, end.

    Where there is a column `value`, a row without a tail is a literal, with its `datatype` and
    `language` if these columns are there. `entities` and `relations` are part of the graph even
    without facts. The column `line` numbers the rows for messages. Wrong rows are an error, or are
    left out and counted by `problems`.
    """
    problems = problems or Problems(strict=True)
    if LINE not in frame.columns:
        frame = frame.with_row_index(LINE, offset=1)
    stated, value_notes = _with_tails_or_values(frame)
    named, na_notes = _with_ends(_with_names(stated, source, problems))
    rows, times = _with_times(named, source, problems)
    problems.check()
    if problems.total and rows.is_empty():
        raise problems.error()
    instants, codes = _coded_times(rows, times)
    is_fact = rows["tail"].is_not_null().to_numpy()
    frame, literals = rows.filter(is_fact), rows.filter(~is_fact)
    entity_names = _distinct_names(entities, frame["head"], frame["tail"], literals["head"])
    relation_names = _distinct_names(relations, frame["relation"])
    facts = Facts(
        head=codes_of(frame["head"], entity_names),
        relation=codes_of(frame["relation"], relation_names),
        tail=codes_of(frame["tail"], entity_names),
        begin=codes["begin"][is_fact],
        end=codes["end"][is_fact],
    )
    attributes, literal_notes = attributes_of(
        literals.rename({"head": "entity", "relation": "attribute"}),
        entity_names,
        codes["begin"][~is_fact],
        codes["end"][~is_fact],
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
            *value_notes,
            *literal_notes,
            *na_notes,
            *note_missing_days(times.taken_as_month),
            *note_contradictions(facts, instants),
        ),
        attributes=attributes,
    )


def frame_of_graph(graph: Graph) -> pl.DataFrame:
    """Return the facts as text columns head, relation, tail, begin, end; unknown times are null."""
    facts = graph.facts
    times = pl.Series(format_instants(graph.instants), dtype=pl.String)
    entities = pl.Series(graph.entities, dtype=pl.String)
    relations = pl.Series(graph.relations, dtype=pl.String)
    return pl.DataFrame(
        {
            "head": entities.gather(facts.head),
            "relation": relations.gather(facts.relation),
            "tail": entities.gather(facts.tail),
            "begin": decode_times(pl.Series(facts.begin, dtype=pl.Int32), times),
            "end": decode_times(pl.Series(facts.end, dtype=pl.Int32), times),
        }
    )


def names_of_graph(graph: Graph) -> pl.DataFrame:
    """Return kind, id and name of the entities and relations whose name differs from their id."""
    known = (("entity", graph.entity_names), ("relation", graph.relation_names))
    rows = [(kind, i, name) for kind, names in known for i, name in names.items() if name != i]
    return pl.DataFrame(rows, schema=dict.fromkeys(("kind", "id", "name"), pl.String), orient="row")


def graph_of_frames(
    facts: pl.DataFrame, literals: pl.DataFrame, *, source: str = "", entities: Sequence[str] = ()
) -> Graph:
    """Return the graph of facts and literals as `frame_of_graph` and `frame_of_attributes` do it.

    Facts come first where entities are numbered.
    """
    if literals.is_empty():
        return graph_of_frame(facts, source=source, entities=entities)
    stated = literals.rename({"entity": "head", "attribute": "relation"})
    both = pl.concat([facts, stated], how="diagonal")
    return graph_of_frame(both, source=source, entities=entities)


def _with_tails_or_values(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the rows with a tail or a value, and notes on the others and on rows with both.

    A row has a null tail where it has a value instead.
    """
    if "value" not in frame.columns:
        return frame, ()
    if "tail" not in frame.columns:
        frame = frame.with_columns(tail=pl.lit(None, pl.String))
    has_tail, has_value = (
        frame[column].fill_null("").str.contains(VISIBLE) for column in ("tail", "value")
    )
    n_both, n_neither = int((has_tail & has_value).sum()), int((~has_tail & ~has_value).sum())
    notes = [f"{n_both:,} rows have both a tail and a value; the value is ignored"] * bool(n_both)
    notes += [f"{n_neither:,} rows without tail and value left out"] * bool(n_neither)
    rows = frame.with_columns(tail=pl.when(has_tail).then("tail"))
    return rows.filter(has_tail | has_value) if n_neither else rows, tuple(notes)


def _with_names(frame: pl.DataFrame, source: str, problems: Problems) -> pl.DataFrame:
    """Return the rows with a head, a relation and a tail that fit into one field of one line.

    A literal has no tail.
    """
    names = [pl.col(name) for name in ("head", "relation", "tail")]
    needed = names[:2] if "value" in frame.columns else names
    empty = [~n.fill_null("").str.contains(VISIBLE) for n in needed]
    frame = _without_wrong_rows(frame, source, problems, empty, "be empty")
    broken = [n.str.contains(_FORBIDDEN_CHARACTERS).fill_null(value=False) for n in names]
    return _without_wrong_rows(
        frame, source, problems, broken, "contain a tab or a line break or a NUL"
    )


def _without_wrong_rows(
    frame: pl.DataFrame, source: str, problems: Problems, checks: Sequence[pl.Expr], rule: str
) -> pl.DataFrame:
    """Return the rows that pass all checks, one for each column; the others become problems."""
    marks = frame.select(*checks)
    is_wrong = marks.select(pl.any_horizontal(pl.all())).to_series()
    if not is_wrong.any():
        return frame
    first = []
    lines = frame[LINE].filter(is_wrong).head(SHOWN_PROBLEMS)
    for line, row in zip(lines, marks.filter(is_wrong).iter_rows(), strict=False):
        columns = " and ".join(c for c, bad in zip(marks.columns, row, strict=True) if bad)
        first.append(f"{source}:{line}: {columns} must not {rule}")
    problems.add_many(first, total=int(is_wrong.sum()))
    return frame.filter(~is_wrong)


def _with_ends(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return begin and end of each row, which a point in time shares, and a note on NA.

    Texts for unknown times become null.
    """
    known, n_na = {}, {}
    for column in ("time", "begin", "end"):
        text = pl.col(column) if column in frame.columns else pl.lit(None, pl.String)
        text = text.str.strip_chars()
        is_unknown = text.str.to_lowercase().is_in(list(UNKNOWN_TEXTS)) | (text == NA)
        known[column] = pl.when(~is_unknown).then(text)
        n_na[column] = (text == NA).sum()
    no_interval = known["begin"].is_null() & known["end"].is_null()
    counts = frame.select(**n_na).row(0, named=True)
    marked = [column for column, count in counts.items() if count]
    with_ends = frame.with_columns(
        begin=pl.when(no_interval).then(known["time"]).otherwise(known["begin"]),
        end=pl.when(no_interval).then(known["time"]).otherwise(known["end"]),
    )
    return with_ends, note_na(sum(counts[column] for column in marked), marked)


def _distinct_names(first: Sequence[str], *others: pl.Series) -> pl.Series:
    """Return the distinct names in order of first appearance."""
    return pl.concat([pl.Series(first, dtype=pl.String), *others]).unique(maintain_order=True)


def _time_texts(frame: pl.DataFrame) -> pl.Series:
    """Return the distinct times of the rows."""
    return pl.concat([frame["begin"], frame["end"]]).drop_nulls().unique(maintain_order=True)


def _coded_times(frame: pl.DataFrame, times: ParsedTimes) -> tuple[Instants, dict[str, Ints]]:
    """Return the instants, and begin and end of each fact as their codes.

    Equal instants written differently share a code.
    """
    texts = _time_texts(frame)
    instants, code = distinct_instants(times.instants)
    ends = {}
    for column in ("begin", "end"):
        place = codes_of(frame[column], texts)
        ends[column] = (
            np.where(place == UNKNOWN, UNKNOWN, code[place]).astype(np.int32)
            if len(code)
            else place
        )
    return instants, ends


def note_missing_days(texts: Sequence[str]) -> tuple[str, ...]:
    """Return a note on days that do not exist; none where there are none."""
    if not texts:
        return ()
    shown = ", ".join(texts[:3]) + (" ..." if len(texts) > 3 else "")
    return (f"{len(texts):,} times name a day that does not exist ({shown}); taken as the month",)


def _with_times(
    frame: pl.DataFrame, source: str, problems: Problems
) -> tuple[pl.DataFrame, ParsedTimes]:
    """Return the rows whose times are understood, and these times; the others become problems."""
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
        advice = "; if this line is a header, name its columns with `columns`" * is_first
        first.append(f"{source}:{row[LINE]}: {bad[text]}, or ~ for unknown{advice}")
    problems.add_many(first, total=len(wrong))
    problems.check()
    frame = frame.filter(~is_wrong)
    return frame, parse_instants(_time_texts(frame))


def note_contradictions(facts: Facts, instants: Instants) -> tuple[str, ...]:
    """Return a note on facts that end before they begin; they are kept as they are."""
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
    return (f"{len(backwards):,} facts end before they begin ({shown}); kept as they are",)
