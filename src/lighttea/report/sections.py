"""The sections of a report below its first screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from lighttea.display import GraphNames
from lighttea.explain.shares import AGAINST, FACTS, LITERALS, TIMES, evidence_shares
from lighttea.inputs.links import LinkTable
from lighttea.report import charts, expected, figures, missing
from lighttea.report.blocks import (
    Bar,
    Block,
    Cell,
    Section,
    bars,
    chart_block,
    note_block,
    table_block,
    text_block,
)
from lighttea.report.link_blocks import link_block
from lighttea.report.literals import literal_tables
from lighttea.results.expectation import expected_wrong
from lighttea.results.names import graph_names, name_ids
from lighttea.results.run import Run

SHOWN_LINKS = 6
SHOWN_ALARMS = 30
_SIDES = ("left", "right")
_EVIDENCE_WORDS = {
    FACTS: "facts: linked neighbours and matching relations",
    TIMES: "times: facts and labels with the same time",
    LITERALS: "literals: names, numbers and other values",
    AGAINST: "against: facts and literals that contradict",
}


def sections_of(run: Run, truth: LinkTable | None, time: figures.TimeFigures) -> Iterator[Section]:
    """Yield the sections, in the order of the questions that a reader has."""
    yield Section("Warnings", [{"items": run.info["warnings"]}] if run.info["warnings"] else [])
    yield Section("How sure are the links?", list(_confidence_blocks(run, truth)))
    if truth is not None:
        yield Section("Against the truth", list(_evaluation_blocks(run, truth)))
    yield Section("What do the links rest on?", list(_evidence_blocks(run)))
    yield Section("Is time helping?", list(_time_blocks(run, time)))
    yield Section("Where are links missing?", list(_missing_blocks(run)))
    yield Section("Temporal alarms", list(_alarm_blocks(run)))
    yield Section("Inputs", list(_input_blocks(run)))
    yield Section("Literals", list(_literal_blocks(run)))
    sure, unsure = figures.select_links(run, SHOWN_LINKS)
    yield Section("The least certain links", [link_block(run.explain(left)) for left in unsure])
    yield Section("The most certain links", [link_block(run.explain(left)) for left in sure])
    yield Section("Rounds and stages", list(_course_blocks(run)))


# -------------------------------------------------------------------------------- confidence


def _confidence_blocks(run: Run, truth: LinkTable | None) -> Iterator[Block]:
    if run.links.is_empty():
        yield text_block("This run has no links.")
        return
    yield from _confidence_charts(run)
    yield _confidence_table(run)
    yield from _threshold_table(run)
    if truth is None:
        yield note_block(_known_of_reliability(run))


def _confidence_charts(run: Run) -> Iterator[Block]:
    ranges = expected.count_by_confidence(run)
    caption = "Links by confidence"
    if any(own.n_decoys is not None for own in ranges):
        caption += (
            ", beside the decoys that won. The estimate counts a decoy less if the entity that it "
            "copies is surely linked elsewhere"
        )
    yield chart_block(charts.confidence_chart(ranges, caption), caption)
    links = expected.curve_of_links(run)
    if not links:
        return
    decoys = expected.curve_of_decoys(run)
    caption = "Expected share of wrong links, by how many of the surest links you keep"
    caption += "; points: estimated from decoys" if decoys else ""
    yield chart_block(charts.expected_wrong_chart(links, decoys, caption), caption)


def _confidence_table(run: Run) -> Block:
    """Return the links by confidence, with the number of wrong ones where it is known."""
    bands = figures.count_by_band(run)
    cells = bars([band.count for band in bands], [f"{band.count:,}" for band in bands])
    rows: list[list[Cell]] = [[band.name, cell] for band, cell in zip(bands, cells, strict=True)]
    columns = ["confidence", "links"]
    if expected_wrong(run) is not None:
        columns.append("expected wrong")
        for row, band in zip(rows, bands, strict=True):
            row.append(f"{band.n_wrong:,.1f}")
    return table_block("Links by confidence", columns, rows, half=True)


def _threshold_table(run: Run) -> Iterator[Block]:
    """Yield what a threshold keeps, where there is an fdr."""
    cuts = expected.cuts_by_fdr(run)
    if not cuts:
        return
    rows = [
        (
            f"--max-fdr {cut.max_fdr:g}",
            f"{cut.n_links:,}",
            f"{cut.n_wrong:,.1f}",
            "-" if cut.confidence is None else f"{cut.confidence:.3f}",
        )
        for cut in cuts
    ]
    columns = ("threshold", "links kept", "expected wrong", "confidence from")
    yield table_block("What a threshold keeps", columns, rows, half=True)


def _known_of_reliability(run: Run) -> str:
    """Return what is known of the confidence where no truth was given."""
    if expected_wrong(run) is None:
        known = "Confidence is not calibrated in this run: use it to sort links only."
    elif run.info.get("decoys"):
        known = "The expected errors are an estimate, checked with decoys only."
    else:
        known = "The expected errors are an estimate from the scores only; the run had no decoys."
    return f"{known} To compare them with true links: `lighttea report RUN --truth FILE`."


def _evaluation_blocks(run: Run, truth: LinkTable) -> Iterator[Block]:
    evaluation = run.evaluate(truth)
    rank, links = evaluation.ranking, evaluation.links
    shares = {
        "Hits@1": rank.hits_at_1,
        "Hits@10": rank.hits_at_10,
        "MRR": rank.mrr,
        "precision of the links": links.precision,
        "precision, entities in the truth only": evaluation.links_of_known.precision,
        "recall": links.recall,
        "F1": links.f1,
    }
    rows = [(name, Bar(f"{value:.4f}", value)) for name, value in shares.items()]
    bins = figures.reliability_bins(run, truth)
    if bins:
        caption = (
            "Reliability: on the dashed line, links are right as often as their confidence says. "
            "Bars show the range that chance allows"
        )
        yield chart_block(charts.reliability_chart(bins, caption), caption)
    title = f"{evaluation.n_truth:,} true links, {evaluation.n_seeds_left_out:,} seeds left out"
    yield table_block(title, ("figure", "value"), rows, half=True)


# ---------------------------------------------------------------------------------- evidence


def _evidence_blocks(run: Run) -> Iterator[Block]:
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
            Bar(f"{share.link:.3f}", abs(share.link) / longest),
            Bar(f"{share.runner_up:.3f}", abs(share.runner_up) / longest, second=True),
            f"{share.lead:+.3f}",
        )
        for share in shares
    ]
    columns = ("evidence", "adds to a link", "adds to its runner-up", "lead")
    yield table_block("Mean score by evidence", columns, rows)


def _literal_blocks(run: Run) -> Iterator[Block]:
    text, tables = literal_tables(run)
    if text:
        yield text_block(text)
    for table in tables:
        yield table_block(table.caption, table.columns, table.rows)


def _time_blocks(run: Run, time: figures.TimeFigures) -> Iterator[Block]:
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


# ------------------------------------------------------------------------------------- missing


def _missing_blocks(run: Run) -> Iterator[Block]:
    unlinked, names = figures.count_unlinked(run), graph_names(run)
    unsure = _threshold_words(run.info["config"])
    reasons = [
        (names.left, f"no candidate is likely enough{unsure}", unlinked.unsure),
        (names.left, "the best candidate is linked to another entity", unlinked.claimed),
        (names.left, "no candidate: no fact connects it to a seed", unlinked.unreached),
        (names.right, f"no {names.left} entity is linked to it", unlinked.right),
    ]
    if not any(n for *_, n in reasons):
        yield text_block("Every entity of both graphs has a link or is in a seed.")
        return
    cells = bars([n for *_, n in reasons], [f"{n:,}" for *_, n in reasons])
    rows = [(*reason[:2], cell) for reason, cell in zip(reasons, cells, strict=True)]
    yield table_block("Entities without a link", ("graph", "why", "entities"), rows)
    for side in _SIDES:
        yield from _kind_table(run, side, names)
    yield from _period_blocks(run, names)


def _threshold_words(config: Mapping[str, Any]) -> str:
    """Return what is not likely enough by the settings of a run, in brackets."""
    least, most = config["min_confidence"], config.get("max_fdr", 1.0)
    words = [f"confidence below {least:g}"] * bool(least) + [f"fdr above {most:g}"] * (most < 1)
    return f" ({' or '.join(words)})" if words else ""


def _kind_table(run: Run, side: str, names: GraphNames) -> Iterator[Block]:
    """Yield the types or relations whose entities miss most links; seeds count as links."""
    grouped_by, kinds = missing.entities_by_kind(run, side)
    kinds = [kind for kind in kinds if kind.n_unlinked]
    if not kinds:
        return
    rows = [
        (kind.arrow, kind.named, Bar(f"{kind.share:.0%}", kind.share), f"{kind.n_unlinked:,}")
        for kind in kinds
    ]
    columns: Sequence[str] = ("", grouped_by, "linked", "without")
    if grouped_by == "type":
        rows, columns = [row[1:] for row in rows], columns[1:]  # type: ignore[misc]
    place = names.place(side)
    caption = f"Entities {place} by {grouped_by}, most missing links first"
    yield table_block(caption, columns, rows, half=True)


def _period_blocks(run: Run, names: GraphNames) -> Iterator[Block]:
    """Yield the entities of both sides by period, and what undated ones came to."""
    undated = []
    for side in _SIDES:
        own, place = missing.entities_by_period(run, side), names.place(side)
        if own.periods:
            caption = f"Entities {place} by the middle year of their facts"
            yield chart_block(charts.period_chart(own.periods, caption), caption)
        if own.n_undated:
            share = own.n_undated_linked / own.n_undated
            undated.append(
                f"{own.n_undated:,} entities {place} have no dated fact; {share:.0%} of "
                "them are linked."
            )
    if undated:
        yield note_block(" ".join(undated))


# --------------------------------------------------------------------------- input, alarms


def _input_blocks(run: Run) -> Iterator[Block]:
    rows, time_rows, names = [], [], graph_names(run)
    for side, facts in (("left", run.facts_left), ("right", run.facts_right)):
        source = run.info["input"][side]
        counts = tuple(f"{source[name]:,}" for name in ("entities", "relations", "facts"))
        kinds_of_time = figures.count_time_kinds(facts)
        timed = 1 - kinds_of_time["unknown"] / max(len(facts), 1)
        figures_of_side = *counts, f"{timed:.0%}", f"{source.get('literals', 0):,}"
        name = names.of_side(side)
        rows.append((name, side, source["source"] or "given in Python", *figures_of_side))
        time_rows.append((name, *(f"{n:,}" for n in kinds_of_time.values())))
    columns = ("source", "entities", "relations", "facts", "with time", "literals")
    if names == GraphNames():  # the side is all that they are called
        yield table_block("The graphs", ("graph", *columns), [row[1:] for row in rows])
    else:
        yield table_block("The graphs", ("graph", "side", *columns), rows)
    by_year = figures.count_facts_by_year(run)
    if by_year:
        caption = "Time coverage: facts of both graphs by year"
        yield chart_block(charts.coverage_chart(by_year, caption, names), caption)
    yield table_block("Times of the facts", ("graph", *kinds_of_time), time_rows)


def _alarm_blocks(run: Run) -> Iterator[Block]:
    alarms = run.alarms
    if alarms.is_empty():
        yield text_block("The times of the linked facts do not contradict each other.")
        return
    counts = alarms.group_by("kind", maintain_order=True).len()
    linked = alarms.drop_nulls("left").select("left").n_unique()
    links = "link has" if linked == 1 else "links have"
    yield text_block(f"{linked:,} {links} facts whose times contradict each other.")
    if len(counts) > 1:
        rows = [(kind, f"{n:,}") for kind, n in counts.rows()]
        yield table_block("Alarms by kind", ("kind", "alarms"), rows, half=True)
    shown, names = alarms.head(SHOWN_ALARMS).fill_null("both graphs"), graph_names(run)
    left, right = (name_ids(run, side, shown[side]) for side in _SIDES)
    messages = list(zip(left, right, shown["kind"], shown["message"], strict=True))
    limit = f", the first {SHOWN_ALARMS}" if len(alarms) > SHOWN_ALARMS else ""
    columns = (names.left, names.right, "kind", "what")
    yield table_block(f"The alarms{limit}", columns, messages)


# -------------------------------------------------------------------------------------- course


def _course_blocks(run: Run) -> Iterator[Block]:
    rounds, info = run.info["rounds"], run.info
    columns = ("seeds", "left_with_candidates", "promoted")
    rows = [
        (str(i), *(f"{own[c]:,}" for c in columns), f"{own['sinkhorn_marginal_gap']:.3f}")
        for i, own in enumerate(rounds, 1)
    ]
    left = graph_names(run).left
    headers = ("round", "known pairs", f"{left} with candidates", "sure pairs", "Sinkhorn gap")
    yield table_block("Rounds: sure pairs of a round are known pairs in the next", headers, rows)
    seconds = info["seconds"]
    cells = bars(list(seconds.values()), [f"{value:.2f}" for value in seconds.values()])
    stages = [
        (name.replace("_", " "), cell, f"{info['peak_mb'].get(name, 0):,.0f}")
        for name, cell in zip(seconds, cells, strict=True)
    ]
    total = f"{sum(seconds.values()):.1f} s, peak memory {info['peak_rss_mb']:,.0f} MiB"
    yield table_block(f"Stages: {total}", ("stage", "seconds", "peak MiB so far"), stages)
    settings = [(name, str(value)) for name, value in info["config"].items()]
    caption = f"Settings, preset {info['preset']}"
    yield {**table_block(caption, ("name", "value"), settings), "fold": True}
