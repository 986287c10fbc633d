"""Small graphs as files, and the command line called in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lighttea.cli import run_command
from tests.worlds import Fact, random_facts, renamed

LIGHT = ("--dim", "16", "--top-k", "10", "--rounds", "1", "--threads", "1")


@dataclass(frozen=True)
class Outcome:
    """What one command did."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """What stdout holds, which must be JSON and nothing else."""
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Run a command in an empty folder; whatever happens, there must be no traceback."""
    monkeypatch.chdir(tmp_path)

    def call(*tokens: str | Path) -> Outcome:
        code = run_command([str(token) for token in tokens])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture(autouse=True)
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports take longer than the small runs here; `test_report.py` wants them."""
    for name in ("align", "demo"):
        monkeypatch.setattr(f"lighttea.cli.{name}.report_if_possible", lambda *_: None)


@dataclass(frozen=True)
class Files:
    """Two graphs, seeds and truth as files, in a folder of their own."""

    folder: Path

    @property
    def left(self) -> Path:
        return self.folder / "left.tsv"

    @property
    def right(self) -> Path:
        return self.folder / "right.csv"

    @property
    def seeds(self) -> Path:
        return self.folder / "seeds.tsv"

    @property
    def truth(self) -> Path:
        return self.folder / "truth.tsv"

    def write(self, name: str, text: str) -> Path:
        """Another file beside them."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


def lines_of(facts: Sequence[Fact], separator: str, header: str = "") -> str:
    return header + "".join(separator.join(field or "" for field in f) + "\n" for f in facts)


@pytest.fixture
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A graph of 40 entities and its renamed copy."""
    made = Files(tmp_path_factory.mktemp("files"))
    facts = random_facts(40, 250, 7)
    made.write("left.tsv", lines_of(facts, "\t"))
    made.write("right.csv", lines_of(renamed(facts), ",", "subject,predicate,object,start,end\n"))
    entities = sorted({fact[0] for fact in facts} | {fact[2] for fact in facts})
    links = [f"{entity}\tx{entity}\n" for entity in entities]
    made.write("seeds.tsv", "left\tright\n" + "".join(links[:10]))
    made.write("truth.tsv", "".join(links[10:]))
    return made


@pytest.fixture
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset folder of 30 pairs."""
    folder = tmp_path_factory.mktemp("data") / "TINY"
    folder.mkdir()
    number = {f"e{n}": n for n in range(30)}
    left, right = [], []
    for head, relation, tail, begin, end in random_facts(30, 200, 3):
        row = [number[head], int(relation[1:]), number[tail], begin, end]
        left.append("\t".join(map(str, row)))
        row = [number[head] + 100, int(relation[1:]) + 20, number[tail] + 100, begin, end]
        right.append("\t".join(map(str, row)))
    pairs = [f"{n}\t{n + 100}" for n in range(30)]
    texts = {
        "triples_1": left,
        "triples_2": right,
        "ent_ids_1": [f"{n}\tname {n}" for n in range(30)],
        "ent_ids_2": [f"{n + 100}\tname {n}" for n in range(30)],
        "sup_pairs": pairs[:8],
        "ref_pairs": pairs[8:],
    }
    for name, rows in texts.items():
        (folder / name).write_text("\n".join(rows) + "\n")
    return folder
