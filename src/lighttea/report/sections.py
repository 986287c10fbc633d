"""The sections of a report below its first screen."""

from __future__ import annotations

from collections.abc import Iterator

from lighttea.display import GraphNames
from lighttea.inputs.links import LinkTable
from lighttea.report import charts, figures
from lighttea.report.blocks import Block, Section, bars, chart_block, table_block, text_block
from lighttea.report.confidence_blocks import confidence_blocks, evaluation_blocks
from lighttea.report.evidence_blocks import evidence_blocks, literal_blocks, time_blocks
from lighttea.report.link_blocks import link_block
from lighttea.report.missing_blocks import missing_blocks
from lighttea.results.names import graph_names, name_ids
from lighttea.results.run import Run

SHOWN_LINKS = 6
SHOWN_ALARMS = 30
_SIDES = ("left", "right")


def sections_of(run: Run, truth: LinkTable | None, time: figures.TimeFigures) -> Iterator[Section]:
    """Yield the sections, in the order of the questions that a reader has."""
    yield Section("Warnings", [{"items": run.info["warnings"]}] if run.info["warnings"] else [])
    yield Section("How sure are the links?", list(confidence_blocks(run, truth)))
    if truth is not None:
        yield Section("Against the truth", list(evaluation_blocks(run, truth)))
    yield Section("What do the links rest on?", list(evidence_blocks(run)))
    yield Section("Is time helping?", list(time_blocks(run, time)))
    yield Section("Where are links missing?", list(missing_blocks(run)))
    yield Section("Temporal alarms", list(_alarm_blocks(run)))
    yield Section("Inputs", list(_input_blocks(run)))
    yield Section("Literals", list(literal_blocks(run)))
    sure, unsure = figures.select_links(run, SHOWN_LINKS)
    yield Section("The least certain links", [link_block(run.explain(left)) for left in unsure])
    yield Section("The most certain links", [link_block(run.explain(left)) for left in sure])
    yield Section("Rounds and stages", list(_course_blocks(run)))


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
        rows.append((name, side, *figures_of_side))
        time_rows.append((name, *(f"{n:,}" for n in kinds_of_time.values())))
    columns = ("entities", "relations", "facts", "with time", "literals")
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
