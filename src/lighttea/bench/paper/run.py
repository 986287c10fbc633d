"""`lighttea bench paper`, from dataset folders to reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import lighttea
from lighttea.bench.paper.charts import draw
from lighttea.bench.paper.document import Document
from lighttea.bench.paper.execute import Outcome, run_all, run_apart, run_here, warm_up
from lighttea.bench.paper.experiments import (
    FULL,
    QUICK,
    QUICK_REAL,
    Group,
    Scale,
    deduplicate,
    plan,
)
from lighttea.bench.paper.figures import Figure, join_results, make_figures, make_t_tests
from lighttea.bench.paper.html import render_html
from lighttea.bench.paper.markdown import render_markdown
from lighttea.bench.paper.progress import PaperProgress
from lighttea.bench.paper.published import PAPER
from lighttea.bench.paper.sections import Findings, make_document
from lighttea.bench.paper.store import Record, Store, describe_machine
from lighttea.bench.paper.subjects import find_folders, find_missing, survey
from lighttea.config import Config
from lighttea.errors import ConfigError, EngineUnavailable, InputError
from lighttea.io.files import write_whole
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

FORMAT_VERSION = 1
_MADE_UP = SynthConfig(entities=1_000, seeds=60, ticks=60)


@dataclass(frozen=True)
class Report:
    """The findings of a bench and the files that it wrote."""

    written: tuple[Path, ...]
    findings: Findings
    figures: tuple[Figure, ...]
    unavailable: str  # why pictures and page are missing and what to do; empty where they are not


def bench_paper(
    out: str | Path,
    *,
    data: str | Path | None = None,
    quick: bool = False,
    only: Sequence[str] = (),
    datasets: Sequence[str] = (),
    runs: int | None = None,
    random_seed: int = Config.random_seed,
    threads: int | None = None,
    progress: PaperProgress | None = None,
) -> Report:
    """Run what is not finished yet, then write results.json and the reports."""
    out = Path(out)
    folders = _find_folders(data, datasets, quick=quick)
    scale = _choose_scale(runs, random_seed, threads, quick=quick, real=bool(folders))
    plan((), only, scale)  # a wrong name is known before the work
    store = Store.within(out)
    subjects = tuple(survey(folder) for folder in folders or [_make_dataset(out)])
    groups = plan(subjects, only, scale)
    outcome = _run_experiments(groups, store, progress or PaperProgress(), quick=quick)
    findings = Findings(
        subjects=subjects,
        missing=() if datasets else tuple(find_missing(subjects)),
        measurements=tuple(join_results(groups, outcome.records)),
        failures=outcome.failures,
        machines=_find_machines(outcome.records.values()),
        scale=scale,
        is_quick=quick,
    )
    return _write_report(out, findings, outcome)


def _choose_scale(
    runs: int | None, random_seed: int, threads: int | None, *, quick: bool, real: bool
) -> Scale:
    scale = (QUICK_REAL if real else QUICK) if quick else FULL
    if runs is not None and runs < 1:
        raise ConfigError(f"runs must be >= 1; got {runs}")
    options = scale.options if threads is None else {**scale.options, "threads": threads}
    return replace(scale, random_seed=random_seed, runs=runs or scale.runs, options=options)


def _find_folders(data: str | Path | None, datasets: Sequence[str], *, quick: bool) -> list[Path]:
    """Return the dataset folders; none where a quick run has to make one up."""
    if data is None and not quick:
        raise ConfigError("give `data`, a folder of dataset folders, or try `quick=True`")
    folders = [] if data is None else find_folders(Path(data), datasets)
    if not folders and not quick:
        raise InputError(f"{data}: contains no dataset folder (with triples_1 and triples_2)")
    return folders


def _make_dataset(out: Path) -> Path:
    """Make up a small pair of graphs with known truth, the same ones each time."""
    folder = out / "data" / "SYNTH"
    if not folder.exists():
        write_synth(folder, _MADE_UP)
    return folder


def _run_experiments(
    groups: Sequence[Group], store: Store, progress: PaperProgress, *, quick: bool
) -> Outcome:
    runner = run_here if quick else run_apart
    experiments = deduplicate(groups)
    if not quick and any(store.load(experiment) is None for experiment in experiments):
        warm_up(runner)
    return run_all(experiments, store, runner, progress)


def _find_machines(records: Iterable[Record]) -> tuple[dict[str, Any], ...]:
    """Return the machines that the results were measured on; this one where there is none."""
    texts = dict.fromkeys(json.dumps(record.machine) for record in records)
    return tuple(json.loads(text) for text in texts) or (describe_machine(),)


def _write_report(out: Path, findings: Findings, outcome: Outcome) -> Report:
    """Write everything; the page and the pictures where their libraries are there."""
    figures = make_figures(findings.measurements)
    content = json.dumps(_results(findings, figures, outcome), indent=1, ensure_ascii=False)
    write_whole(out / "results.json", content + "\n")
    report = make_document(findings)
    written = [out / "results.json", out / "report.md"]
    pictures: dict[str, str] = {}
    unavailable = ""
    try:
        pictures = _draw_plots(out, report)
        write_whole(out / "report.html", render_html(report, pictures))
        written.append(out / "report.html")
    except EngineUnavailable as error:
        unavailable = str(error)
    write_whole(out / "report.md", render_markdown(report, pictures))
    return Report(tuple(written), findings, tuple(figures), unavailable)


def _draw_plots(out: Path, report: Document) -> dict[str, str]:
    pictures = {plot.name: draw(plot) for plot in report.plots()}
    (out / "plots").mkdir(exist_ok=True)
    for name, picture in pictures.items():
        write_whole(out / "plots" / f"{name}.svg", picture)
    return pictures


def _results(findings: Findings, figures: Sequence[Figure], outcome: Outcome) -> dict[str, Any]:
    """Return everything that was measured, run by run."""
    return {
        "format": FORMAT_VERSION,
        "version": lighttea.__version__,
        "paper": PAPER,
        "quick": findings.is_quick,
        "random_seed": findings.scale.random_seed,
        "runs": findings.scale.runs,
        "machines": list(findings.machines),
        "datasets": [subject.to_dict() for subject in findings.subjects],
        "missing": [asdict(dataset) for dataset in findings.missing],
        "figures": [figure.to_dict() for figure in figures],
        "t_tests": [
            {**test.figure.to_dict(), "baseline": test.baseline}
            | {"baseline_figure": test.baseline_figure, "p_value": test.p_value}
            for test in make_t_tests(figures)
        ],
        "experiments": [
            {"key": experiment.key, **asdict(record)}
            for experiment, record in outcome.records.items()
        ],
        "failures": [{"key": x.key, "why": reason} for x, reason in outcome.failures.items()],
    }
