"""What the dataset folders are, how large, and what they give away (Table 1)."""

from __future__ import annotations

from collections.abc import Sequence

from lighttea.bench.paper.document import (
    NOTHING,
    Column,
    Difference,
    Row,
    Table,
    share,
    whole,
)
from lighttea.bench.paper.published import published
from lighttea.bench.paper.subjects import Missing, Subject
from lighttea.bench.paper.tables.common import (
    word,
)
from lighttea.datasets.registry import REGISTRY
from lighttea.datasets.statistics import Statistics


def statistics_table(subjects: Sequence[Subject]) -> Table:
    """Table 1: our count, the paper's, the difference."""
    names = ("|E1|", "|E2|", "|R1|", "|R2|", "|T*|", "|Q1|", "|Q2|", "|S|", "|C|")
    rows: list[Row] = []
    for subject in subjects:
        for n_seeds in subject.seeds:
            ours = _counts(subject.statistics, n_seeds)
            title = (subject.title, f"{n_seeds:,}")
            rows.append(Row((*title, "ours", *map(whole, ours))))
            if (subject.reference, n_seeds) in published().results:
                theirs = _counts(REGISTRY[subject.reference or ""].statistics, n_seeds)
                pairs = zip(ours, theirs, strict=True)
                gaps = tuple(Difference((a or 0) - (b or 0), digits=0) for a, b in pairs)
                rows.append(Row((*title, "paper", *map(whole, theirs)), muted=True))
                rows.append(Row((*title, "Δ", *gaps)))
    return Table(
        "Sizes of the datasets (as Table 1 of the paper)",
        (word("dataset"), Column("seeds"), word("whose"), *map(Column, names)),
        tuple(rows),
        "Entities E, relations R, ticks T*, facts Q, seeds S, test pairs C; 1 is left, 2 right. "
        "T* counts the ids that the folder's time_id lists, the unknown time's included.",
        heading_columns=2,
    )


def _counts(sizes: Statistics, n_seeds: int) -> tuple[int | None, ...]:
    sides = (sizes.entities, sizes.relations, sizes.facts)
    entities, relations, facts = ((None, None) if pair is None else pair for pair in sides)
    test = None if sizes.pairs is None else sizes.pairs - n_seeds
    return (*entities, *relations, sizes.ticks, *facts, n_seeds, test)


def identity_table(subjects: Sequence[Subject]) -> Table:
    """What each folder is, by its bytes, and what the paper does not count."""
    rows = []
    for one in subjects:
        undated = (share(value) for value in one.undated)
        cells = (one.title, one.folder.name, _identity(one), one.digest[:12])
        rows.append(Row((*cells, *map(whole, one.dangling()), *undated, whole(one.ticks_used))))
    return Table(
        "What the folders are",
        (
            *(word(name) for name in ("dataset", "folder", "what it is", "digest")),
            Column("left", "dangling"),
            Column("right", "dangling"),
            Column("left", "facts without time"),
            Column("right", "facts without time"),
            Column("different ticks"),
        ),
        tuple(rows),
        "A folder is a published dataset only when the digests of its files say so. Dangling "
        "entities have no counterpart. Two ids of one date are one tick.",
    )


def _identity(subject: Subject) -> str:
    if subject.is_published:
        return "the published files"
    if subject.reference:
        return f"not the published {subject.reference}: its sizes, other bytes"
    return "not a known dataset"


def missing_table(absent: Sequence[Missing]) -> Table:
    """Published datasets that are not there, and where they come from."""
    rows = tuple(Row((one.name, one.stand_in or NOTHING, one.how_to_get)) for one in absent)
    columns = (word("dataset"), word("in its place"), word("how to get it"))
    note = "`lighttea datasets fetch` tries to get one from its source."
    return Table("Published datasets that are not in the data folder", columns, rows, note)


def leaks_table(subjects: Sequence[Subject]) -> Table:
    """What can be had without aligning anything."""
    rows = []
    for one in subjects:
        joined: tuple[float | None, ...] = (None,) * 4
        if one.names is not None:
            links = one.names.open_links
            joined = (one.names.hits_at_1, links.precision, links.recall, links.f1)
        rows.append(Row((one.title, share(one.sorted_ids), *map(share, joined))))
    columns = (
        word("dataset"),
        Column("Hits@1", "ids sorted and zipped"),
        Column("Hits@1", "exact names"),
        *(Column(name, "exact names, open") for name in ("precision", "recall", "F1")),
    )
    note = (
        "Over all known pairs. Nothing here is an alignment: the first column reads the order of "
        "the ids, the others join equal names. The benches above see neither."
    )
    return Table("What ids and names give away", columns, tuple(rows), note)
