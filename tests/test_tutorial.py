"""docs/tutorial.md: its files are what they say they are, and its commands and code run."""

from __future__ import annotations

import importlib.util
import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import polars as pl
import pytest

import lighttea
from lighttea.cli import run_command
from lighttea.results.literals import describe_matches
from tests.conftest import CANNOT

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "tutorial.md").read_text(encoding="utf-8")
BOELL = "https://people.example/id/Heinrich_B%C3%B6ll"

needs_rdf = pytest.mark.skipif(
    importlib.util.find_spec("lighttea.io.rdf") is None, reason=f"{CANNOT}no reader for RDF"
)


def blocks(language: str) -> list[tuple[int, str]]:
    """Where each block of a language stands, and its text."""
    found = re.finditer(rf"^```{language}\n(.*?)^```", PAGE, flags=re.S | re.M)
    return [(match.start(), match[1]) for match in found]


def quoted_explanations() -> list[tuple[str, str]]:
    """The commands on the third run that docs/explain.md shows, and what they answer first."""
    page = (DOCS / "explain.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^\$ (lighttea explain runs/third .+)\n(.+)$", page, flags=re.M)
    assert len(quoted) == 2
    return quoted


def test_the_files_are_made_from_the_example() -> None:
    made = runpy.run_path(str(DOCS / "tutorial" / "make_files.py"))["files"]()
    assert set(made) == {"people.ttl", "catalogue.csv", "seeds.tsv", "truth.tsv"}
    for name, text in made.items():
        assert (DOCS / "tutorial" / name).read_text(encoding="utf-8") == text, name


def test_what_the_page_shows_of_the_files_is_there() -> None:
    turtle = (DOCS / "tutorial" / "people.ttl").read_text(encoding="utf-8")
    for line in blocks("turtle")[0][1].splitlines():
        assert line in turtle.splitlines()
    settings = (DOCS / "tutorial" / "lighttea.toml").read_text(encoding="utf-8")
    assert tomllib.loads(blocks("toml")[0][1]) == tomllib.loads(settings)


@pytest.mark.slow
@needs_rdf
def test_the_tutorial_runs_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(DOCS / "tutorial", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    steps = sorted(
        [(place, "sh", text) for place, text in blocks("sh")]
        + [(place, "python", text) for place, text in blocks("python")]
    )
    assert [kind for _, kind, _ in steps].count("python") == 2
    for _, kind, text in steps:
        if kind == "python":
            subprocess.run([sys.executable, "-W", "error", "-c", text], check=True)
            continue
        for line in text.splitlines():
            words = shlex.split(line)
            assert words[0] == "lighttea"
            assert run_command(words[1:]) == 0, capsys.readouterr().err
    folders = (tmp_path / "runs" / name for name in ("first", "second", "third"))
    first, second, third = (lighttea.load_run(folder) for folder in folders)
    conflicts = pl.read_parquet(tmp_path / "fused" / "conflicts.parquet")
    assert "Heinrich Böll" in conflicts["head_name"]
    truth = lighttea.read_links(tmp_path / "truth.tsv")
    assert first.evaluate(truth).links.recall == pytest.approx(0.9, abs=0.03)
    assert second.evaluate(truth).links_of_known.precision > 0.9
    assert (BOELL, "boll-heinrich") in second.seeds.rows()
    assert (BOELL, "boll-heinrich") in third.seeds.rows()
    assert third.evaluate(truth).links.recall == pytest.approx(0.98, abs=0.01)
    said = [f"literals: {words}" for words in describe_matches(third)]
    assert "".join(f"{line}\n" for line in said) in [text for _, text in blocks("text")]
    for asked, answer in quoted_explanations():
        capsys.readouterr()
        run_command(shlex.split(asked)[1:])
        assert answer in "".join(capsys.readouterr()), asked
    banned = lighttea.read_links(tmp_path / "cannot.tsv").select("left", "right")
    assert second.links.join(banned, on=["left", "right"]).is_empty()
    assert not first.links.join(banned, on=["left", "right"]).is_empty()
    lines = (tmp_path / "links.jsonl").read_text(encoding="utf-8").splitlines()
    names = {json.loads(line)["left_name"] for line in lines}
    assert "Heinrich Böll" in names
    sameas = (tmp_path / "links.nt").read_text(encoding="utf-8")
    linked = rf"<{re.escape(BOELL)}> <\S+#(sameAs|closeMatch)> "
    assert re.search(rf"^{linked}<https://catalogue\.example/boll-heinrich>", sameas, re.M)
