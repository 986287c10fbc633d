"""The report's sections in order, each with its words, tables and plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import lighttea
from lighttea.bench.paper.claims import claims_table
from lighttea.bench.paper.document import Document, Plot, Row, Section, Table, share
from lighttea.bench.paper.experiments import PRESET, Experiment, Scale
from lighttea.bench.paper.figures import FAR, Figure, Measured, all_figures, t_tests
from lighttea.bench.paper.plots import dimension_plot, rounds_plot, stages_plot, sweep_plot
from lighttea.bench.paper.published import PAPER
from lighttea.bench.paper.subjects import Missing, Subject
from lighttea.bench.paper.tables import costs, datasets, results
from lighttea.bench.paper.tables.common import word

TITLE = "LightTEA, measured again"


@dataclass(frozen=True)
class Findings:
    """All that a report speaks of."""

    subjects: tuple[Subject, ...]
    absent: tuple[Missing, ...]
    measured: tuple[Measured, ...]
    failures: Mapping[Experiment, str]
    machines: tuple[Mapping[str, Any], ...]
    scale: Scale
    is_quick: bool

    def of(self, section: str) -> list[Measured]:
        """The measured groups of one section."""
        return [one for one in self.measured if one.group.section == section]


def document(findings: Findings) -> Document:
    """The whole report; a section without results is left out."""
    figures = all_figures(findings.measured)
    made = (make(findings, figures) for make in _SECTIONS)
    lead = (
        f"The experiments of {PAPER}, run by `lighttea bench paper` {lighttea.__version__}, and "
        "a protocol beyond them. Differences are ours less the paper's, before rounding."
    )
    return Document(TITLE, lead, tuple(one for one in made if one.text or one.parts))


def _kept(*parts: Table | Plot | None) -> tuple[Table | Plot, ...]:
    """Those that have something in them."""
    return tuple(x for x in parts if x is not None and (isinstance(x, Plot) or x.rows))


def _by_place(figures: Sequence[Figure], section: str) -> Iterator[list[Figure]]:
    """The figures of a section, dataset by dataset and number of seeds by number of seeds."""
    chosen = [one for one in figures if one.section == section]
    for _, group in groupby(chosen, key=lambda one: (one.subject.digest, one.n_seeds)):
        yield list(group)


def _summary(findings: Findings, figures: Sequence[Figure]) -> Section:
    text = [_verdict(figures)]
    if findings.is_quick:
        text.append(
            "This is a quick run: small settings, few runs. It shows that everything works; its "
            "figures say nothing about the method."
        )
    text += [
        f"{one.title} is not the published {one.reference}: it has its sizes, and the paper's "
        "figures are shown beside it with that in mind."
        for one in findings.subjects
        if one.reference and not one.is_published
    ]
    far = [one for one in figures if one.is_far]
    caption = f"Where we differ from the paper by more than {share(FAR)}"
    parts = _kept(results.glance_table(figures), results.figures_table(caption, far))
    return Section("Summary", tuple(text), parts)


def _verdict(figures: Sequence[Figure]) -> str:
    compared = [one for one in figures if one.paper is not None]
    if not compared:
        return "No figure of the paper was measured again."
    near = sum(not one.is_far for one in compared)
    largest = max(compared, key=lambda one: abs(one.difference or 0))
    return (
        f"{len(compared)} figures of the paper were measured again; {near} are within "
        f"{share(FAR)} of it, {len(compared) - near} are not. The largest difference is "
        f"{share(abs(largest.difference or 0))}."
    )


def _failures(findings: Findings, _: Sequence[Figure]) -> Section:
    titles = {subject.digest: subject.title for subject in findings.subjects}
    rows = tuple(
        Row((titles[one.digest], f"{one.n_seeds:,}", one.method, one.protocol, why))
        for one, why in findings.failures.items()
    )
    if not rows:
        return Section("Experiments that failed")
    names = ("dataset", "seeds", "method", "protocol", "why")
    table = Table("Experiments that failed", tuple(map(word, names)), rows)
    text = ("Their figures are missing below. The same command tries them again.",)
    return Section("Experiments that failed", text, (table,))


def _datasets(findings: Findings, _: Sequence[Figure]) -> Section:
    subjects = findings.subjects
    return Section(
        "Datasets",
        (),
        _kept(
            datasets.statistics_table(subjects),
            datasets.identity_table(subjects),
            datasets.missing_table(findings.absent),
        ),
    )


def _main(_: Findings, figures: Sequence[Figure]) -> Section:
    tables = [
        results.main_table(group[0].subject, group[0].n_seeds, group)
        for group in _by_place(figures, "main")
    ]
    tests = results.t_test_table(t_tests(figures))
    parts = _kept(*tables, tests, results.elsewhere_table(figures))
    text = (
        "Closed protocol: the candidates are the right entities of the test pairs. No names; ids, "
        "facts and pairs in a fresh random order in each run. Means and sample standard "
        "deviations over the runs. LightTEA* and LightEA* are round 1 of the same runs.",
    )
    return Section("Main results", text if parts else (), parts)


def _ablation(_: Findings, figures: Sequence[Figure]) -> Section:
    groups = _by_place(figures, "ablation")
    return Section(
        "Ablation", (), _kept(*(results.ablation_table(x[0].subject, x) for x in groups))
    )


def _times(findings: Findings, _: Sequence[Figure]) -> Section:
    found = findings.of("times")
    text = (
        "From reading the files to the figures, the time similarity included; kernels were "
        "compiled before. The paper's seconds are from a machine with an RTX 3090 and 32 cores, "
        "its time similarity prepared by a separate program; ours are from the machine named at "
        "the end.",
    )
    first = [one for one in found if one.group.method == one.group.subject.methods[0]]
    parts = _kept(costs.times_table(found), *(stages_plot(one) for one in first))
    return Section("Time costs", text if parts else (), parts)


def _dimension(_: Findings, figures: Sequence[Figure]) -> Section:
    parts: list[Table | Plot] = []
    for group in _by_place(figures, "dimension"):
        parts += [results.dimension_table(group[0].subject, group), dimension_plot(group)]
    return Section("Dimension", (), tuple(parts))


def _weights(_: Findings, figures: Sequence[Figure]) -> Section:
    sweeps: dict[str, dict[str, list[Figure]]] = {}
    for name in ("alpha", "beta"):
        for group in _by_place(figures, name):
            sweeps.setdefault(group[0].subject.digest, {})[name] = group
    parts: list[Table | Plot] = []
    for named in sweeps.values():
        subject = next(iter(named.values()))[0].subject
        parts += [sweep_plot(name, group) for name, group in named.items()]
        parts.append(results.weights_table(subject, named))
    text = (
        "The paper shows two curves on YAGO-WIKI50K with 1,000 seeds and prints no numbers, so "
        "there is nothing to take a difference from; what it says of them stands further down.",
    )
    return Section("Alpha and beta", text if parts else (), tuple(parts))


def _claims(_: Findings, figures: Sequence[Figure]) -> Section:
    return Section("Claims without numbers", (), _kept(claims_table(figures)))


def _rounds(findings: Findings, _: Sequence[Figure]) -> Section:
    parts: list[Table | Plot] = []
    for one in findings.of("main"):
        if one.group.method == one.group.subject.methods[0]:
            parts += [rounds_plot(one), costs.rounds_table(one)]
    return Section("Round by round", (), tuple(parts))


def _protocol(findings: Findings, _: Sequence[Figure]) -> Section:
    found = findings.of("protocol")
    text = (
        "In the closed protocol every left entity has its counterpart among the candidates, and "
        "every candidate belongs to one of them. Open, every entity without a seed asks and may "
        "answer, dangling ones included, and a link of a dangling entity is wrong. One-to-one "
        "gives a right entity to the left one that claims it with the highest value and leaves "
        "the others without a link; the Sinkhorn operator (SO) assumes as much, so the last line "
        "does without both. No names are used.",
    )
    parts = _kept(
        costs.protocol_table(found),
        datasets.leaks_table(findings.subjects) if found else None,
        costs.costs_table(found),
    )
    return Section("Beyond the paper: an open protocol", text if found else (), parts)


def _everything(_: Findings, figures: Sequence[Figure]) -> Section:
    return Section("All figures", (), _kept(results.figures_table("Every figure", figures)))


def _provenance(findings: Findings, _: Sequence[Figure]) -> Section:
    scale = findings.scale
    options = ", ".join(f"{name} {value}" for name, value in scale.options.items()) or "none"
    text = [
        f"lighttea {lighttea.__version__}, preset `{PRESET}`; {scale.runs} runs, random seeds from "
        f"{scale.random_seed}; one run a point of dimension, alpha and beta. Settings for this "
        f"bench alone: {options}. LightEA runs with its own published settings.",
    ]
    text += [
        "Measured on: " + ", ".join(f"{name} {value}" for name, value in one.items()) + "."
        for one in findings.machines
    ]
    if findings.is_quick:
        text.append("A quick run shares one process, so its peaks of memory only ever grow.")
    rows = tuple(
        Row((one.title, ", ".join(f"{n} {v}" for n, v in one.options.items()) or "none"))
        for one in findings.subjects
    )
    columns = (word("dataset"), word("LightTEA's settings beside the preset's"))
    return Section("How it was run", tuple(text), (Table("Settings", columns, rows),))


_SECTIONS: Sequence[Callable[[Findings, Sequence[Figure]], Section]] = (
    _summary,
    _failures,
    _datasets,
    _main,
    _ablation,
    _times,
    _dimension,
    _weights,
    _claims,
    _rounds,
    _protocol,
    _everything,
    _provenance,
)
