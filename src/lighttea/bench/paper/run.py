"""`lighttea bench paper`, from dataset folders to reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import lighttea
from lighttea.bench.paper.charts import svg
from lighttea.bench.paper.document import Document
from lighttea.bench.paper.execute import Outcome, run_all, run_apart, run_here, warm_up
from lighttea.bench.paper.experiments import FULL, QUICK, QUICK_REAL, Group, Scale, distinct, plan
from lighttea.bench.paper.figures import Figure, all_figures, measured, t_tests
from lighttea.bench.paper.html import html
from lighttea.bench.paper.markdown import markdown
from lighttea.bench.paper.progress import PaperProgress
from lighttea.bench.paper.published import PAPER
from lighttea.bench.paper.sections import Findings, document
from lighttea.bench.paper.store import Record, Store, machine
from lighttea.bench.paper.subjects import find_folders, missing, survey
from lighttea.errors import ConfigError, EngineUnavailable, InputError
from lighttea.io.files import write_whole
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

FORMAT_VERSION = 1
_MADE_UP = SynthConfig(entities=1_000, seeds=60, ticks=60)


@dataclass(frozen=True)
class Report:
    """What a bench found and wrote."""

    written: tuple[Path, ...]
    findings: Findings
    figures: tuple[Figure, ...]
    unmade: str  # why pictures and page are missing, with the cure; empty where they are not


def bench_paper(
    out: str | Path,
    *,
    data: str | Path | None = None,
    quick: bool = False,
    only: Sequence[str] = (),
    datasets: Sequence[str] = (),
    runs: int | None = None,
    random_seed: int = 0,
    progress: PaperProgress | None = None,
) -> Report:
    """Run what is not finished yet, then write results.json and the reports."""
    out = Path(out)
    folders = _folders(data, datasets, quick=quick)
    scale = _scale(runs, random_seed, quick=quick, real=bool(folders))
    plan((), only, scale)  # a wrong name is known before the work
    store = Store.within(out)
    subjects = tuple(survey(folder) for folder in folders or [_made_up(out)])
    groups = plan(subjects, only, scale)
    outcome = _outcome(groups, store, progress or PaperProgress(), quick=quick)
    findings = Findings(
        subjects=subjects,
        absent=() if datasets else tuple(missing(subjects)),
        measured=tuple(measured(groups, outcome.records)),
        failures=outcome.failures,
        machines=_machines(outcome.records.values()),
        scale=scale,
        is_quick=quick,
    )
    return _written(out, findings, outcome)


def _scale(runs: int | None, random_seed: int, *, quick: bool, real: bool) -> Scale:
    scale = (QUICK_REAL if real else QUICK) if quick else FULL
    if runs is not None and runs < 1:
        raise ConfigError(f"runs must be >= 1; got {runs}")
    return replace(scale, random_seed=random_seed, runs=runs or scale.runs)


def _folders(data: str | Path | None, datasets: Sequence[str], *, quick: bool) -> list[Path]:
    """Dataset folders; none where a quick run has to make one up."""
    if data is None and not quick:
        raise ConfigError("give --data, a folder of dataset folders, or try --quick")
    found = [] if data is None else find_folders(Path(data), datasets)
    if not found and not quick:
        raise InputError(f"{data}: no dataset folder is there (with triples_1 and triples_2)")
    return found


def _made_up(out: Path) -> Path:
    """A small pair of graphs with known truth, the same ones each time."""
    folder = out / "data" / "SYNTH"
    if not folder.exists():
        write_synth(folder, _MADE_UP)
    return folder


def _outcome(
    groups: Sequence[Group], store: Store, progress: PaperProgress, *, quick: bool
) -> Outcome:
    runner = run_here if quick else run_apart
    experiments = distinct(groups)
    if not quick and any(store.load(one) is None for one in experiments):
        warm_up(runner)
    return run_all(experiments, store, runner, progress)


def _machines(records: Iterable[Record]) -> tuple[dict[str, Any], ...]:
    """Those that the results were measured on; this one where there is none."""
    texts = dict.fromkeys(json.dumps(one.machine) for one in records)
    return tuple(json.loads(text) for text in texts) or (machine(),)


def _written(out: Path, findings: Findings, outcome: Outcome) -> Report:
    """Write everything; the page and the pictures where their libraries are there."""
    figures = all_figures(findings.measured)
    content = json.dumps(_results(findings, figures, outcome), indent=1, ensure_ascii=False)
    write_whole(out / "results.json", content + "\n")
    report = document(findings)
    written = [out / "results.json", out / "report.md"]
    pictures: dict[str, str] = {}
    unmade = ""
    try:
        pictures = _pictures(out, report)
        write_whole(out / "report.html", html(report, pictures))
        written.append(out / "report.html")
    except EngineUnavailable as error:
        unmade = str(error)
    write_whole(out / "report.md", markdown(report, pictures))
    return Report(tuple(written), findings, tuple(figures), unmade)


def _pictures(out: Path, report: Document) -> dict[str, str]:
    pictures = {plot.name: svg(plot) for plot in report.plots()}
    (out / "plots").mkdir(exist_ok=True)
    for name, picture in pictures.items():
        write_whole(out / "plots" / f"{name}.svg", picture)
    return pictures


def _results(findings: Findings, figures: Sequence[Figure], outcome: Outcome) -> dict[str, Any]:
    """Everything that was measured, run by run."""
    return {
        "format": FORMAT_VERSION,
        "version": lighttea.__version__,
        "paper": PAPER,
        "quick": findings.is_quick,
        "random_seed": findings.scale.random_seed,
        "runs": findings.scale.runs,
        "machines": list(findings.machines),
        "datasets": [one.to_dict() for one in findings.subjects],
        "missing": [asdict(one) for one in findings.absent],
        "figures": [one.to_dict() for one in figures],
        "t_tests": [
            {**one.figure.to_dict(), "baseline": one.baseline}
            | {"baseline_figure": one.baseline_figure, "p_value": one.p_value}
            for one in t_tests(figures)
        ],
        "experiments": [
            {"key": one.key, **asdict(record)} for one, record in outcome.records.items()
        ],
        "failures": [{"key": one.key, "why": why} for one, why in outcome.failures.items()],
    }
