"""Which attributes of a run say the same, and which were left out, as tables of the report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lighttea.explain.explanation import last_part
from lighttea.results.run import Run

SHOWN_MATCHES = 30


class ShortName(str):
    """The last part of an IRI, which is its `whole`."""

    __slots__ = ("whole",)
    whole: str

    @classmethod
    def of(cls, name: str) -> ShortName:
        """Return a name in short; any name but an IRI stays as it is."""
        short = cls(last_part(name))
        short.whole = name
        return short


@dataclass(frozen=True)
class LiteralFigures:
    """A table with its caption."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def literal_tables(run: Run) -> tuple[str, list[LiteralFigures]]:
    """Return a sentence on the literals of a run, and its tables; nothing where it has none."""
    n_literals = len(run.attributes_left), len(run.attributes_right)
    info = run.info.get("literals", {"used": False})
    if not any(n_literals) and not info["used"]:
        return "", []
    counts = f"{n_literals[0]:,} left and {n_literals[1]:,} right literals"
    if not info["used"]:
        return f"The graphs have {counts}. They took no part in this run.", []
    ids = (
        ", and so did the ids of the entities"
        if any(info["ids_used"].values())
        else "; ids of entities did not"
    )
    return f"{counts} took part{ids}.", [*_match_table(run), *_left_out_table(info["left_out"])]


def _match_table(run: Run) -> Iterator[LiteralFigures]:
    """Yield the attributes that say the same, those that tell most first."""
    matches = run.attribute_matches
    if matches.is_empty():
        return
    limit = f", the first {SHOWN_MATCHES}" if len(matches) > SHOWN_MATCHES else ""
    bits = "bits if they agree", "bits if they differ"
    columns = ("left", "right", "links know both", "agree", *bits)
    yield LiteralFigures(
        f"Attributes that say the same{limit}",
        columns,
        [_match_row(row) for row in matches.head(SHOWN_MATCHES).rows(named=True)],
    )


def _match_row(row: dict[str, Any]) -> tuple[str, ...]:
    against = "" if row["different"] is None else f"{row['different'] / math.log(2):.1f}"
    counts = f"{row['known']:,}", f"{row['agreeing']:,}", f"{row['bits']:.1f}"
    return ShortName.of(row["left"]), ShortName.of(row["right"]), *counts, against


def _left_out_table(left_out: dict[str, Sequence[str]]) -> Iterator[LiteralFigures]:
    """Yield the attributes that did not count, where there are any."""
    rows = [(side, ShortName.of(name)) for side, names in left_out.items() for name in names]
    if rows:
        caption = "Attributes that were left out: nothing on the other side says the same"
        yield LiteralFigures(caption, ("graph", "attribute"), rows)
