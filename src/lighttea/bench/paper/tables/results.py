"""Main results, ablation, dimensions and weights (Tables 2, 3, 5 and the figure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lighttea.bench.paper.document import (
    NOTHING,
    Table,
    format_difference,
    format_p_value,
    format_share,
)
from lighttea.bench.paper.figures import Figure, TTest
from lighttea.bench.paper.published import STAR, published
from lighttea.bench.paper.subjects import Subject
from lighttea.bench.paper.tables.common import (
    METRIC_NAMES,
    compare,
    compare_figure,
    describe_place,
    join_figures,
    name_metric,
)


def glance_table(figures: Sequence[Figure]) -> Table:
    """Return Hits@1 of the main results, all datasets and methods."""
    records = [
        {"dataset": figure.subject.title, "seeds": f"{figure.n_seeds:,}", "method": figure.method}
        | compare_figure(figure, name_metric(figure))
        for figure in figures
        if figure.section == "main" and figure.metric == "hits@1"
    ]
    note = "A star means supervised: one round."
    return Table("Hits@1 of the main results", records, note, heading_columns=2)


def main_table(subject: Subject, n_seeds: int, figures: Sequence[Figure]) -> Table:
    """Return Table 2 for one dataset: our methods against the paper's, baselines as published."""
    records = join_figures("method", lambda x: x.method, name_metric, figures)
    ours = {record["method"]: record for record in records}
    rows: list[dict[str, str]] = []
    results = published().results.get((subject.reference or "", n_seeds))
    for category, method, theirs in results.rows() if results else ():
        record = {"category": category, "method": method}
        for metric, value in zip(METRIC_NAMES.values(), theirs, strict=True):
            record |= compare(metric, NOTHING, format_share(value))
        rows.append(record | ours.pop(method, {}))
    for method, cells in ours.items():  # where the paper has no figures
        category = "supervised" if method.endswith(STAR) else "semi-supervised"
        rows.append({"category": category, **cells})
    caption = f"Main results on {subject.title} with {n_seeds:,} seeds (as Table 2 of the paper)"
    return Table(caption, rows, heading_columns=1)


def t_test_table(tests: Sequence[TTest]) -> Table:
    """Return the p-values, ours and the paper's."""
    records = [
        {
            "dataset": describe_place(test.figure),
            "method": test.figure.method,
            "figure": name_metric(test.figure),
            "ours": format_share(test.figure.mean, test.figure.std),
            "strongest baseline": test.baseline,
            "its figure": format_share(test.baseline_figure),
            "Δ": format_difference(test.figure.mean - test.baseline_figure),
            "p-value: ours": format_p_value(test.p_value),
            "p-value: paper": format_p_value(test.paper_p_value),
        }
        for test in tests
    ]
    note = "One-sample, two-sided t-test of our runs against the best published baseline."
    return Table("Our runs against the strongest baseline", records, note, heading_columns=1)


def ablation_table(subject: Subject, figures: Sequence[Figure]) -> Table:
    """Return Table 3 for one dataset."""
    return Table(
        f"Ablation on {subject.title} with {subject.study:,} seeds (as Table 3 of the paper)",
        join_figures("method", lambda x: x.label or x.method, name_metric, figures),
        "TLP: temporal propagation. TC: temporal constraint. SO: Sinkhorn operator.",
    )


def dimension_table(subject: Subject, figures: Sequence[Figure]) -> Table:
    """Return Table 5 for one dataset."""
    place = f"{subject.title} with {subject.study:,} seeds"
    return Table(
        f"Hits@1 by dimension on {place} (as Table 5 of the paper)",
        join_figures("dimension", lambda x: x.label, lambda x: x.method, figures),
        "One run a point. The width of the last hop's sketch follows the dimension.",
    )


def weights_table(subject: Subject, sweeps: Mapping[str, Sequence[Figure]]) -> Table:
    """Return the paper's figure in numbers: alpha and beta side by side."""
    records: dict[str, dict[str, str]] = {}
    for name, figures in sweeps.items():
        for figure in figures:
            record = records.setdefault(figure.label, {"weight": figure.label})
            record[f"{name}: {figure.method}"] = format_share(figure.mean, figure.std)
    return Table(
        f"Hits@1 by alpha and by beta on {subject.title} with {subject.study:,} seeds",
        list(records.values()),
        "One run a point; the other weight is as in the settings.",
    )


def figures_table(caption: str, figures: Sequence[Figure]) -> Table:
    """Return the figures one a row: ours, the paper's, the difference."""
    records = [
        {
            "experiment": figure.section,
            "dataset": describe_place(figure),
            "method": figure.method,
            "changed": figure.label,
            "figure": name_metric(figure),
            **compare_figure(figure),
        }
        for figure in figures
    ]
    return Table(caption, records, heading_columns=2)
