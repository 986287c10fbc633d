"""The default preset beside the paper's method, and both beside other publications."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

import lighttea
from lighttea.bench.paper.document import NOTHING, Table, format_share
from lighttea.bench.paper.experiments import OPEN
from lighttea.bench.paper.figures import Figure, Measurement
from lighttea.bench.paper.published import METRICS, published
from lighttea.bench.paper.subjects import Subject
from lighttea.bench.paper.tables.common import METRIC_NAMES, name_metric

_METRICS = {name: METRIC_NAMES[name] for name in ("hits@1", "hits@10", "mrr")}  # as columns


def beside_table(subject: Subject, n_seeds: int, figures: Sequence[Figure]) -> Table:
    """Return all methods of a dataset and a number of seeds, the best first: ours and others'.

    `figures` are ours, of the paper's method and of the default preset. There are no rows where no
    other publication has figures.
    """
    place = (subject.reference or "", n_seeds)
    others = [*_published_rows(place), *_elsewhere_rows(place)]
    records = sorted(others + _our_rows(figures), key=lambda x: x["Hits@1"], reverse=True)
    caption = f"Beside other publications: {subject.title}, {n_seeds:,} seeds"
    note = "No names. A star means supervised, without pairs that the method finds itself."
    return Table(caption, records if others else [], note)


def _our_rows(figures: Sequence[Figure]) -> list[dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    for figure in figures:
        cells = {"method": f"{figure.method}, here", **dict.fromkeys(_METRICS.values(), NOTHING)}
        row = rows.setdefault(figure.method, cells)
        row[name_metric(figure)] = format_share(figure.mean, figure.std)
    source = {"year": NOTHING, "source": f"lighttea {lighttea.__version__}"}
    return [row | source for row in rows.values()]


def _published_rows(place: tuple[str, int]) -> list[dict[str, str]]:
    results = published().results.get(place)
    return [
        _row(method, dict(zip(METRICS, figures, strict=True)), 2023, "the paper, Table 2")
        for _, method, figures in (results.rows() if results else ())
    ]


def _elsewhere_rows(place: tuple[str, int]) -> list[dict[str, str]]:
    return [
        _row(x.method, x.figures, x.year, x.full_source)
        for x in published().elsewhere
        if (x.dataset, x.seeds) == place
    ]


def _row(method: str, figures: Mapping[str, float], year: int, source: str) -> dict[str, str]:
    cells = {name: format_share(figures.get(metric)) for metric, name in _METRICS.items()}
    return {"method": method, **cells, "year": str(year), "source": source}


def best_table(measurements: Sequence[Measurement], main: Sequence[Measurement]) -> Table:
    """Return the default preset beside the paper's method; links are of the open protocol."""
    records = []
    for measurement in measurements:
        group = measurement.group
        if group.label == OPEN:
            continue
        place = (group.subject.digest, group.n_seeds)
        record = {"dataset": group.subject.title, "seeds": f"{group.n_seeds:,}"}
        paper = [
            x for x in main if _place(x) == place and x.group.method == x.group.subject.methods[0]
        ]
        for metric, name in _METRICS.items():
            record[f"{name}: best"] = _mean(measurement, metric)
            record[f"{name}: the paper's method"] = _mean(paper[0], metric) if paper else NOTHING
        opened = [x for x in measurements if _place(x) == place and x.group.label == OPEN]
        for name in ("precision", "recall", "F1"):
            share = _mean(opened[0], name.lower()) if opened else NOTHING
            record[f"links of best: {name}"] = share
        records.append(record)
    return Table("The default preset beside the paper's method", records, heading_columns=1)


def _place(measurement: Measurement) -> tuple[str, int]:
    return measurement.group.subject.digest, measurement.group.n_seeds


def _mean(measurement: Measurement, metric: str) -> str:
    return format_share(statistics.fmean(measurement.values(metric, -1)))
