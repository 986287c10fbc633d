"""What a machine can lack: room on the disk, threads, newer instructions, memory."""

from __future__ import annotations

import errno
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lighttea.errors import OutputError
from lighttea.example import example_file
from lighttea.graph.pair import Links
from lighttea.results.checkpoint import Checkpoint
from lighttea.similarity.carry import CarriedCandidates
from lighttea.solve.likely import Likely
from lighttea.solve.solve import State
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from tests.conftest import CANNOT

PROGRAM = (sys.executable, "-m", "lighttea")
Done = subprocess.CompletedProcess[str]

# a file system of its own, seen by this process alone: gone with it, whatever happens
ON_A_SMALL_DISK = """
mount -t tmpfs -o "size=$1" tmpfs "$2" || exit 99
cp -R "$2.before/." "$2" && cd "$2" && after="$2.after" && shift 2
code=0; "$@" || code=$?
cp -R . "$after"
exit $code
"""
NAMESPACE = ("unshare", "--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh")

# the command line, noting what may run in parallel whenever a stage begins
WATCHED = """
import json, sys
from lighttea.cli import progress, run_command
note = open(sys.argv[1], "w")
def entered(self, name):
    import numba, polars
    from threadpoolctl import threadpool_info
    pools = [pool["num_threads"] for pool in threadpool_info()]
    seen = {"stage": name, "loops": numba.get_num_threads(), "pools": pools}
    note.write(json.dumps({**seen, "tables": polars.thread_pool_size()}) + "\\n")
progress.ConsoleProgress.entered = entered
code = run_command(sys.argv[2:])
note.close()
sys.exit(code)
"""


def align_words(out: str | Path, *more: str, rounds: int = 1) -> list[str]:
    files = [str(example_file(name)) for name in ("left.tsv", "right.csv", "seeds.tsv")]
    options = ["--dim", "64", "--top-k", "50", "--no-report", "--rounds", str(rounds)]
    options.append("--no-literals")  # with names one round is enough
    return ["align", *files[:2], "--seeds", files[2], "--out", str(out), *options, *more]


def run(*words: str, limit: int | None = None, env: dict[str, str] | None = None) -> Done:
    """A process; no file that it writes may be larger than the limit, in blocks of 512 bytes."""
    limited = ("sh", "-c", f'ulimit -f {limit} && exec "$@"', "sh") if limit else ()
    return subprocess.run(
        (*limited, *words),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, **(env or {})},
    )


def lighttea(*words: str, **more: Any) -> Done:
    return run(*PROGRAM, *words, **more)


def links(out: Path) -> pl.DataFrame:
    return pl.read_parquet(out / "links.parquet").sort("left")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refused(done: Done, pattern: str) -> None:
    """One line that says what is wrong, and nothing else."""
    assert done.returncode == 1, done.stderr
    assert re.fullmatch(rf"error: [^\n]*{pattern}[^\n]*\n", done.stderr), done.stderr


def same_links(one: pl.DataFrame, other: pl.DataFrame) -> None:
    assert one.select("left", "right").equals(other.select("left", "right"))
    for column in ("score", "confidence"):
        assert np.abs(one[column].to_numpy() - other[column].to_numpy()).max() < 1e-5


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed; its loops are compiled and kept from here on."""
    out = tmp_path_factory.mktemp("whole") / "run"
    for words in (align_words(out), align_words(out, "--overwrite", rounds=2)):
        done = lighttea(*words)
        assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dataset") / "made"
    write_synth(out, SynthConfig(entities=200))
    return out


# ---- a full disk ---------------------------------------------------------------------------


class SmallDisk:
    """A disk of some KiB. `before` stands on it when the command starts, `after` when it ends."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.before = folder / "disk", folder / "disk.before"
        self.after = folder / "disk.after"
        for made in (self.folder, self.before):
            made.mkdir()

    def run(self, kib: int, *words: str) -> Done:
        done = run(*NAMESPACE, f"{kib}k", str(self.folder), *words)
        if done.returncode == 99 or "unshare" in done.stderr:
            pytest.skip(f"{CANNOT}no small file system can be mounted: {done.stderr.strip()}")
        return done


