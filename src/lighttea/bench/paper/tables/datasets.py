"""What the dataset folders are, how large, and what they give away (Table 1)."""

from __future__ import annotations

from collections.abc import Sequence

from lighttea.bench.paper.document import (
    NOTHING,
    Table,
    format_difference,
    format_number,
    format_share,
)
from lighttea.bench.paper.published import published
from lighttea.bench.paper.subjects import Missing, Subject
from lighttea.datasets.registry import REGISTRY
from lighttea.datasets.statistics import Statistics

_SYMBOLS = ("|E1|", "|E2|", "|R1|", "|R2|", "|T*|", "|Q1|", "|Q2|", "|S|", "|C|")


def statistics_table(subjects: Sequence[Subject]) -> Table:
    """Return Table 1: our count, the paper's, the difference."""
    records: list[dict[str, str]] = []
    for subject in subjects:
        for n_seeds in subject.seeds:
            head = {"dataset": subject.title, "seeds": f"{n_seeds:,}"}
            ours = _counts(subject.statistics, n_seeds)
            records.append(head | {"whose": "ours"} | _format(ours))
            if (subject.reference, n_seeds) in published().results:
                theirs = _counts(REGISTRY[subject.reference or ""].statistics, n_seeds)
                gaps = {x: (ours[x] or 0) - (theirs[x] or 0) for x in ours}
                shown = {name: format_difference(gap, digits=0) for name, gap in gaps.items()}
                records.append(head | {"whose": "paper"} | _format(theirs))
                records.append(head | {"whose": "Δ"} | shown)
    return Table(
        "Sizes of the datasets (as Table 1 of the paper)",
        records,
        "Entities E, relations R, ticks T*, facts Q, seeds S, test pairs C; 1 is left, 2 right. "
        "T* counts the ids that the folder's time_id lists, the unknown time's included.",
        heading_columns=2,
    )


def _counts(sizes: Statistics, n_seeds: int) -> dict[str, int | None]:
    """Return the sizes by the paper's symbols."""
    sides = (sizes.entities, sizes.relations, sizes.facts)
    entities, relations, facts = ((None, None) if pair is None else pair for pair in sides)
    test = None if sizes.pairs is None else sizes.pairs - n_seeds
    counts = (*entities, *relations, sizes.ticks, *facts, n_seeds, test)
    return dict(zip(_SYMBOLS, counts, strict=True))


def _format(counts: dict[str, int | None]) -> dict[str, str]:
    return {name: format_number(count) for name, count in counts.items()}


def identity_table(subjects: Sequence[Subject]) -> Table:
    """Return what each folder is, by its bytes, and what the paper does not count."""
    records: list[dict[str, str]] = []
    for subject in subjects:
        record = {
            "dataset": subject.title,
            "folder": subject.folder.name,
            "what it is": _identity(subject),
            "digest": subject.digest[:12],
        }
        for side, count in zip(("left", "right"), subject.dangling(), strict=True):
            record[f"dangling: {side}"] = format_number(count)
        for side, share in zip(("left", "right"), subject.undated, strict=True):
            record[f"facts without time: {side}"] = format_share(share)
        records.append({**record, "different ticks": format_number(subject.ticks_used)})
    note = (
        "A folder is a published dataset only when the digests of its files say so. Dangling "
        "entities have no counterpart. Two ids of one date are one tick."
    )
    return Table("What the folders are", records, note)


def _identity(subject: Subject) -> str:
    if subject.is_published:
        return "the published files"
    if subject.reference:
        return f"not the published {subject.reference}: its sizes, other bytes"
    return "not a known dataset"


def missing_table(missing: Sequence[Missing]) -> Table:
    """Return the published datasets that are not there, and where they come from."""
    records = [
        {"dataset": x.name, "in its place": x.stand_in or NOTHING, "how to get it": x.how_to_get}
        for x in missing
    ]
    note = "`lighttea datasets fetch` tries to get one from its source."
    return Table("Published datasets that are not in the data folder", records, note)


def leaks_table(subjects: Sequence[Subject]) -> Table:
    """Return what can be had without aligning anything."""
    records: list[dict[str, str]] = []
    for subject in subjects:
        record = {
            "dataset": subject.title,
            "ids sorted and zipped: Hits@1": format_share(subject.sorted_ids),
        }
        if subject.names is not None:
            record["exact names: Hits@1"] = format_share(subject.names.hits_at_1)
            for name in ("precision", "recall", "F1"):
                share = getattr(subject.names.open_links, name.lower())
                record[f"exact names, open: {name}"] = format_share(share)
        records.append(record)
    note = (
        "Over all known pairs. Nothing here is an alignment: the first column reads the order of "
        "the ids, the others join equal names. The benches above see neither."
    )
    return Table("What ids and names give away", records, note)
