"""Mutation testing: change one place of the source, and see whether the tests notice.

    python tools/mutate.py --count 400 --whole --out build/mutants.json

Places are drawn at random from the rooms of the compute core. First all tests that are not slow run
once, to note which of them run which line. Each change is then tried in a copy of the tree against
those tests of its own room that run the changed statement, quickest first; what survives is tried
with `--whole` against the others; both as many as take `--seconds` of processor time, and a later
run goes on with the rest. What tests run in another process is not noted, so a survivor may yet be
seen by one: read the list. A mutant with which a test takes several times as long counts as killed.
The JSON has every mutant with its outcome, how many tests were asked of how many, and the test that
killed it.

New tests are tried on what survived, and on nothing else, with

    python tools/mutate.py --out build/mutants.json --again tests/solve/test_new.py ...
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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mutants import trial
from mutants.places import Mutant, mutants_of
from mutants.trial import Told
from mutants.witnesses import Witnesses

Record = dict[str, Any]  # a mutant, and what came of it
Records = Mapping[tuple[object, ...], Record]

ROOMS = ("graph", "propagate", "similarity", "evidence", "assign", "solve", "io")
ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src/lighttea")
COPIED = ("src", "tests", "docs", "benchmarks", "tools", ".ci", ".github")
PASSED = ("survived", "unseen")
ASKED = ("outcome", "whole", "again")  # of a record: the tests of the room, the others, new ones
ENDED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
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
    """A copy of what the tests need, in which one module at a time is changed."""

    def __init__(self, place: Path, seconds: float) -> None:
        self.place = place
        self.seconds = seconds  # of tests that are asked about a mutant
        ignored = shutil.ignore_patterns(".hypothesis")  # what is compiled goes along
        for name in COPIED:
            if (ROOT / name).exists():
                shutil.copytree(ROOT / name, place / name, ignore=ignored)
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy(path, place)

    def note(self, kept: Path, tests: Sequence[str]) -> Witnesses:
        """Return which tests run which line, but for tests that fail; kept in a file."""
        if not kept.exists():
            tell(f"noting which tests of {' '.join(tests)} run which line")
            places = [str(kept.resolve()), str(self.place / PACKAGE)]
            words = [*places, *trial.QUIET, "-m", "not slow", *tests]
            done = subprocess.run(
                [sys.executable, "-m", "mutants.witnesses", *words],
                cwd=self.place,
                env={**os.environ, "PYTHONPATH": f"{self.place / 'src'}:{ROOT / 'tools'}"},
                check=False,
            )
            if done.returncode not in ENDED:
                sys.exit("the tests ended while what they run was noted")
        return Witnesses.read(kept)

    def unsound(self, tests: Collection[str], witnesses: Witnesses) -> frozenset[str]:
        """Return the tests that fail, or end the process, without any change."""
        left, found = set(tests), set[str]()
        while left:
            told = self.tried(witnesses.quickest_first(left), witnesses, all_of_them=True)
            found |= told.failed
            left -= told.failed | told.seconds.keys()
            if not told.failed:
                break
        return frozenset(found)

    def outcome(self, mutant: Mutant, tests: Sequence[str], witnesses: Witnesses) -> Told:
        """Return what tests say about a mutant."""
        with changed(self.place / mutant.path, mutant):
            return self.tried(tests, witnesses)

    def tried(
        self, tests: Sequence[str], witnesses: Witnesses, *, all_of_them: bool = False
    ) -> Told:
        """Return what becomes of tests, in a folder for temporary files of their own."""
        temporary = self.place / "tmp"
        temporary.mkdir()
        os.environ["TMPDIR"] = str(temporary)
        seconds = {test: witnesses.seconds[test] for test in tests}
        try:
            return trial.try_tests(self.place, seconds, all_of_them=all_of_them)
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
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each child would compile everything
    trial.warm_up()
    known = json.loads(given.out.read_text()) if given.out.exists() else []
    records = {key_of(one): one for one in known}
    with tempfile.TemporaryDirectory(prefix="mutants.") as folder:
        for record in in_turn(given, Tree(Path(folder), given.seconds), records):
            records[key_of(record)] = record
            given.out.write_text(json.dumps(list(records.values()), indent=1))
    tell(summary(list(records.values())))


def in_turn(given: argparse.Namespace, tree: Tree, records: Records) -> Iterator[Record]:
    """Yield the record of one mutant after the other, once more is known of it."""
    if given.again:
        witnesses = tree.note(tree.place / "again.json", given.again)
        for record in [one for one in records.values() if survives(one)]:
            record.pop("again_asked", None)  # of other tests
            ask(record, "again", tests_of(mutant_of(record), witnesses), tree, witnesses)
            yield record
        return
    kept = given.out.with_suffix(".witnesses.json")
    witnesses = tree.note(kept, ["tests"])
    mutants = sample(given.rooms.split(","), given.count, given.random_seed, given.places)
    while mutants:
        for mutant in mutants:
            record = asdict(mutant)
            record = records.get(key_of(record), record)
            yield try_once(mutant, record, tree, witnesses, whole=given.whole)
        unsound = take_back(records.values(), tree, witnesses)
        if not unsound:
            return
        witnesses = witnesses.without(unsound)
        witnesses.write(kept)


def take_back(records: Iterable[Record], tree: Tree, witnesses: Witnesses) -> frozenset[str]:
    """Return the tests that fail without any change; what they killed is not known any more."""
    killers = {one["killer"] for one in records if "killer" in one}
    unsound = tree.unsound(killers & set(witnesses.seconds), witnesses)
    for test in sorted(unsound):
        tell(f"fails without any change and is left out: {test}")
    for record in records:
        if record.get("killer") in unsound:
            for name in [one for one in record if one.startswith((*ASKED, "killer"))]:
                del record[name]
    return unsound


def options(words: Sequence[str] | None) -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description="Mutation testing of the compute core.")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--random-seed", type=int, default=0)
    parser.add_argument("--rooms", default=",".join(ROOMS))
    parser.add_argument("--out", type=Path, default=Path("build/mutants.json"))
    parser.add_argument("--places", nargs="*", default=(), help="src/lighttea/io/times.py:17: ...")
    parser.add_argument("--whole", action="store_true", help="try survivors on the other tests")
    parser.add_argument("--seconds", type=float, default=120, help="of tests, a mutant")
    parser.add_argument("--again", nargs="*", default=(), help="try survivors on these tests alone")
    return parser.parse_args(words)


def key_of(record: Mapping[str, object]) -> tuple[object, ...]:
    """Return what tells a mutant from all others."""
    return record["path"], record["begin"], record["after"]


def mutant_of(record: Record) -> Mutant:
    """Return the mutant of a record."""
    return Mutant(**{field.name: record[field.name] for field in fields(Mutant)})


def try_once(
    mutant: Mutant, record: Record, tree: Tree, witnesses: Witnesses, *, whole: bool
) -> Record:
    """Return a record with what the tests of the room say, and with `whole` the others.

    What was killed before is not tried again.
    """
    if not survives(record):
        return record
    folder = f"tests/{room_of(mutant)}/"
    own: list[str] = []
    others: list[str] = []
    for test in tests_of(mutant, witnesses):
        (own if test.startswith(folder) else others).append(test)
    ask(record, "outcome", own, tree, witnesses)
    if whole and record["outcome"] in PASSED:
        ask(record, "whole", others, tree, witnesses)
    return record


def ask(record: Record, name: str, tests: Sequence[str], tree: Tree, witnesses: Witnesses) -> None:
    """Fill in what tests say about a mutant, going on behind those that were asked before."""
    known, begin = record.get(name), record.get(f"{name}_asked", 0)
    asked = witnesses.within(tests[begin:], tree.seconds)
    if known not in (None, *PASSED) or (known is not None and not asked):
        return
    told = tree.outcome(mutant_of(record), asked, witnesses) if asked else None
    record[f"{name}_asked"], record[f"{name}_tests"] = begin + len(asked), len(tests)
    if told is None:
        record[name] = "survived" if tests else "unseen"
    elif told.status in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        record[name] = "survived"
    else:
        record[name] = "slow" if told.status < 0 else "killed"
        record["killer"] = min(told.failed, default="")
    tell(f"{name:8}{record[name]:9}{described(mutant_of(record))}")


def survives(record: Record) -> bool:
    """Return whether nothing that was tried killed a mutant."""
    return all(record.get(name, "survived") in PASSED for name in ASKED)


def described(mutant: Mutant) -> str:
    """Return a mutant in a line."""
    return f"{mutant.path}:{mutant.line}  {mutant.before!r} -> {mutant.after!r}"


def summary(records: Sequence[Record]) -> str:
    """Return the counts in a sentence."""
    by_room, by_others, by_new = (
        sum(one.get(name) in {"killed", "slow"} for one in records) for name in ASKED
    )
    n_unseen = sum(
        survives(one) and all(one.get(name, "unseen") == "unseen" for name in ASKED)
        for one in records
    )
    n_left = sum(survives(one) for one in records)
    return (
        f"{len(records)} mutants: {by_room} killed by the tests of their room, {by_others} by "
        f"others, {by_new} by tests tried again; {n_left} survived, {n_unseen} of them met no "
        f"test ({1 - n_left / max(len(records), 1):.1%} killed)"
    )


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
