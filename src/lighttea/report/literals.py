"""Which attributes of a run say the same, and which were left out, as tables of the report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lighttea.display import Named
from lighttea.results.names import RELATION, graph_names, name_ids
from lighttea.results.run import Run

SHOWN_MATCHES = 30


@dataclass(frozen=True)
class LiteralFigures:
    """A table with its caption."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | Named]]


def literal_tables(run: Run) -> tuple[str, list[LiteralFigures]]:
    """Return a sentence on the literals of a run, and its tables; nothing where it has none."""
    n_literals = len(run.attributes_left), len(run.attributes_right)
    info = run.info.get("literals", {"used": False})
    if not any(n_literals) and not info["used"]:
        return "", []
    names = graph_names(run)
    places = names.place("left"), names.place("right")
    noun = "literal" if n_literals[0] == 1 else "literals"
    left, right = f"{n_literals[0]:,} {noun} {places[0]}", f"{n_literals[1]:,} {places[1]}"
    if not info["used"]:
        return f"The graphs have {left} and {right}. This run did not use them.", []
    ids = (
        ", and the ids of the entities"
        if any(info["ids_used"].values())
        else ", but not the ids of the entities"
    )
    tables = [*_match_table(run), *_left_out_table(run, info["left_out"])]
    return f"This run compared {left} with {right}{ids}.", tables


def _match_table(run: Run) -> Iterator[LiteralFigures]:
    """Yield the attributes that say the same, those that tell most first."""
    matches = run.attribute_matches
    if matches.is_empty():
        return
    limit = f", the first {SHOWN_MATCHES}" if len(matches) > SHOWN_MATCHES else ""
    bits = "bits if they agree", "bits if they differ"
    names, shown = graph_names(run), matches.head(SHOWN_MATCHES)
    columns = (names.left, names.right, "links with both", "agree", *bits)
    left, right = (name_ids(run, side, shown[side], RELATION) for side in ("left", "right"))
    figures = map(_match_figures, shown.rows(named=True))
    rows: list[list[str | Named]] = [
        [a, b, *own] for a, b, own in zip(left, right, figures, strict=True)
    ]
    yield LiteralFigures(f"Attributes that match{limit}", columns, rows)


def _match_figures(row: dict[str, Any]) -> tuple[str, ...]:
    against = "" if row["different"] is None else f"{row['different'] / math.log(2):.1f}"
    return f"{row['known']:,}", f"{row['agreeing']:,}", f"{row['bits']:.1f}", against


def _left_out_table(run: Run, left_out: dict[str, Sequence[str]]) -> Iterator[LiteralFigures]:
    """Yield the attributes that did not count, where there are any."""
    names = graph_names(run)
    rows = [
        (names.of_side(side), attribute)
        for side, ids in left_out.items()
        for attribute in name_ids(run, side, ids, RELATION)
    ]
    if rows:
        caption = "Unused attributes: none on the other side matches"
        yield LiteralFigures(caption, ("graph", "attribute"), rows)
