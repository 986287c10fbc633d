"""Main results, ablation, dimensions and weights (Tables 2, 3, 5 and the figure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lighttea.bench.paper.document import (
    NOTHING,
    Column,
    Difference,
    Row,
    Table,
    p_text,
    share,
    spread,
)
from lighttea.bench.paper.figures import VERSIONS, Figure, TTest
from lighttea.bench.paper.published import STAR, published
from lighttea.bench.paper.subjects import Subject
from lighttea.bench.paper.tables.common import (
    METRIC_NAMES,
    TRIPLE,
    against,
    by_metric,
    place,
    triples,
    word,
)


def glance_table(figures: Sequence[Figure]) -> Table:
    """Hits@1 of the main results, all datasets and methods."""
    mains = [one for one in figures if one.section == "main" and one.metric == "hits@1"]
    rows = tuple(
        Row((one.subject.title, f"{one.n_seeds:,}", one.method, *against(one))) for one in mains
    )
    columns = (word("dataset"), Column("seeds"), word("method"), *triples(["Hits@1"]))
    note = "A star means supervised: one round."
    return Table("Hits@1 of the main results", columns, rows, note, heading_columns=2)


def main_table(subject: Subject, n_seeds: int, figures: Sequence[Figure]) -> Table:
    """Table 2 for one dataset: our methods against the paper's, the baselines as published."""
    ours = {one.method: by_metric(figures, one.method) for one in figures}
    rows: list[Row] = []
    results = published().results.get((subject.reference or "", n_seeds))
    for category, method, theirs in results.rows() if results else ():
        baseline = tuple(cell for value in theirs for cell in (NOTHING, share(value), NOTHING))
        cells = ours.pop(method, baseline)
        rows.append(Row((category, method, *cells), muted=cells is baseline))
    for method, cells in ours.items():  # where the paper has nothing
        category = "supervised" if method.endswith(STAR) else "semi-supervised"
        rows.append(Row((category, method, *cells)))
    return Table(
        f"Main results on {subject.title} with {n_seeds:,} seeds (as Table 2 of the paper)",
        (word("category"), word("method"), *triples(METRIC_NAMES.values())),
        tuple(rows),
        heading_columns=1,
    )


def t_test_table(tests: Sequence[TTest]) -> Table:
    """p-values, ours and the paper's."""
    rows = []
    for one in tests:
        figure = one.figure
        rows.append(
            Row(
                (
                    place(figure),
                    figure.method,
                    METRIC_NAMES[figure.metric],
                    spread(figure.mean, figure.std),
                    one.baseline,
                    share(one.baseline_figure),
                    Difference(figure.mean - one.baseline_figure),
                    p_text(one.p_value),
                    p_text(one.paper_p_value),
                )
            )
        )
    columns = (
        *(word(name) for name in ("dataset", "method", "figure")),
        Column("ours"),
        word("strongest baseline"),
        Column("its figure"),
        Column("Δ"),
        Column("ours", "p-value"),
        Column("paper", "p-value"),
    )
    note = "One-sample, two-sided t-test of our runs against the best published baseline."
    caption = "Our runs against the strongest baseline"
    return Table(caption, columns, tuple(rows), note, heading_columns=1)


def elsewhere_table(figures: Sequence[Figure]) -> Table:
    """Main results beside what other sources have for the same dataset and seeds."""
    mains = {
        (one.subject.reference, one.n_seeds, one.method, one.metric): one
        for one in figures
        if one.section == "main"
    }
    rows = []
    for one in published().elsewhere:
        for metric, theirs in one.figures.items():
            ours = mains.get((one.dataset, one.seeds, one.method, metric))
            if ours is not None:
                cells = (place(ours), one.method, METRIC_NAMES[metric], spread(ours.mean, ours.std))
                gap = Difference(ours.mean - theirs)
                rows.append(Row((*cells, share(theirs), gap, one.by, one.source)))
    columns = (
        *(word(name) for name in ("dataset", "our method", "figure")),
        *(Column(name) for name in ("ours", "theirs", "Δ")),
        *(word(name) for name in ("their method", "source")),
    )
    return Table("Main results beside other sources", columns, tuple(rows), heading_columns=1)


def ablation_table(subject: Subject, figures: Sequence[Figure]) -> Table:
    """Table 3 for one dataset."""
    version, _ = VERSIONS["lighttea"][-1]
    labels = dict.fromkeys(one.label for one in figures)
    rows = tuple(
        Row((label or version, *by_metric([x for x in figures if x.label == label], version)))
        for label in labels
    )
    columns = (word("method"), *triples(METRIC_NAMES.values()))
    caption = f"Ablation on {subject.title} with {subject.study:,} seeds (as Table 3 of the paper)"
    note = "TLP: temporal propagation. TC: temporal constraint. SO: Sinkhorn operator."
    return Table(caption, columns, rows, note)


def dimension_table(subject: Subject, figures: Sequence[Figure]) -> Table:
    """Table 5 for one dataset."""
    where = f"{subject.title} with {subject.study:,} seeds"
    return Table(
        f"Hits@1 by dimension on {where} (as Table 5 of the paper)",
        (Column("dimension"), *triples(version for version, _ in VERSIONS["lighttea"])),
        tuple(_by_version(figures)),
        "One run a point. The width of the last hop's sketch follows the dimension.",
    )


def weights_table(subject: Subject, sweeps: Mapping[str, Sequence[Figure]]) -> Table:
    """The paper's figure in numbers: alpha and beta side by side."""
    versions = [version for version, _ in VERSIONS["lighttea"]]
    found = {(x.section, x.label, x.method): x for sweep in sweeps.values() for x in sweep}
    labels = dict.fromkeys(one.label for sweep in sweeps.values() for one in sweep)
    rows = []
    for label in labels:
        curve = (found.get((name, label, version)) for name in sweeps for version in versions)
        rows.append(Row((label, *(against(one)[0] for one in curve))))
    columns = (Column(version, name) for name in sweeps for version in versions)
    return Table(
        f"Hits@1 by alpha and by beta on {subject.title} with {subject.study:,} seeds",
        (Column("weight"), *columns),
        tuple(rows),
        "One run a point; the other weight is as in the settings.",
    )


def _by_version(figures: Sequence[Figure]) -> Iterable[Row]:
    """A row for each label: the two versions' figures, each against the paper's."""
    found = {(one.label, one.method): one for one in figures}
    versions = [version for version, _ in VERSIONS["lighttea"]]
    for label in dict.fromkeys(one.label for one in figures):
        cells = tuple(cell for v in versions for cell in against(found.get((label, v))))
        yield Row((label, *cells))


def figures_table(caption: str, figures: Sequence[Figure]) -> Table:
    """Figures one a row: ours, the paper's, the difference."""
    rows = tuple(
        Row(
            (
                one.section,
                place(one),
                one.method,
                one.label,
                METRIC_NAMES[one.metric],
                *against(one),
            )
        )
        for one in figures
    )
    names = ("experiment", "dataset", "method", "changed", "figure")
    columns = (*map(word, names), *map(Column, TRIPLE))
    return Table(caption, columns, tuple(rows), heading_columns=2)
