"""Seconds and memory, rounds, and the protocol beyond the paper (Table 4)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import groupby, product

from lighttea.bench.paper.document import (
    NOTHING,
    Table,
    format_difference,
    format_number,
    format_share,
)
from lighttea.bench.paper.experiments import CLOSED, OPEN, OPEN_WITHOUT_SINKHORN
from lighttea.bench.paper.figures import VERSIONS, Measurement
from lighttea.bench.paper.published import published
from lighttea.bench.paper.tables.common import TIMED, compare, stage_seconds

# the names of the ways to make links under each protocol, and how their figures end (None: none)
_DECODINGS: dict[str, tuple[tuple[str, str | None], ...]] = {
    CLOSED: (("closed", None),),
    OPEN: (("open, one-to-one", ""), ("open, each left entity's best", "_many_to_one")),
    OPEN_WITHOUT_SINKHORN: (("open, each left entity's best, w/o SO", "_many_to_one"),),
}


def _describe(measurement: Measurement, method: str) -> dict[str, str]:
    group = measurement.group
    return {"dataset": group.subject.title, "seeds": f"{group.n_seeds:,}", "method": method}


def times_table(measurements: Sequence[Measurement]) -> Table:
    """Return Table 4 by stage; the paper's seconds are of another machine, with a GPU."""
    records: list[dict[str, str]] = []
    for measurement in measurements:
        theirs = dict(published().times.get(measurement.place, {}))
        for version, round_number in VERSIONS[measurement.group.method]:
            seconds, paper = stage_seconds(measurement, round_number), theirs.pop(version, None)
            stages = {f"seconds by stage: {x.replace('_', ' ')}": seconds[x] for x in TIMED}
            gap = None if paper is None else seconds["total"] - paper
            records.append(
                _describe(measurement, version)
                | {name: format_number(value, 1) for name, value in stages.items()}
                | compare(
                    "in all",
                    format_number(seconds["total"], 1),
                    format_number(paper),
                    format_difference(gap, digits=0),
                )
            )
        if measurement.group.method == "lighttea":
            records += [
                {**_describe(measurement, method), "in all: paper": format_number(value)}
                for method, value in theirs.items()
            ]
    return Table("Time costs in seconds (as Table 4 of the paper)", records, heading_columns=2)


def rounds_table(measurement: Measurement) -> Table:
    """Return what each round of the main runs added."""
    records: list[dict[str, str]] = []
    for number in range(measurement.n_rounds):
        promoted = statistics.fmean(measurement.values("promoted", number))
        records.append(
            {
                "round": str(number + 1),
                "Hits@1": _mean(measurement, "hits@1", number),
                "MRR": _mean(measurement, "mrr", number),
                "pairs promoted": format_number(promoted),
                "of them right": _mean(measurement, "promoted_precision", number),
            }
        )
    group = measurement.group
    return Table(f"Rounds on {group.subject.title} with {group.n_seeds:,} seeds", records)


def protocol_table(measurements: Sequence[Measurement]) -> Table:
    """Return closed and open candidates; links with and without the one-to-one assumption."""
    records: list[dict[str, str]] = []
    for _, same in groupby(measurements, key=lambda x: x.group.subject.digest):
        of_dataset = list(same)
        versions = VERSIONS[of_dataset[0].group.method]
        for (version, round_number), measurement in product(versions, of_dataset):
            for decoding, suffix in _DECODINGS[measurement.group.label]:
                record = {**_describe(measurement, version), "candidates and links": decoding}
                for name in ("Hits@1", "Hits@10", "MRR"):
                    value = _mean(measurement, name.lower(), round_number)
                    record[f"test pairs: {name}"] = value
                for name in ("precision", "recall", "F1"):
                    record[f"links: {name}"] = (
                        NOTHING
                        if suffix is None
                        else _mean(measurement, name.lower() + suffix, round_number)
                    )
                records.append(record)
    return Table("Closed and open candidates", records, heading_columns=3)


def _mean(measurement: Measurement, metric: str, round_number: int) -> str:
    return format_share(statistics.fmean(measurement.values(metric, round_number)))


def costs_table(measurements: Sequence[Measurement]) -> Table:
    """Return seconds from files to figures, with the time similarity, and the peak of memory."""
    records: list[dict[str, str]] = []
    for measurement in measurements:
        version, last = VERSIONS[measurement.group.method][-1]
        seconds = stage_seconds(measurement, last)
        peak = max(run["peak_rss_mb"] for run in measurement.runs)
        records.append(
            {
                **_describe(measurement, version),
                "candidates": measurement.group.label,
                "seconds, files to figures": format_number(seconds["total"], 1),
                "of them time similarity": format_number(seconds["time_similarity"], 1),
                "peak memory, MiB": format_number(peak),
            }
        )
    return Table("Cost from files to figures", records, heading_columns=2)
