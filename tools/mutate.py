"""Mutation testing: change one place of the source, and see whether the tests notice.

    python tools/mutate.py --count 400 --out build/mutants.json

Places are drawn at random from the rooms of the compute core. A first run notes which tests run
which line. Each change is then tried in a copy of the tree against those tests of its own room that
run the changed statement, quickest first; what survives is tried with `--whole` against the others.
What tests run in another process is not noted, so a survivor may yet be seen by one: read the list.
A mutant that takes several times what its tests take counts as killed. The JSON has every mutant
with its outcome; a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path

from mutants import trial
from mutants.places import Mutant, mutants_of
from mutants.witnesses import Witnesses

ROOMS = ("graph", "propagate", "similarity", "evidence", "assign", "solve", "io")
ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src/lighttea")
COPIED = ("src", "tests", "docs", "benchmarks", "tools", ".ci", ".github")
PASSED = ("survived", "unseen")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


# ---------------------------------------------------------------- what is tried, and by whom


def sample(
    rooms: Sequence[str], count: int, random_seed: int, places: Sequence[str] = ()
) -> list[Mutant]:
    """Return mutants of the rooms in a random order, each as likely as any other.

    With `places`, all mutants of the files or lines that begin like one of them.
    """
    modules = [
        path.relative_to(ROOT)
        for room in rooms
        for path in sorted((ROOT / PACKAGE / room).rglob("*.py"))
    ]
    everything = [mutant for path in modules for mutant in mutants_of(ROOT, path)]
    random.Random(random_seed).shuffle(everything)
    if places:
        return [one for one in everything if f"{one.path}:{one.line}:".startswith(tuple(places))]
    tell(f"{len(everything):,} places in {len(modules)} modules")
    return everything[:count]


def room_of(mutant: Mutant) -> str:
    """Return the room whose module is changed."""
    return Path(mutant.path).relative_to(PACKAGE).parts[0]


def tests_of(mutant: Mutant, witnesses: Witnesses) -> list[str]:
    """Return the tests that can see a change, the quickest first.

    What is run at import is seen by tests that run something in the module or in one that imports
    it, or that name it themselves.
    """
    if not mutant.at_import:
        tests = witnesses.of_lines(mutant.path, mutant.first_line, mutant.last_line)
    else:
        module = module_name(mutant.path)
        importers = {path for path in witnesses.tests if names_module(path, module)}
        tests = witnesses.of_modules({mutant.path, *importers})
        tests |= {one for one in witnesses.seconds if names_module(one.split("::")[0], module)}
    return witnesses.quickest_first(tests)


def module_name(path: str) -> str:
    """Return the name by which a module is imported."""
    return ".".join(Path(path).relative_to("src").with_suffix("").parts).removesuffix(".__init__")


@cache
def names_module(path: str, module: str) -> bool:
    """Return whether a file names a module in full, or imports it from its room."""
    room, _, name = module.rpartition(".")
    text = (ROOT / path).read_text()
    return module in text or f"from {room} import {name}" in text


# ---------------------------------------------------------------- a copy of the tree


class Tree:
    """A copy of what the tests need, in which one module at a time is changed.

    What tests run which line is kept beside the outcomes, a file for each set of folders.
    """

    def __init__(self, place: Path, kept: Path) -> None:
        self.place = place
        self._kept = kept
        self._witnesses: dict[str, Witnesses] = {}
        ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
        for name in COPIED:
            if (ROOT / name).exists():
                shutil.copytree(ROOT / name, place / name, ignore=ignored)
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy(path, place)

    def witnesses(self, name: str, folders: Sequence[str]) -> Witnesses:
        """Return which tests of some folders run which line, measured unless that is kept."""
        if name not in self._witnesses:
            kept = self._kept.with_suffix(f".{name}.json").resolve()
            if not kept.exists():
                tell(f"noting which tests of {' '.join(folders)} run which line")
                self._measure(kept, folders)
            self._witnesses[name] = witnesses = Witnesses.read(kept)
            if self._status(list(witnesses.seconds), witnesses):
                printed = (self.place / trial.PRINTED).read_text()
                sys.exit(f"{printed}\nthe tests fail without any change")
        return self._witnesses[name]

    def _measure(self, kept: Path, folders: Sequence[str]) -> None:
        options = [*trial.QUIET, "-m", "not slow", *folders]
        done = subprocess.run(
            [sys.executable, "-m", "mutants.witnesses", kept, self.place / PACKAGE, *options],
            cwd=self.place,
            env={**os.environ, "PYTHONPATH": f"{self.place / 'src'}:{ROOT / 'tools'}"},
            check=False,
        )
        if done.returncode:
            sys.exit("the tests fail while what they run is noted")

    def outcome(self, mutant: Mutant, witnesses: Witnesses) -> str:
        """Return what the tests say about a mutant; `unseen` where none of them runs the place."""
        tests = tests_of(mutant, witnesses)
        if not tests:
            return "unseen"
        with changed(self.place / mutant.path, mutant):
            status = self._status(tests, witnesses)
        if status < 0:
            return "slow"
        return "survived" if status == 0 else "killed"

    def _status(self, tests: Sequence[str], witnesses: Witnesses) -> int:
        """Return how tests end: 0 where they pass, minus a signal where they take too long."""
        temporary = self.place / "tmp"
        temporary.mkdir()
        os.environ["TMPDIR"] = str(temporary)
        seconds = sum(witnesses.seconds[test] for test in tests)
        try:
            return trial.status_of(self.place, tests, seconds)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def changed(target: Path, mutant: Mutant) -> Iterator[None]:
    """Change a file for a while; what is compiled of it stays good."""
    source, stat = target.read_bytes(), target.stat()
    target.write_bytes(mutant.apply(source))
    try:
        yield
    finally:
        target.write_bytes(source)
        os.utime(target, ns=(stat.st_atime_ns, stat.st_mtime_ns))


# ---------------------------------------------------------------- all of them


def main(words: Sequence[str] | None = None) -> None:
    """Try mutants one by one and keep what came of each."""
    given = options(words)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    os.environ.update(ONE_THREAD)
    trial.warm_up()
    known = json.loads(given.out.read_text()) if given.out.exists() else []
    records = {key_of(one): one for one in known}
    with tempfile.TemporaryDirectory(prefix="mutants.") as folder:
        tree = Tree(Path(folder), given.out)
        for mutant in sample(given.rooms.split(","), given.count, given.random_seed, given.places):
            record = asdict(mutant)
            record = records.setdefault(key_of(record), record)
            try_once(mutant, record, tree, whole=given.whole)
            given.out.write_text(json.dumps(list(records.values()), indent=1))
    tell(summary(list(records.values())))


def options(words: Sequence[str] | None) -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description="Mutation testing of the compute core.")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--random-seed", type=int, default=0)
    parser.add_argument("--rooms", default=",".join(ROOMS))
    parser.add_argument("--out", type=Path, default=Path("build/mutants.json"))
    parser.add_argument("--places", nargs="*", default=(), help="src/lighttea/io/times.py:17: ...")
    parser.add_argument("--whole", action="store_true", help="try survivors on the other tests")
    return parser.parse_args(words)


def key_of(record: Mapping[str, object]) -> tuple[object, ...]:
    """Return what tells a mutant from all others."""
    return record["path"], record["begin"], record["after"]


def try_once(mutant: Mutant, record: dict[str, object], tree: Tree, *, whole: bool) -> None:
    """Fill in the outcome of a mutant where it is not known."""
    if "outcome" not in record:
        room = room_of(mutant)
        record["outcome"] = tree.outcome(mutant, tree.witnesses(room, [f"tests/{room}"]))
        tell(f"{record['outcome']:9}{described(mutant)}")
    if whole and record["outcome"] in PASSED and "whole" not in record:
        record["whole"] = tree.outcome(mutant, tree.witnesses("whole", ["tests"]))
        tell(f"{record['whole']:9}by the whole suite: {described(mutant)}")


def described(mutant: Mutant) -> str:
    """Return a mutant in a line."""
    return f"{mutant.path}:{mutant.line}  {mutant.before!r} -> {mutant.after!r}"


def summary(records: Sequence[dict[str, object]]) -> str:
    """Return the counts in a sentence."""
    first = Counter(str(one["outcome"]) for one in records)
    passed = sum(one.get("whole", one["outcome"]) in PASSED for one in records)
    return (
        f"{len(records)} mutants: {first['killed']} killed and {first['slow']} stopped by the "
        f"tests of their room, {first['survived']} passed them, {first['unseen']} met none; "
        f"{passed} passed everything that was tried "
        f"({1 - passed / max(len(records), 1):.1%} killed)"
    )


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
