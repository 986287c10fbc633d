"""The documents are true: examples run, lists are complete, and nothing in them is a ghost."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lighttea.cli import run_command
from lighttea.example import example_file
from tests.conftest import CANNOT

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
METHOD = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "tests/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
REFERENCE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.S | re.M)


@pytest.fixture
def example_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bundled example's files in an empty folder, which is the working one."""
    for name in ("left.tsv", "right.csv", "seeds.tsv", "truth.tsv"):
        shutil.copy(example_file(name), tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_python_example_runs(example_here: Path) -> None:
    (code,) = blocks(README, "python")
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=example_here)
    assert (example_here / "runs" / "second" / "links.tsv").exists()


def test_the_command_line_example_runs(
    example_here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = blocks(README, "sh")
    commands = [shlex.split(line, comments=True) for line in code.splitlines() if line.strip()]
    assert len(commands) >= 3
    for words in commands:
        assert words[0] == "lighttea"
        assert run_command(words[1:]) == 0, capsys.readouterr().err
    assert (example_here / "runs" / "first" / "run.json").exists()


def test_the_benchmark_commands_are_ones_that_exist() -> None:
    """They need datasets, so they are not run here: only their options are looked up."""
    known = set(re.findall(r"--[a-z][a-z-]+", REFERENCE))
    pages = (README, *(path.read_text(encoding="utf-8") for path in DOCUMENTS))
    lines = [x for page in pages for x in page.splitlines() if x.startswith("lighttea bench ")]
    assert len(lines) > 10
    for line in lines:
        assert set(re.findall(r"--[a-z][a-z-]+", line)) <= known


def test_the_method_page_names_functions_that_exist() -> None:
    import importlib

    rooms = "graph|propagate|similarity|evidence|assign|solve"
    named = re.findall(rf"`((?:{rooms})\.[a-z_]+)\.([a-z_]+)`", METHOD)
    assert len(named) >= 10
    for module, name in named:
        assert hasattr(importlib.import_module(f"lighttea.{module}"), name), (module, name)


def wording(page: str) -> list[str]:
    """The words of a page without its frame and its line breaks."""
    return re.sub(r"[│╭╮╰╯─]", " ", page).split()


def test_the_reference_has_all_options_and_no_ghost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One page as the program prints it, the others from this process."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from make_reference import PAGES, help_page  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    pages = dict(re.findall(r"## (lighttea[a-z ]*)\n\n```text\n(.*?)```", REFERENCE, flags=re.S))
    assert set(pages) == {" ".join(("lighttea", *words)) for words in PAGES}
    assert wording(help_page(("align",))) == wording(pages["lighttea align"])
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    for words in PAGES:
        assert run_command([*words, "--help"]) == 0
        now, then = capsys.readouterr().out, pages[" ".join(("lighttea", *words))]
        assert wording(now) == wording(then), f"{words}: run make reference"


def test_every_make_command_of_the_documents_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.M))
    assert {"make demo", "make test", "make docs"} <= set(re.findall(r"make [a-z-]+", README))
    assert "make test-all" in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    pages = [*DOCUMENTS, ROOT / ".ci" / "run"]
    named = re.compile(r"(?:`make |^make (?=[a-z-]+ *(?:#|$)))([a-z-]+)", flags=re.M)
    for path in pages:
        used = set(named.findall(path.read_text(encoding="utf-8")))
        assert used <= targets, f"{path.name}: make {' '.join(used - targets)}"


@pytest.mark.skipif(shutil.which("make") is None, reason=f"{CANNOT}no make")
def test_the_demo_installs_no_tools_of_developers(tmp_path: Path) -> None:
    """Each target makes its own environment; only the developers' one has their tools."""
    for target, extra in (("demo", ".[report]"), ("lint", ".[dev]")):
        command = ["make", "-n", target, f"VENV={tmp_path / 'venv'}"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
        assert re.findall(r'-e "(.+?)"', done.stdout) == [extra]


def test_no_document_has_a_dead_link() -> None:
    for path in DOCUMENTS:
        for link in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / link).exists(), f"{path.name}: {link}"
