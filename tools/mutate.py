"""Mutation testing: change one place of the source, and see whether the tests notice.

    python tools/mutate.py --count 400 --out build/mutants.json

Places are drawn at random from the rooms of the compute core. Each change is tried in a copy of
the tree against the tests of its own room, the file of the module first; what these let pass is
tried against the whole suite with `--whole`. A mutant that takes more processor time than it may
counts as killed. The JSON has every mutant with its outcome; a run that was stopped goes on where
it was.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOMS = ("graph", "propagate", "similarity", "evidence", "assign", "solve", "io")
ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src/lighttea")
PYTEST = ("-m", "pytest", "-n", "0", "-x", "-q", "--no-header", "-p", "no:cacheprovider")
CPU_SECONDS = 240  # of one try; the slowest room takes a fifth of it
COPIED = ("src", "tests", "docs", "benchmarks", "tools", ".ci", ".github")

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.Pow: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """One changed place: what stood there, and what stands there instead."""

    path: str
    line: int
    begin: int  # in the bytes of the file
    end: int
    before: str
    after: str

    def apply(self, source: bytes) -> bytes:
        """Return the source with the change."""
        return source[: self.begin] + self.after.encode() + source[self.end :]


# ---------------------------------------------------------------- what can be changed


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a module of the tree, by its path from the root."""
    source = (ROOT / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, after in changes(ast.parse(source)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        before = source[begin:end].decode()
        yield Mutant(str(path), node.lineno, begin, end, before, after)


def changes(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield the nodes that can be changed, each with the text that takes its place."""
    for node in inner_nodes(tree):
        if is_left_alone(node):
            continue
        if isinstance(node, ast.expr | ast.stmt) and (after := changed(node)) is not None:
            yield node, after
        yield from changes(node)


def inner_nodes(node: ast.AST) -> Iterable[ast.AST]:
    """Return the nodes inside a node, but for the types it states."""
    match node:
        case ast.AnnAssign(value=value):
            return [value] if value is not None else []
        case ast.FunctionDef(args=ast.arguments() as given, body=body):
            named = [default for default in given.kw_defaults if default is not None]
            return [*given.defaults, *named, *body]
        case ast.ClassDef(body=body):  # how a dataclass is made shows nowhere
            return body
    return ast.iter_child_nodes(node)


def is_left_alone(node: ast.AST) -> bool:
    """Return whether a change there says nothing: messages, types, checks for the type checker."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: for whoever reads it
        return True
    return isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom)


def changed(node: ast.expr | ast.stmt) -> str | None:  # noqa: PLR0911 - a table
    """Return the text of a changed node; None where there is nothing to change."""
    match node:
        case ast.Compare(left, [operator, *more], values) if type(operator) in COMPARISONS:
            other = COMPARISONS[type(operator)]()
            return f"({ast.unparse(ast.Compare(left, [other, *more], values))})"
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
            return f"({ast.unparse(ast.BinOp(left, OPERATORS[type(operator)](), right))})"
        case ast.BoolOp(operator, values):
            other_word = ast.Or() if isinstance(operator, ast.And) else ast.And()
            return f"({ast.unparse(ast.BoolOp(other_word, values))})"
        case ast.UnaryOp(ast.Not() | ast.USub(), operand) if not is_minus_one(node):
            return f"({ast.unparse(operand)})"
        case ast.IfExp(test, body, other_body):
            return f"({ast.unparse(ast.IfExp(test, other_body, body))})"
        case ast.Constant(bool() as value):
            return repr(not value)
        case ast.Constant(int() | float() as number):
            return repr(2 * number if number > 2 else number + 1)
        case ast.Continue():
            return "break"
        case ast.Break():
            return "continue"
        case ast.Expr(ast.Call()) | ast.AugAssign():
            return "pass"
    return None


def is_minus_one(node: ast.expr) -> bool:
    """Return whether a node is a plain -1, whose 1 is changed already."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


# ---------------------------------------------------------------- trying one


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
    everything = [mutant for path in modules for mutant in mutants_of(path)]
    random.Random(random_seed).shuffle(everything)
    if places:
        return [one for one in everything if f"{one.path}:{one.line}:".startswith(tuple(places))]
    tell(f"{len(everything):,} places in {len(modules)} modules")
    return everything[:count]


def copy_tree(place: Path) -> None:
    """Copy what the tests need."""
    ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
    for name in COPIED:
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, place / name, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, place)


def tests_of(mutant: Mutant, place: Path) -> list[str]:
    """Return the tests of a module's room, those of the module itself first."""
    room = Path(mutant.path).relative_to(PACKAGE).parts[0]
    folder = place / "tests" / room
    stem = Path(mutant.path).stem
    files = sorted(folder.rglob("test_*.py"), key=lambda path: (stem not in path.stem, path))
    return [str(path.relative_to(place)) for path in files]


def outcome_of(mutant: Mutant, place: Path, tests: Sequence[str]) -> str:
    """Return `killed`, `slow` (killed by its limit) or `survived`."""
    target = place / mutant.path
    source = target.read_bytes()
    try:
        target.write_bytes(mutant.apply(source))
        return run_tests(place, tests)
    finally:
        target.write_bytes(source)


def run_tests(place: Path, tests: Sequence[str]) -> str:
    """Return how tests end in a copy of the tree."""
    words = [sys.executable, *PYTEST, "-m", "not slow", *tests]
    paths = {"PYTHONPATH": str(place / "src"), "TMPDIR": str(place / "tmp")}
    threads = {"NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    done = subprocess.run(
        words,
        cwd=place,
        env={**os.environ, **paths, **threads},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=limit,
        text=True,
        check=False,
    )
    shutil.rmtree(place / "tmp", ignore_errors=True)
    (place / "tmp").mkdir()
    (place / "last.txt").write_text(done.stdout)
    if done.returncode < 0:
        return "slow"
    return "survived" if done.returncode == 0 else "killed"


def limit() -> None:
    """Bound what a mutant may take: an endless loop, or one that fills the memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))


# ---------------------------------------------------------------- all of them


def main(words: Sequence[str] | None = None) -> None:
    """Try mutants one by one and keep what came of each."""
    given = options(words)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(given.out.read_text()) if given.out.exists() else []
    tried = {(one["path"], one["begin"], one["after"]): one for one in known}
    with tempfile.TemporaryDirectory(prefix="mutants.") as folder:
        place = Path(folder)
        copy_tree(place)
        (place / "tmp").mkdir()
        for mutant in sample(given.rooms.split(","), given.count, given.random_seed, given.places):
            record = tried.setdefault(
                (mutant.path, mutant.begin, mutant.after), {**asdict(mutant), "outcome": ""}
            )
            try_once(mutant, record, place, whole=given.whole)
            given.out.write_text(json.dumps(list(tried.values()), indent=1))
    tell(summary(list(tried.values())))


def options(words: Sequence[str] | None) -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description="Mutation testing of the compute core.")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--random-seed", type=int, default=0)
    parser.add_argument("--rooms", default=",".join(ROOMS))
    parser.add_argument("--out", type=Path, default=Path("build/mutants.json"))
    parser.add_argument("--places", nargs="*", default=(), help="src/lighttea/io/times.py:17: ...")
    parser.add_argument("--whole", action="store_true", help="try survivors on the whole suite")
    return parser.parse_args(words)


def try_once(mutant: Mutant, record: dict[str, object], place: Path, *, whole: bool) -> None:
    """Fill in the outcome of a mutant where it is not known."""
    if not record["outcome"]:
        record["outcome"] = outcome_of(mutant, place, tests_of(mutant, place))
        tell(
            f"{record['outcome']:9}{mutant.path}:{mutant.line}  {mutant.before!r} -> "
            f"{mutant.after!r}"
        )
    if whole and record["outcome"] == "survived" and "whole" not in record:
        record["whole"] = outcome_of(mutant, place, ["tests"])
        tell(f"{record['whole']:9}by the whole suite: {mutant.path}:{mutant.line}")


def summary(records: Sequence[dict[str, object]]) -> str:
    """Return the counts in a sentence."""
    first = Counter(str(one["outcome"]) for one in records)
    survived = sum(one.get("whole", one["outcome"]) == "survived" for one in records)
    return (
        f"{len(records)} mutants: {first['killed']} killed and {first['slow']} stopped by the "
        f"tests of their room, {first['survived']} passed them; {survived} passed everything that "
        f"was tried ({1 - survived / max(len(records), 1):.1%} killed)"
    )


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
