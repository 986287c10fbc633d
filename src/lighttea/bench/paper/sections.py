"""The report's sections in order, each with its words, tables and plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import lighttea
from lighttea.bench.paper.claims import claims_table
from lighttea.bench.paper.document import Document, Plot, Section, Table, format_share
from lighttea.bench.paper.experiments import PRESET, Experiment, Scale
from lighttea.bench.paper.figures import FAR, Figure, Measurement, make_figures, make_t_tests
from lighttea.bench.paper.plots import dimension_plot, rounds_plot, stages_plot, sweep_plot
from lighttea.bench.paper.published import PAPER
from lighttea.bench.paper.subjects import Missing, Subject
from lighttea.bench.paper.tables import beside, costs, datasets, results

TITLE = "LightTEA, measured again"


@dataclass(frozen=True)
class Findings:
    """Everything that a report is made from."""

    subjects: tuple[Subject, ...]
    missing: tuple[Missing, ...]
    measurements: tuple[Measurement, ...]
    failures: Mapping[Experiment, str]
    machines: tuple[Mapping[str, Any], ...]
    scale: Scale
    is_quick: bool

    def measurements_of(self, section: str) -> list[Measurement]:
        """Return the measurements of one section."""
        return [x for x in self.measurements if x.group.section == section]


def make_document(findings: Findings) -> Document:
    """Return the whole report; a section without results is left out."""
    figures = make_figures(findings.measurements)
    sections = (make(findings, figures) for make in _SECTIONS)
    lead = (
        f"The experiments of {PAPER}, run by `lighttea bench paper` {lighttea.__version__}, and "
        "a protocol beyond them. Differences are ours less the paper's, before rounding."
    )
    return Document(TITLE, lead, tuple(x for x in sections if x.text or x.parts))


def _drop_empty(*parts: Table | Plot) -> tuple[Table | Plot, ...]:
    """Return the plots, and the tables that have rows."""
    return tuple(x for x in parts if isinstance(x, Plot) or x.records)


def _split_by_place(figures: Sequence[Figure], section: str) -> Iterator[list[Figure]]:
    """Yield the figures of a section, dataset by dataset and number of seeds by number of seeds."""
    chosen = [x for x in figures if x.section == section]
    for _, group in groupby(chosen, key=lambda x: (x.subject.digest, x.n_seeds)):
        yield list(group)


def _make_summary(findings: Findings, figures: Sequence[Figure]) -> Section:
    text = [_summarize(figures)]
    if findings.is_quick:
        text.append(
            "This is a quick run: small settings, few runs. It shows that everything works; its "
            "figures say nothing about the method."
        )
    text += [
        f"{x.title} is not the published {x.reference}: it has its sizes, and the paper's "
        "figures are shown beside it with that in mind."
        for x in findings.subjects
        if x.reference and not x.is_published
    ]
    far = [x for x in figures if x.is_far]
    caption = f"Where we differ from the paper by more than {format_share(FAR)}"
    parts = _drop_empty(results.glance_table(figures), results.figures_table(caption, far))
    return Section("Summary", tuple(text), parts)


def _summarize(figures: Sequence[Figure]) -> str:
    compared = [x for x in figures if x.paper is not None]
    if not compared:
        return "No figure of the paper was measured again."
    near = sum(not x.is_far for x in compared)
    largest = max(abs(x.difference or 0) for x in compared)
    return (
        f"{len(compared)} figures of the paper were measured again; {near} are within "
        f"{format_share(FAR)} of it, {len(compared) - near} are not. The largest difference is "
        f"{format_share(largest)}."
    )


def _make_failures(findings: Findings, _: Sequence[Figure]) -> Section:
    titles = {subject.digest: subject.title for subject in findings.subjects}
    records = [
        {
            "dataset": titles[experiment.digest],
            "seeds": f"{experiment.n_seeds:,}",
            "method": experiment.method,
            "protocol": experiment.protocol,
            "why": reason,
        }
        for experiment, reason in findings.failures.items()
    ]
    title = "Experiments that failed"
    text = ("Their figures are missing below. The same command tries them again.",)
    return Section(title, text, (Table(title, records),)) if records else Section(title)


def _make_datasets(findings: Findings, _: Sequence[Figure]) -> Section:
    subjects = findings.subjects
    return Section(
        "Datasets",
        (),
        _drop_empty(
            datasets.statistics_table(subjects),
            datasets.identity_table(subjects),
            datasets.missing_table(findings.missing),
        ),
    )


def _make_main(_: Findings, figures: Sequence[Figure]) -> Section:
    tables = [
        results.main_table(group[0].subject, group[0].n_seeds, group)
        for group in _split_by_place(figures, "main")
    ]
    tests = results.t_test_table(make_t_tests(figures))
    parts = _drop_empty(*tables, tests)
    text = (
        "Closed protocol: the candidates are the right entities of the test pairs. No names; ids, "
        "facts and pairs in a fresh random order in each run. Means and sample standard "
        "deviations over the runs. LightTEA* and LightEA* are round 1 of the same runs.",
    )
    return Section("Main results", text if parts else (), parts)


def _make_best(findings: Findings, _: Sequence[Figure]) -> Section:
    measurements = findings.measurements_of("best")
    table = beside.best_table(measurements, findings.measurements_of("main"))
    text = (
        "The default preset has the same settings for every dataset. Ranks are those of the closed "
        "protocol, links those of the open one.",
    )
    parts = _drop_empty(table)
    return Section("The default preset", text if parts else (), parts)


def _make_beside(_: Findings, figures: Sequence[Figure]) -> Section:
    ours = [x for x in figures if x.section in ("main", "best")]
    places = dict.fromkeys((x.subject.digest, x.n_seeds) for x in ours)
    groups = ([x for x in ours if (x.subject.digest, x.n_seeds) == place] for place in places)
    tables = (beside.beside_table(x[0].subject, x[0].n_seeds, x) for x in groups)
    return Section("Beside other publications", (), _drop_empty(*tables))


def _make_ablation(_: Findings, figures: Sequence[Figure]) -> Section:
    groups = _split_by_place(figures, "ablation")
    return Section(
        "Ablation", (), _drop_empty(*(results.ablation_table(x[0].subject, x) for x in groups))
    )


def _make_times(findings: Findings, _: Sequence[Figure]) -> Section:
    measurements = findings.measurements_of("times")
    text = (
        "From reading the files to the figures, the time similarity included; kernels were "
        "compiled before. The paper's seconds are from a machine with an RTX 3090 and 32 cores, "
        "its time similarity prepared by a separate program; ours are from the machine named at "
        "the end.",
    )
    first = [x for x in measurements if x.group.method == x.group.subject.methods[0]]
    parts = _drop_empty(costs.times_table(measurements), *map(stages_plot, first))
    return Section("Time costs", text if parts else (), parts)


def _make_dimension(_: Findings, figures: Sequence[Figure]) -> Section:
    parts: list[Table | Plot] = []
    for group in _split_by_place(figures, "dimension"):
        parts += [results.dimension_table(group[0].subject, group), dimension_plot(group)]
    return Section("Dimension", (), tuple(parts))


def _make_weights(_: Findings, figures: Sequence[Figure]) -> Section:
    sweeps: dict[str, dict[str, list[Figure]]] = {}
    for name in ("alpha", "beta"):
        for group in _split_by_place(figures, name):
            sweeps.setdefault(group[0].subject.digest, {})[name] = group
    parts: list[Table | Plot] = []
    for by_name in sweeps.values():
        subject = next(iter(by_name.values()))[0].subject
        parts += [sweep_plot(name, group) for name, group in by_name.items()]
        parts.append(results.weights_table(subject, by_name))
    text = (
        "The paper shows two curves on YAGO-WIKI50K with 1,000 seeds and prints no numbers, so "
        "there is nothing to take a difference from; what it says of them is further down.",
    )
    return Section("Alpha and beta", text if parts else (), tuple(parts))


def _make_claims(_: Findings, figures: Sequence[Figure]) -> Section:
    return Section("Claims without numbers", (), _drop_empty(claims_table(figures)))


def _make_rounds(findings: Findings, _: Sequence[Figure]) -> Section:
    parts: list[Table | Plot] = []
    for measurement in findings.measurements_of("main"):
        if measurement.group.method == measurement.group.subject.methods[0]:
            parts += [rounds_plot(measurement), costs.rounds_table(measurement)]
    return Section("Round by round", (), tuple(parts))


def _make_protocol(findings: Findings, _: Sequence[Figure]) -> Section:
    measurements = findings.measurements_of("protocol")
    text = (
        "In the closed protocol every left entity has its counterpart among the candidates, and "
        "every candidate belongs to one of them. Open, every entity without a seed asks and may "
        "answer, dangling ones included, and a link of a dangling entity is wrong. One-to-one "
        "gives a right entity to the left one that claims it with the highest value and leaves "
        "the others without a link; the Sinkhorn operator (SO) assumes as much, so the last line "
        "does without both. No names are used.",
    )
    title = "Beyond the paper: an open protocol"
    if not measurements:
        return Section(title)
    return Section(
        title,
        text,
        (
            costs.protocol_table(measurements),
            datasets.leaks_table(findings.subjects),
            costs.costs_table(measurements),
        ),
    )


def _make_everything(_: Findings, figures: Sequence[Figure]) -> Section:
    return Section("All figures", (), _drop_empty(results.figures_table("Every figure", figures)))


def _make_provenance(findings: Findings, _: Sequence[Figure]) -> Section:
    scale = findings.scale
    options = ", ".join(f"{name} {value}" for name, value in scale.options.items()) or "none"
    text = [
        f"lighttea {lighttea.__version__}, preset `{PRESET}`; {scale.runs} runs, random seeds from "
        f"{scale.random_seed}; one run a point of dimension, alpha and beta. Settings for this "
        f"bench alone: {options}. LightEA runs with its own published settings.",
    ]
    text += [
        "Measured on: " + ", ".join(f"{name} {value}" for name, value in machine.items()) + "."
        for machine in findings.machines
    ]
    if findings.is_quick:
        text.append("A quick run shares one process, so its peaks of memory only ever grow.")
    records = [
        {
            "dataset": subject.title,
            "LightTEA's settings beside the preset's": ", ".join(
                f"{name} {value}" for name, value in subject.options.items()
            )
            or "none",
        }
        for subject in findings.subjects
    ]
    return Section("How it was run", tuple(text), (Table("Settings", records),))


_SECTIONS: Sequence[Callable[[Findings, Sequence[Figure]], Section]] = (
    _make_summary,
    _make_failures,
    _make_datasets,
    _make_main,
    _make_best,
    _make_beside,
    _make_ablation,
    _make_times,
    _make_dimension,
    _make_weights,
    _make_claims,
    _make_rounds,
    _make_protocol,
    _make_everything,
    _make_provenance,
)