@pytest.fixture
def small_disk(tmp_path: Path) -> SmallDisk:
    if shutil.which("unshare") is None:
        pytest.skip(f"{CANNOT}there is no unshare to mount a small file system with")
    return SmallDisk(tmp_path)


@pytest.mark.slow
def test_a_disk_that_fills_up_leaves_no_half_written_run(
    small_disk: SmallDisk, whole: Path
) -> None:
    done = small_disk.run(100, *PROGRAM, *align_words("new/run"))
    refused(done, r"new/run/\w+\.\w+: cannot be written: No space left on device \(0\.\d MiB free")
    assert done.stdout == ""
    assert names_in(small_disk.after) == []


@pytest.mark.slow
def test_a_disk_that_fills_up_keeps_the_run_that_was_to_be_replaced(
    small_disk: SmallDisk, whole: Path
) -> None:
    shutil.copytree(whole, small_disk.before / "run")
    size = sum(path.stat().st_size for path in whole.iterdir()) // 1024
    done = small_disk.run(size + 100, *PROGRAM, *align_words("run", "--overwrite"))
    refused(done, "cannot be written: No space left on device")
    assert names_in(small_disk.after) == ["run"]
    for path in whole.iterdir():
        assert (small_disk.after / "run" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_a_disk_too_full_for_a_checkpoint_leaves_nothing(
    small_disk: SmallDisk, whole: Path
) -> None:
    done = small_disk.run(8, *PROGRAM, *align_words("new/run", rounds=2))
    refused(done, r"new/\.run\.checkpoint: cannot be written: No space left on device")
    assert names_in(small_disk.after) == []


def test_a_disk_too_full_for_a_dataset_leaves_nothing(small_disk: SmallDisk) -> None:
    done = small_disk.run(40, *PROGRAM, "synth", "--entities", "1000", "--out", "made")
    refused(done, r"made/\w+: cannot be written: No space left on device")
    assert names_in(small_disk.after) == []


@pytest.mark.slow
def test_a_disk_too_full_for_the_figures_still_shows_them(
    small_disk: SmallDisk, dataset: Path
) -> None:
    (small_disk.before / "filling").write_bytes(bytes(4096))
    words = ["bench", "run", str(dataset), "--seeds", "10", "--runs", "1", "--rounds", "1"]
    done = small_disk.run(4, *PROGRAM, *words, "--dim", "16", "--json", "figures.json")
    refused(done, r"figures\.json: cannot be written: No space left on device")
    assert "hits@1" in done.stdout
    assert names_in(small_disk.after) == ["filling"]


@pytest.mark.slow
@pytest.mark.parametrize(("rounds", "named"), [(1, r"run/\w+\.\w+"), (2, r"\.run\.checkpoint")])
def test_a_file_that_may_not_grow_is_said_and_nothing_is_left(
    tmp_path: Path, whole: Path, rounds: int, named: str
) -> None:
    done = lighttea(*align_words(tmp_path / "new" / "run", rounds=rounds), limit=4)
    refused(done, f"{named}: cannot be written: File too large; choose another place")
    assert names_in(tmp_path) == []


def test_a_dataset_that_may_not_grow_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    done = lighttea("synth", "--entities", "1000", "--out", str(tmp_path / "made"), limit=20)
    refused(done, r"made/\w+: cannot be written: File too large")
    assert names_in(tmp_path) == []


@pytest.mark.slow
def test_figures_that_cannot_be_kept_are_still_shown(tmp_path: Path, dataset: Path) -> None:
    figures = tmp_path / "figures.json"
    figures.write_text("old")
    words = ["bench", "run", str(dataset), "--seeds", "10", "--runs", "1", "--rounds", "1"]
    lighttea(*words, "--dim", "16")  # compiles what is not compiled yet
    done = lighttea(*words, "--dim", "16", "--json", str(figures), limit=1)
    refused(done, r"figures\.json: cannot be written: File too large")
    assert "hits@1" in done.stdout
    assert names_in(tmp_path) == ["figures.json"]
    assert figures.read_text() == "old"


def test_a_full_stdout_is_one_line_on_stderr(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip(f"{CANNOT}there is no /dev/full")
    command = f"{sys.executable} -m lighttea inspect {example_file('left.tsv')} > /dev/full"
    refused(run("sh", "-c", command), "No space left on device")


def test_a_checkpoint_that_cannot_be_written_keeps_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = Checkpoint.beside(tmp_path / "run", resume=True)
    state = State(
        2, Links.none(), CarriedCandidates.none(), Likely.nothing(), {}, [], compact=False
    )
    checkpoint.save("key", state)

    def no_room(path: Path, **arrays: Any) -> None:
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "savez", no_room)
    with (
        pytest.raises(OutputError, match="checkpoint: cannot be written: No space left"),
        checkpoint.while_running(),
    ):
        checkpoint.save("key", replace(state, next_round=3))
    assert names_in(tmp_path) == [".run.checkpoint"]
    found = checkpoint.load("key")
    assert found is not None
    assert found.next_round == 2


# ---- nowhere to keep compiled loops --------------------------------------------------------

ONE_LOOP = """
import re, sys
import numpy as np
{before}
from lighttea.kernels.products import normalise_rows
rows = np.full((3, 4), 2, np.float32)
normalise_rows(rows)
assert (rows == 0.5).all()
print(sum(normalise_rows.loop.stats.cache_hits.values()))
"""


REGISTERS = """
asm = "".join(normalise_rows.loop.inspect_asm().values())
print(*set(re.findall("[yz]mm", asm)))
"""


def one_loop(before: str = "", **more: Any) -> Done:
    done = run(sys.executable, "-c", ONE_LOOP.format(before=before), **more)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.slow
def test_a_full_disk_under_the_compiled_loops_costs_a_warning(tmp_path: Path) -> None:
    done = one_loop(limit=1, env={"NUMBA_CACHE_DIR": str(tmp_path)})
    assert done.stderr.count("cannot keep compiled loops in") == 1
    assert "File too large; every start compiles them again" in done.stderr
    kept = one_loop(env={"NUMBA_CACHE_DIR": str(tmp_path)})
    assert (kept.stdout, kept.stderr) == ("0\n", "")
    assert one_loop(env={"NUMBA_CACHE_DIR": str(tmp_path)}).stdout == "1\n"


@pytest.mark.slow
def test_without_any_folder_for_compiled_loops_they_still_run() -> None:
    before = "from numba.core.caching import CacheImpl\nCacheImpl._locator_classes = []"
    done = one_loop(before)
    assert (done.stdout, done.stderr) == ("0\n", "")


# ---- one thread ----------------------------------------------------------------------------


def watched(note: Path, *words: str, **more: Any) -> tuple[Done, list[dict[str, Any]]]:
    done = run(sys.executable, "-c", WATCHED, str(note), *words, **more)
    return done, [json.loads(line) for line in note.read_text().splitlines()]


@pytest.mark.slow
def test_one_thread_is_one_thread_and_gives_the_same_links(tmp_path: Path) -> None:
    seen = {}
    for threads in (1, 2):
        words = align_words(tmp_path / f"run{threads}", "--threads", str(threads), rounds=2)
        done, stages = watched(tmp_path / "note", *words, env={"NUMBA_NUM_THREADS": "2"})
        assert done.returncode == 0, done.stderr
        seen[threads] = {one["stage"]: one for one in stages}
    work = ("graph", "propagate", "search", "time_similarity", "sinkhorn", "iterate")
    for stage in work:
        assert seen[1][stage]["loops"] == 1
        assert set(seen[1][stage]["pools"]) == {1}, stage
        assert seen[2][stage]["loops"] == 2
    assert {one["tables"] for one in seen[1].values()} == {1}
    same_links(links(tmp_path / "run1"), links(tmp_path / "run2"))


# ---- an older processor --------------------------------------------------------------------

# numba's name of a processor, OpenBLAS's, and the instructions that numpy may still use
OLDER = {
    "haswell": ("Haswell", ("X86_V3", "AVX", "AVX2", "F16C", "FMA3")),
    "nehalem": ("Nehalem", ()),
}
SAYS = """
import numpy, scipy.linalg.cython_blas
from threadpoolctl import threadpool_info
print(*{pool["architecture"] for pool in threadpool_info() if "architecture" in pool})
print(*numpy.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
"""


def older(name: str) -> dict[str, str]:
    """The environment in which every library takes the processor for an older one."""
    if platform.machine() != "x86_64":
        pytest.skip(f"{CANNOT}the processor is no x86-64 one")
    blas, kept = OLDER[name]
    config: Any = np.show_config(mode="dicts")
    found: list[str] = config["SIMD Extensions"].get("found", [])
    return {
        "NUMBA_CPU_NAME": name,
        "NUMBA_CPU_FEATURES": "",  # or the real processor's are added to the older one's
        "OPENBLAS_CORETYPE": blas,
        "NPY_DISABLE_CPU_FEATURES": " ".join(one for one in found if one not in kept),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", list(OLDER))
def test_an_older_processor_gives_the_same_links(tmp_path: Path, whole: Path, name: str) -> None:
    said = run(sys.executable, "-c", SAYS, env=older(name)).stdout.splitlines()
    if said[0] != OLDER[name][0]:
        pytest.skip(f"{CANNOT}numpy's matrix library knows no {name}; it is {said[0]!r}")
    assert set(said[1].split()) <= set(OLDER[name][1])
    out = tmp_path / "run"
    done = lighttea(*align_words(out, rounds=2), env=older(name))
    assert done.returncode == 0, done.stderr
    same_links(links(out), links(whole))


@pytest.mark.slow
def test_loops_compiled_for_one_processor_are_not_loaded_on_another(tmp_path: Path) -> None:
    """A home folder or an image may be shared by machines; AVX-512 code would stop an older one."""
    folder = {"NUMBA_CACHE_DIR": str(tmp_path)}
    code = ONE_LOOP.format(before="") + REGISTERS
    assert one_loop(env=folder).stdout == "0\n"
    assert one_loop(env=folder).stdout == "1\n"
    for name, wide in (("haswell", {"ymm"}), ("nehalem", set())):
        done = run(sys.executable, "-c", code, env={**folder, **older(name)})
        hits, registers = done.stdout.splitlines()
        assert hits == "0", "code of a newer processor was loaded"
        assert set(registers.split()) == wide
        assert one_loop(env={**folder, **older(name)}).stdout == "1\n"


# ---- too little memory ---------------------------------------------------------------------


@pytest.mark.parametrize("command", ["align", "bench"])
def test_too_little_memory_is_said_before_the_work(
    tmp_path: Path, dataset: Path, command: str
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    words = align_words(out / "new" / "run")
    if command == "bench":
        words = ["bench", "run", str(dataset), "--seeds", "10", "--json", str(out / "figures")]
    done, stages = watched(tmp_path / "note", *words, "--max-memory", "0.01")
    assert done.returncode == 2
    said = (
        r"error: the run needs about \d+\.\d\d GiB of memory and may use 0\.01 GiB; lower [^\n]+\n"
    )
    assert re.fullmatch(said, done.stderr), done.stderr
    assert done.stdout == ""
    assert {one["stage"] for one in stages} == {"load", "graph"}
    assert names_in(out) == []
