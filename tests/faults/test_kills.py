"""Commands killed at random moments: what was there stays, what is there is whole, the next works.

Each job is killed some times; `make faults` does it 200 times in all (LIGHTTEA_FAULTS). Half of the
moments lie where files are touched, half are spread over the processor time.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import warnings
from pathlib import Path

import pytest

from lighttea.errors import LightteaWarning
from tests.conftest import CANNOT
from tests.faults.jobs import JOBS, Finished, Job
from tests.faults.process import killed, run_undisturbed

N_KILLS = int(os.environ.get("LIGHTTEA_FAULTS") or 0)  # in all; 0: a few of each job
FEW = 2
SHARES = {"align": 25, "overwrite": 25, "decide": 20, "export": 15, "fused": 15, "report": 15}
SHARES |= {"gpu": 10, "dask": 10, "align three": 15, "dedupe": 12, "update": 15}
SHARES |= {"update of three": 15, "export clusters": 8}
QUICK = ("decide",)
PARAMETERS = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in JOBS]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return Finished(tmp_path_factory.mktemp("finished"))


def fresh(folder: Path, job: Job, finished: Finished) -> Path:
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


def test_every_job_has_its_share_of_two_hundred_kills() -> None:
    assert set(SHARES) == set(JOBS)
    assert sum(SHARES.values()) == 200


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_job_that_is_killed_at_any_moment(tmp_path: Path, finished: Finished, name: str) -> None:
    if name == "gpu":
        pytest.importorskip("torch", reason=f"{CANNOT}torch is not installed")
    job, folder = JOBS[name], tmp_path / "place"
    words = job.words(folder)
    undisturbed = run_undisturbed(words, fresh(folder, job, finished))
    count = max(1, SHARES[name] * N_KILLS // sum(SHARES.values())) if N_KILLS else FEW
    for number, moment in enumerate(moments(undisturbed.stdout, count, random.Random(name))):
        done = killed(moment, fresh(folder, job, finished), *words)
        assert done.returncode <= 0, (moment, done.stderr)  # killed, or done before the moment
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LightteaWarning)  # what came back is said
            job.check(folder, finished, done.stdout)
        if number % 5 == 0:
            check_next(job, folder, words, moment)


def check_next(job: Job, folder: Path, words: list[str], moment: str) -> None:
    """The same command once more comes to its end and leaves nothing else lying about."""
    if job.makes is not None:
        shutil.rmtree(folder / job.makes, ignore_errors=True)
    done = killed("none", folder, *words, *(["--resume"] if job.resumes else []))
    assert done.returncode == 0, (moment, done.stderr)
    ours = {path.name for path in folder.iterdir() if not path.name.endswith(".lock")}
    assert ours - {"decisions.sqlite-wal", "decisions.sqlite-shm"} == set(job.names), moment
