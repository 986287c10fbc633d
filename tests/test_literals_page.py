"""docs/literals.md: its files are what they say they are, and what it shows is what comes out."""

from __future__ import annotations

import csv
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
from lighttea.literals.kinds import special_words
from lighttea.literals.text import split_pieces, split_words
from lighttea.literals.vocabulary import Vocabulary

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "literals.md").read_text(encoding="utf-8")
VALUES = [
    (left, right, common.strip())
    for left, right, common in re.findall(
        r"^\| [^|`]+ \| `([^`]+)` \| `([^`]+)` \| (.+) \|$", PAGE, flags=re.M
    )
]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.S | re.M)


def words_in_common(left: str, right: str) -> set[str]:
    one, other = ({*split_words(text), *special_words(text)} for text in (left, right))
    return one & other


def test_the_files_are_made_by_their_script() -> None:
    made = runpy.run_path(str(DOCS / "literals" / "make_files.py"))["files"]()
    assert set(made) == {"league.csv", "club.csv", "truth.tsv"}
    for name, text in made.items():
        assert (DOCS / "literals" / name).read_text(encoding="utf-8") == text, name


def test_the_player_of_the_page_stands_in_both_files() -> None:
    assert "e18\te70\n" in (DOCS / "literals" / "truth.tsv").read_text(encoding="utf-8")
    shown = re.findall(r"`([a-z ]+)`: ([^|,]+(?:, [^|`,]+)?)(?= \||, `)", PAGE)
    assert len(shown) == 9
    rows = []
    for name, head in (("league.csv", "e18"), ("club.csv", "e70")):
        with (DOCS / "literals" / name).open(encoding="utf-8", newline="") as file:
            rows += [(r[1], r[4]) for r in csv.reader(file) if r[0] == head and r[4]]
    assert sorted(shown) == sorted(rows)


@pytest.mark.parametrize(("left", "right", "common"), VALUES)
def test_two_values_have_in_common_what_the_page_says(left: str, right: str, common: str) -> None:
    words = words_in_common(left, right)
    if "cells" in common:
        assert sum(word.startswith("at ") for word in words) >= 2
    else:
        assert sorted(words) == re.findall(r"`([^`]+)`", common)
    whole = Vocabulary.of([left, right]).whole
    assert bool(set(whole.of_row(0)) & set(whole.of_row(1))) == common.startswith("whole")
    if "pieces" in common:
        one, other = ({p for w in split_words(t) for p in split_pieces(w)} for t in (left, right))
        assert one & other


def test_the_page_tells_of_every_kind() -> None:
    assert len(VALUES) >= 15


def test_chinese_characters_are_read_as_the_page_says() -> None:
    left, right = re.findall(r"so `(.+?)` has nothing of `(.+?)`", PAGE)[0]
    assert split_words(left)
    assert not words_in_common(left, right)


@pytest.mark.slow
def test_the_example_runs_and_says_what_the_page_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(DOCS / "literals", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for line in "".join(blocks("sh")).splitlines():
        assert run_command(shlex.split(line)[1:]) == 0, capfd.readouterr().err
    (code,) = blocks("python")
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
    assert run_command(["align", "league.csv", "club.csv", "--no-literals", "--out", "no"]) == 2
    printed = " ".join("".join(capfd.readouterr()).split())
    quoted = [line for block in blocks("text") for line in block.splitlines()]
    assert len(quoted) == 7
    for line in quoted:
        assert line in printed, line
    run = lighttea.load_run(tmp_path / "runs" / "players")
    truth = lighttea.read_links("truth.tsv")
    assert "All 70 true links are found, teams included, and two others, below .8" in PAGE
    assert (len(truth), len(run.links)) == (70, 72)
    assert run.evaluate(truth).links.recall == 1
    others = run.links.join(truth, on=["left", "right"], how="anti")
    assert (others["confidence"] < 0.8).all()
    different = dict(run.attribute_matches.select("left", "different").iter_rows())
    words = " ".join(PAGE.split())
    assert f"a different phone counts {different['phone']:.1f} and" in words
    assert f"a different given name {different['given name']:.1f}," in words
