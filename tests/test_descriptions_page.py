"""docs/descriptions.md: its files are what they say, its examples run, its messages come out."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lighttea
from lighttea.cli import run_command
from lighttea.io.descriptions.schema import SOURCE_KEYS

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "descriptions.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.S | re.M)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the page in an empty folder, which is the working one."""
    shutil.copytree(DOCS / "descriptions", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_files_are_made_by_their_script() -> None:
    made = runpy.run_path(str(DOCS / "descriptions" / "make_files.py"))["files"]()
    assert set(made) == {"people.csv", "appearances.csv", "league.json", "truth.tsv"}
    for name, text in made.items():
        assert (DOCS / "descriptions" / name).read_text(encoding="utf-8") == text, name


def test_the_descriptions_of_the_page_are_those_of_its_folder() -> None:
    names = ("left.toml", "right.toml")
    written = [(DOCS / "descriptions" / name).read_text(encoding="utf-8") for name in names]
    assert blocks("toml") == written


def test_every_key_is_on_the_page() -> None:
    for key in SOURCE_KEYS:
        assert f"`{key}`" in PAGE, key


def test_the_commands_run_and_find_all_links(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = "".join(blocks("sh")).splitlines()
    assert len(lines) == 3
    for line in lines:
        assert run_command(shlex.split(line)[1:]) == 0, capfd.readouterr().err
    run = lighttea.load_run(here / "runs" / "players")
    assert run.evaluate(lighttea.read_links("truth.tsv")).links.recall == 1
    draft = (here / "draft.toml").read_text(encoding="utf-8")
    assert blocks("text")[0] in draft
    assert len(lighttea.read_graph("draft.toml").facts) > 180


def test_the_python_example_runs(here: Path) -> None:
    (code,) = blocks("python")
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=here)
    assert code.count("assert") == 2


def test_the_messages_come_out(here: Path) -> None:
    shown = blocks("text")[1].splitlines()
    text = (here / "left.toml").read_text(encoding="utf-8")
    assert complaint(text.replace('"teamID"', '"team"')) == shown[0]
    assert complaint(text.replace("attributes =", "atributes =")).splitlines() == shown[1:2]
    lines = (here / "people.csv").read_text(encoding="utf-8").splitlines()
    lines[7] = re.sub(r"\d{4}-\d\d-\d\d", "03/07/1968", lines[7])
    (here / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert complaint(text).startswith(shown[2])


def complaint(text: str) -> str:
    Path("left.toml").write_text(text, encoding="utf-8")
    with pytest.raises(lighttea.InputError) as caught:
        lighttea.read_graph("left.toml")
    return str(caught.value)
