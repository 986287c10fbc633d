"""Seconds and memory, rounds, and the protocol beyond the paper (Table 4)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import groupby, product

from lighttea.bench.paper.document import (
    NOTHING,
    Column,
    Difference,
    Row,
    Table,
    seconds,
    share,
    whole,
)
from lighttea.bench.paper.experiments import CLOSED, OPEN, OPEN_WITHOUT_SINKHORN
from lighttea.bench.paper.figures import VERSIONS, Measured
from lighttea.bench.paper.published import published
from lighttea.bench.paper.tables.common import (
    TIMED,
    TRIPLE,
    stage_seconds,
    word,
)

_DECODINGS: dict[str, tuple[tuple[str, str | None], ...]] = {
    CLOSED: (("closed", None),),
    OPEN: (("open, one-to-one", ""), ("open, each left entity's best", "_many_to_one")),
    OPEN_WITHOUT_SINKHORN: (("open, each left entity's best, w/o SO", "_many_to_one"),),
}


def times_table(found: Sequence[Measured]) -> Table:
    """Table 4 by stage; the paper's seconds are of another machine, with a GPU."""
    rows: list[Row] = []
    for one in found:
        subject, theirs = one.group.subject, published().times.get(one.place, {})
        where = (subject.title, f"{one.group.n_seeds:,}")
        for version, round_number in VERSIONS[one.group.method]:
            ours = stage_seconds(one, round_number)
            paper = theirs.get(version)
            gap = NOTHING if paper is None else Difference(ours["total"] - paper, digits=0)
            stages = (seconds(ours[name]) for name in (*TIMED, "total"))
            rows.append(Row((*where, version, *stages, whole(paper), gap)))
        others = [x for x in theirs if x not in ("LightTEA*", "LightTEA")]
        for method in others if one.group.method == "lighttea" else ():
            cells = (*where, method, *(NOTHING for _ in (*TIMED, "total")))
            rows.append(Row((*cells, whole(theirs[method]), NOTHING), muted=True))
    columns = (
        word("dataset"),
        Column("seeds"),
        word("method"),
        *(Column(name.replace("_", " "), "seconds by stage") for name in TIMED),
        *(Column(name, "in all") for name in TRIPLE),
    )
    caption = "Time costs in seconds (as Table 4 of the paper)"
    return Table(caption, columns, tuple(rows), heading_columns=2)


def rounds_table(one: Measured) -> Table:
    """What each round of the main runs brought."""
    n_rounds = min(len(run["per_run"][0]["rounds"]) for run in one.runs)
    rows = []
    for number in range(n_rounds):
        hits, mrr, promoted, right = (
            statistics.fmean(one.values(name, number))
            for name in ("hits@1", "mrr", "promoted", "promoted_precision")
        )
        rows.append(Row((str(number + 1), share(hits), share(mrr), whole(promoted), share(right))))
    columns = ("round", "Hits@1", "MRR", "pairs promoted", "of them right")
    caption = f"Rounds on {one.group.subject.title} with {one.group.n_seeds:,} seeds"
    return Table(caption, tuple(map(Column, columns)), tuple(rows))


def protocol_table(found: Sequence[Measured]) -> Table:
    """Closed and open candidates; links with and without the one-to-one assumption."""
    rows: list[Row] = []
    for _, group in groupby(found, key=lambda one: one.group.subject.digest):
        ours = list(group)
        for (version, round_number), one in product(VERSIONS[ours[0].group.method], ours):
            where = (one.group.subject.title, f"{one.group.n_seeds:,}", version)
            for decoding, suffix in _DECODINGS[one.group.label]:
                cells = _ranks_and_links(one, round_number, suffix)
                rows.append(Row((*where, decoding, *cells)))
    columns = (
        word("dataset"),
        Column("seeds"),
        word("method"),
        word("candidates and links"),
        *(Column(name, "test pairs") for name in ("Hits@1", "Hits@10", "MRR")),
        *(Column(name, "links") for name in ("precision", "recall", "F1")),
    )
    return Table("Closed and open candidates", columns, tuple(rows), heading_columns=3)


def _ranks_and_links(one: Measured, round_number: int, suffix: str | None) -> list[str]:
    """Figures of the test pairs, and of the links decoded in one way, where there are links."""
    ranks = [_mean(one, name, round_number) for name in ("hits@1", "hits@10", "mrr")]
    if suffix is None:
        return [*ranks, NOTHING, NOTHING, NOTHING]
    names = (f"{name}{suffix}" for name in ("precision", "recall", "f1"))
    return [*ranks, *(_mean(one, name, round_number) for name in names)]


def _mean(one: Measured, metric: str, round_number: int) -> str:
    return share(statistics.fmean(one.values(metric, round_number)))


def costs_table(found: Sequence[Measured]) -> Table:
    """End to end: seconds with the time similarity, and the peak of memory."""
    rows = []
    for one in found:
        subject = one.group.subject
        version, last = VERSIONS[one.group.method][-1]
        ours = stage_seconds(one, last)
        peak = max(run["peak_rss_mb"] for run in one.runs)
        cells = (seconds(ours["total"]), seconds(ours["time_similarity"]), whole(peak))
        where = (subject.title, f"{one.group.n_seeds:,}", version, one.group.label)
        rows.append(Row((*where, *cells)))
    columns = (
        word("dataset"),
        Column("seeds"),
        word("method"),
        word("candidates"),
        Column("seconds, files to figures"),
        Column("of them time similarity"),
        Column("peak memory, MiB"),
    )
    return Table("Cost from files to figures", columns, tuple(rows), heading_columns=2)
