"""Where links are missing: the blocks of a report on entities without a link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lighttea.display import GraphNames
from lighttea.report import charts, figures, missing
from lighttea.report.blocks import (
    Bar,
    Block,
    bars,
    chart_block,
    note_block,
    table_block,
    text_block,
)
from lighttea.results.names import graph_names
from lighttea.results.run import Run

_SIDES = ("left", "right")


def missing_blocks(run: Run) -> Iterator[Block]:
    """Yield why entities have no link, and of which types, relations and periods they are."""
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
