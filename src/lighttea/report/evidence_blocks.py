"""What the links rest on: the blocks of a report on evidence, literals and time."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from lighttea.explain.shares import AGAINST, FACTS, LITERALS, TIMES, evidence_shares
from lighttea.report import figures
from lighttea.report.blocks import Bar, Block, note_block, table_block, text_block
from lighttea.report.literals import literal_tables
from lighttea.results.names import graph_names, name_ids
from lighttea.results.run import Run

_EVIDENCE_WORDS = {
    FACTS: "facts: linked neighbours and matching relations",
    TIMES: "times: facts and labels with the same time",
    LITERALS: "literals: names, numbers and other values",
    AGAINST: "against: facts and literals that contradict",
}


def evidence_blocks(run: Run) -> Iterator[Block]:
    """Yield what facts, times and literals add to links, and to their runners-up."""
    shares = evidence_shares(run.explainer.source)
    if not shares:
        yield text_block("No link has a runner-up to compare with.")
        return
    lead = sum(share.lead for share in shares)
    if lead > 0:
        percent = {share.kind: f"{share.lead / lead:.0%}" for share in shares}
        yield text_block(
            f"On average a link has a score {lead:.2f} above that of its runner-up. Of this lead, "
            f"facts make up {percent[FACTS]}, times {percent[TIMES]}, literals {percent[LITERALS]} "
            f"and contradictions {percent[AGAINST]}."
        )
    longest = max(abs(value) for share in shares for value in (share.link, share.runner_up))
    rows = [
        (
            _EVIDENCE_WORDS[share.kind],
            Bar(f"{share.link:z.3f}", abs(share.link) / longest),
            Bar(f"{share.runner_up:z.3f}", abs(share.runner_up) / longest, second=True),
            f"{share.lead:+z.3f}",
        )
        for share in shares
    ]
    columns = ("evidence", "adds to a link", "adds to its runner-up", "lead")
    yield table_block("Mean score by evidence", columns, rows)


def literal_blocks(run: Run) -> Iterator[Block]:
    """Yield which attributes match, and which were not used."""
    text, tables = literal_tables(run)
    if text:
        yield text_block(text)
    for table in tables:
        yield table_block(table.caption, table.columns, table.rows)


def time_blocks(run: Run, time: figures.TimeFigures) -> Iterator[Block]:
    """Yield what changes without time: estimated, or from a second run."""
    effect, second = time.effect, time.second
    if effect is None:
        yield text_block("This run did not use time.")
        return
    if second is not None:
        yield from _second_run_blocks(run, second)
        return
    yield text_block(
        f"Without time an estimated {effect.n_changed:,} of {effect.n_links:,} links "
        f"({effect.share:.1%}) would go to another candidate."
    )
    yield from _decided_links(run, effect.examples)
    yield note_block(
        "This is an estimate, and a low one: the candidates of this run are scored again without "
        "time, but time helped to find them. To align a second time without time: `lighttea "
        "report RUN --compare-time`."
    )


def _second_run_blocks(run: Run, second: figures.SecondRun) -> Iterator[Block]:
    gained = second.expected - second.expected_without
    yield text_block(
        f"Without time {second.n_elsewhere:,} of {second.n_links:,} links go to another "
        f"entity and {second.n_lost:,} disappear. Going by confidence, "
        f"{second.expected:,.0f} links are right with time and {second.expected_without:,.0f} "
        f"without: time {'adds' if gained >= 0 else 'costs'} about {abs(gained):,.0f}."
    )
    rows = [
        ("links", f"{second.n_links:,}", f"{second.n_without:,}"),
        (
            "right, going by confidence",
            f"{second.expected:,.0f}",
            f"{second.expected_without:,.0f}",
        ),
        ("the same in both", f"{second.n_same:,}", f"{second.n_same:,}"),
    ]
    yield table_block("A second run without time", ("", "with time", "without"), rows)
    yield from _decided_links(run, second.examples)


def _decided_links(run: Run, examples: pl.DataFrame) -> Iterator[Block]:
    if not examples.is_empty():
        columns = ("left", "right", "instead")
        named = [name_ids(run, "left" if c == "left" else "right", examples[c]) for c in columns]
        rows = list(zip(*named, strict=True))
        columns = (graph_names(run).left, "linked to", "without time")
        yield table_block("Links that time decides", columns, rows)
