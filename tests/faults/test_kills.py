"""Commands killed at random moments: what was there stays, what is there is whole, the next works.

Each job is killed some times; `make faults` does it 200 times in all (LIGHTTEA_FAULTS). Half of the
moments lie where files are touched, half are spread over the processor time.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from lighttea.errors import LightteaWarning
from lighttea.example import example_file
from lighttea.results.check import check_run
from lighttea.results.store import load_run
from lighttea.review.decisions import Decisions
from tests.conftest import CANNOT

N_KILLS = int(os.environ.get("LIGHTTEA_FAULTS") or 0)  # in all; 0: a few of each job
FEW = 2
SHARES = {"align": 40, "overwrite": 40, "decide": 30, "export": 25, "fused": 25, "report": 20}
SHARES |= {"gpu": 10, "dask": 10}
QUICK = ("decide",)

Done = subprocess.CompletedProcess[str]


def align_words(out: Path, *more: str) -> list[str]:
    files = [str(example_file(name)) for name in ("left.tsv", "right.csv", "seeds.tsv")]
    options = ["--dim", "32", "--top-k", "20", "--no-report", "--rounds", "2", "--threads", "1"]
    options += ["--no-literals", "--quiet"]
    return ["align", *files[:2], "--seeds", files[2], "--out", str(out), *options, *more]


def killed(moment: str, folder: Path, *words: str) -> Done:
    """Return what a command printed that was killed at a moment, or not."""
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.killed", moment, str(folder), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody disturbed; it has other links than those that are made here."""
    out = tmp_path_factory.mktemp("finished") / "run"
    done = killed("none", out.parent, *align_words(out, "--min-confidence", "0.9"))
    assert done.returncode == 0, done.stderr
    return out


@dataclass(frozen=True)
class Job:
    """A command, what stands in its folder before, and what must be true after any kill."""

    words: Callable[[Path], list[str]]
    prepare: Callable[[Path, Path], None]
    check: Callable[[Path, Path, str], None]  # folder, the finished run, what was printed
    names: tuple[str, ...]  # that stand in the folder when the command was done in the end


def nothing(folder: Path, finished: Path) -> None:
    """There is nothing before."""


def copy_run(folder: Path, finished: Path) -> None:
    shutil.copytree(finished, folder / "run")


def copy_run_and_output(folder: Path, finished: Path) -> None:
    copy_run(folder, finished)
    (folder / "out").write_text("mine")


def opened_links(folder: Path) -> pl.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LightteaWarning)  # an old run was brought back
        return load_run(folder).links


def check_new_run(folder: Path, finished: Path, printed: str) -> None:
    out = folder / "run"
    assert not out.exists() or check_run(out).is_whole


def check_replaced_run(folder: Path, finished: Path, printed: str) -> None:
    """The old run or the new one, whole; never none."""
    links = opened_links(folder / "run")
    assert check_run(folder / "run").is_whole
    assert len(links) >= len(load_run(finished).links)


def check_output(folder: Path, finished: Path, printed: str) -> None:
    """The old file, or all of the new one."""
    text = (folder / "out").read_text()
    assert text == "mine" or len(text.splitlines()) == len(load_run(finished).links) + 1
    assert check_run(folder / "run").is_whole


def check_fused(folder: Path, finished: Path, printed: str) -> None:
    out = folder / "fused"
    if out.exists():
        assert {path.name for path in out.iterdir()} >= {"facts.parquet", "entities.parquet"}
        assert len(pl.read_parquet(out / "facts.parquet")) > 0


def check_report(folder: Path, finished: Path, printed: str) -> None:
    out = folder / "run" / "report.html"
    assert not out.exists() or out.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert check_run(folder / "run").is_whole


def check_decisions(folder: Path, finished: Path, printed: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LightteaWarning)
        standing = Decisions(folder / "decisions.sqlite").standing()
    assert set(re.findall("acknowledged (.*)\n", printed)) <= set(standing)


def align_job(*more: str) -> Job:
    words = lambda folder: align_words(folder / "run", *more)  # noqa: E731
    return Job(words, nothing, check_new_run, ("run",))


JOBS = {
    "align": align_job(),
    "gpu": align_job("--engine", "gpu"),
    "dask": align_job("--engine", "dask"),
    "overwrite": Job(
        lambda folder: align_words(folder / "run", "--overwrite"),
        copy_run,
        check_replaced_run,
        ("run",),
    ),
    "export": Job(
        lambda folder: [
            *("export", str(folder / "run"), "--format", "tsv", "--overwrite"),
            *("--out", str(folder / "out")),
        ],
        copy_run_and_output,
        check_output,
        ("out", "run"),
    ),
    "fused": Job(
        lambda folder: [
            *("export", str(folder / "run"), "--format", "fused"),
            *("--out", str(folder / "fused")),
        ],
        copy_run,
        check_fused,
        ("fused", "run"),
    ),
    "report": Job(lambda folder: ["report", str(folder / "run")], copy_run, check_report, ("run",)),
    "decide": Job(
        lambda folder: ["decide", str(folder / "decisions.sqlite")],
        nothing,
        check_decisions,
        ("decisions.backup.sqlite", "decisions.jsonl", "decisions.sqlite"),
    ),
}
PARAMETERS = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in JOBS]


def fresh(folder: Path, job: Job, finished: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    job.prepare(folder, finished)
    return folder


def moments(printed: str, count: int, rng: random.Random) -> list[str]:
    """Return moments of a command that printed how long it took when nobody killed it."""
    found = re.search(r"events (\d+) seconds ([\d.]+)", printed)
    assert found is not None, printed
    n_events, seconds = int(found[1]), float(found[2])
    assert n_events > 3
    at_files = [f"event:{rng.randint(1, n_events)}" for _ in range(count - count // 2)]
    return at_files + [f"cpu:{rng.uniform(0.001, seconds):.3f}" for _ in range(count // 2)]


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_job_that_is_killed_at_any_moment(tmp_path: Path, finished: Path, name: str) -> None:
    if name == "gpu":
        pytest.importorskip("torch", reason=f"{CANNOT}torch is not installed")
    job, folder = JOBS[name], tmp_path / "place"
    words = job.words(folder)
    undisturbed = killed("none", fresh(folder, job, finished), *words)
    assert undisturbed.returncode == 0, undisturbed.stderr
    count = max(1, SHARES[name] * N_KILLS // sum(SHARES.values())) if N_KILLS else FEW
    for number, moment in enumerate(moments(undisturbed.stdout, count, random.Random(name))):
        done = killed(moment, fresh(folder, job, finished), *words)
        assert done.returncode <= 0, (moment, done.stderr)  # killed, or done before the moment
        job.check(folder, finished, done.stdout)
        if number % 5 == 0:
            check_next(job, folder, words, moment)


def check_next(job: Job, folder: Path, words: list[str], moment: str) -> None:
    """The same command once more comes to its end and leaves nothing else lying about."""
    resume = ["--resume"] if words[0] == "align" else []
    if "--overwrite" not in words and words[0] != "decide":
        for made in ("run", "fused"):
            if (words[0] == "align" and made == "run") or made == "fused":
                shutil.rmtree(folder / made, ignore_errors=True)
    done = killed("none", folder, *words, *resume)
    assert done.returncode == 0, (moment, done.stderr)
    ours = {path.name for path in folder.iterdir() if not path.name.endswith(".lock")}
    assert ours - {"decisions.sqlite-wal", "decisions.sqlite-shm"} == set(job.names), moment
