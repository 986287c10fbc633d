"""What a run says of its literals: which attributes say the same, and which were left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lighttea.evidence.attribute_checks import JudgedAttributes
from lighttea.evidence.attributes import AttributeMatches
from lighttea.evidence.conflicts import stored_conflicts
from lighttea.evidence.literals import LiteralEvidence, literal_tokens
from lighttea.literals.table import LiteralTable
from lighttea.results.names import RELATION, graph_names, name_ids
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from lighttea.types import Bools

_COUNTS = ("known", "agreeing")
_SHARES = ("chance", "log_ratio")


def attribute_matches_frame(evidence: LiteralEvidence | None) -> pl.DataFrame:
    """Return the couples of attributes that say the same, those that tell most first."""
    if evidence is None or evidence.matches is None:
        return empty_table("attribute_matches")
    matches, names = evidence.matches, evidence.table.names
    conflicts = {(c.left, c.right): c for c in evidence.conflicts}
    couples = list(zip(matches.left.tolist(), matches.right.tolist(), strict=True))
    return pl.DataFrame(
        {
            "left": [names[left] for left, _ in couples],
            "right": [names[right] for _, right in couples],
            **{name: getattr(matches, name) for name in (*_COUNTS, *_SHARES)},
            "bits": matches.bits,
            "similar": [conflicts[c].similar if c in conflicts else None for c in couples],
            "different": [conflicts[c].different if c in conflicts else None for c in couples],
        },
        schema=empty_table("attribute_matches").schema,
    )


def literals_info(evidence: LiteralEvidence | None) -> dict[str, Any]:
    """Return what `run.json` tells of the literals."""
    if evidence is None:
        return {"used": False}
    table, usable = evidence.table, evidence.usable
    is_left = np.arange(table.n_attributes) < table.n_left_attributes
    return {
        "used": bool(evidence.tokens),
        "ids_used": dict(zip(("left", "right"), usable[table.is_id].tolist(), strict=True)),
        "left_out": {
            side: [table.names[i] for i in np.flatnonzero(~usable & own & ~table.is_id).tolist()]
            for side, own in (("left", is_left), ("right", ~is_left))
        },
    }


def describe_matches(run: Run, n: int | None = None) -> list[str]:
    """Return the first n couples of attributes, all by default, in words, the most telling first.

    Each tells how often the two agree, and what that is worth.
    """
    rows = run.attribute_matches if n is None else run.attribute_matches.head(n)
    names = graph_names(run)
    left, right = (name_ids(run, side, rows[side], RELATION) for side in ("left", "right"))
    return [
        f"{own.text} ({names.left}) ~ {other.text} ({names.right}): {agreeing:,} of {known:,} "
        f"agree, worth {bits:.1f} bits each"
        for own, other, (agreeing, known, bits) in zip(
            left, right, rows.select("agreeing", "known", "bits").rows(), strict=True
        )
    ]


def stored_literals(run: Run, table: LiteralTable) -> LiteralEvidence:
    """Return what literals were worth in the last round of a run."""
    usable = _usable(run, table)
    matches = _matches(run.attribute_matches, table)
    tokens = list(literal_tokens(table, usable, matches))
    conflicts = tuple(stored_conflicts(table.of_attributes(usable), _weights(run, table)))
    judged = JudgedAttributes((), usable, np.zeros_like(usable))
    return LiteralEvidence(table, judged, usable, tokens, matches, lambda: conflicts)


def _usable(run: Run, table: LiteralTable) -> Bools:
    info = run.info.get("literals", {"used": False})
    usable = np.full(table.n_attributes, bool(info["used"]))
    if not info["used"]:
        return usable
    left_out = info["left_out"]
    for number, name in enumerate(table.names):
        side = "left" if number < table.n_left_attributes else "right"
        usable[number] = name not in left_out[side]
    usable[table.is_id] = [info["ids_used"][side] for side in ("left", "right")]
    return usable


def _places(table: LiteralTable) -> tuple[dict[str, int], dict[str, int]]:
    """Return the numbers of the left and the right attributes by their names."""
    n_left = table.n_left_attributes
    left = {name: number for number, name in enumerate(table.names[:n_left])}
    return left, {name: n_left + number for number, name in enumerate(table.names[n_left:])}


def _matches(frame: pl.DataFrame, table: LiteralTable) -> AttributeMatches | None:
    if frame.is_empty():
        return None
    left, right = _places(table)
    return AttributeMatches(
        left=np.array([left[name] for name in frame["left"]]),
        right=np.array([right[name] for name in frame["right"]]),
        **{name: frame[name].to_numpy() for name in (*_COUNTS, *_SHARES)},
        n_attributes=table.n_attributes,
    )


def _weights(run: Run, table: LiteralTable) -> list[tuple[int, int, float, float]]:
    """Return the couples of attributes whose differences count, and what they count."""
    left, right = _places(table)
    rows = run.attribute_matches.filter(pl.col("different").is_not_null())
    columns = rows.select("left", "right", "similar", "different").iter_rows()
    return [(left[a], right[b], similar, different) for a, b, similar, different in columns]
