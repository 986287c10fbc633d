"""The documentation site: figures are those of today, nothing is left out, nothing is fetched."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import lighttea
from tests.conftest import CANNOT

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NUMBER = re.compile(r"\d[\d,]*\.?\d*|\.\d+")


def imported(name: str) -> ModuleType:
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


FIGURES, HOOKS, CHECK, RESULTS = (
    imported(name) for name in ("make_figures", "hooks", "check_site", "make_results")
)


def same_figures(now: str, then: str) -> bool:
    """Whether words are equal and numbers too, but for rounding on another processor."""
    if NUMBER.sub("#", now) != NUMBER.sub("#", then):
        return False
    pairs = zip(NUMBER.findall(now), NUMBER.findall(then), strict=True)
    values = ((float(a.replace(",", "")), float(b.replace(",", "")), "." in a) for a, b in pairs)
    return all(abs(a - b) <= (0.01 if decimal else 1) for a, b, decimal in values)


@pytest.mark.slow
@pytest.mark.parametrize("path", FIGURES.pages(), ids=lambda path: path.stem)
def test_figures_are_what_their_commands_print_today(path: Path) -> None:
    then = path.read_text(encoding="utf-8")
    assert same_figures(FIGURES.filled(path), then), f"{path.name}: run make figures"


def test_figures_may_differ_by_rounding_alone() -> None:
    assert same_figures("Hits@1 .708, 300 links", "Hits@1 .709, 301 links")
    assert not same_figures("Hits@1 .708, 300 links", "Hits@1 .728, 300 links")
    assert not same_figures("300 links", "302 links")
    assert not same_figures("300 links", "300 pairs")


def test_the_figures_of_best_are_filled_in_where_they_were_measured() -> None:
    figure = {"section": "best", "dataset": "A made again", "seeds": 20, "metric": "hits@1"}
    results = {
        "datasets": [{"title": "A made again", "folder": "A"}],
        "figures": [
            {**figure, "mean": 0.96449},
            {**figure, "mean": 0.5, "section": "main"},
            {**figure, "mean": 0.98, "metric": "hits@10"},
        ],
    }
    page = "**<!-- best: A 20 -->.9<!-- end of best -->** <!-- best: B 20 -->.8<!-- end of best -->"
    filled = RESULTS.fill(page, RESULTS.read_figures(results))
    assert filled == page.replace(">.9<", ">.964<")


def test_the_pages_have_marks_for_best() -> None:
    for page in RESULTS.PAGES:
        assert len(RESULTS.MARK.findall(page.read_text(encoding="utf-8"))) >= 4


def test_figures_are_filled_in_between_their_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nprint('first')\n\nprint('\\nsecond')\n```\n\n"
        "<!-- output: python | from: second -->\nold\n<!-- end of output -->\n"
    )
    filled = FIGURES.filled(page)
    assert "-->\n```text\nsecond\n```\n<!-- end of output -->" in filled
    assert FIGURES.filled(page) == filled


def test_a_command_that_fails_ends_the_making_of_figures(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\nlighttea inspect nowhere.tsv\n```\n")
    with pytest.raises(SystemExit, match=r"page\.md: lighttea inspect nowhere\.tsv failed"):
        FIGURES.filled(page)


@pytest.mark.slow
def test_notebooks_print_what_they_printed_when_they_were_last_run() -> None:
    pytest.importorskip("nbclient", reason=f"{CANNOT}lighttea[docs] is not installed")
    command = [sys.executable, str(DOCS / "make_notebooks.py"), "--check"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr


def test_notebooks_become_pages_with_their_pictures() -> None:
    files = HOOKS.notebook_files(DOCS / "notebooks" / "confidence_and_time.ipynb")
    page = files["notebooks/confidence_and_time.md"]
    pictures = re.findall(r"!\[(.+)\]\((.+\.svg)\)", page)
    assert len(pictures) == 2
    for words, name in pictures:
        assert len(words.split()) >= 4
        assert files[f"notebooks/{name}"].startswith("<svg")
    assert page.count("<table") >= 3


def test_every_public_name_is_in_the_reference_once() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.md"))
    listed = re.findall(r"^::: lighttea\.(\w+)$", text, flags=re.M)
    assert sorted(listed) == sorted(set(lighttea.__all__) - {"__version__"})


def test_every_decision_is_listed() -> None:
    pages = {path.name for path in (DOCS / "decisions").glob("*.md")} - {"index.md"}
    text = (DOCS / "decisions" / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(([a-z-]+\.md)\)", text)) == pages


def test_every_page_is_in_the_navigation() -> None:
    """MkDocs checks this too; here it is said without building anything."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    pages -= {page for page in pages if page.startswith("decisions/")}
    missing = {page for page in pages if not re.search(rf"[ :]{re.escape(page)}$", text, re.M)}
    assert missing == set()


@pytest.mark.parametrize(
    ("text", "folder", "expected"),
    [
        ("[a](x.md)", "", "[a](x.md)"),
        ("[a](https://x.org)", "", "[a](https://x.org)"),
        ("[`round.py`](../src/lighttea/solve/round.py)", "", "`round.py`"),
        ("[a](../engines.md)", "decisions", "[a](../engines.md)"),
        ("[a](../../src/x.py)", "decisions", "a"),
        ("[a](../CHANGELOG.md)", "", "[a](changelog.md)"),
        ("[a](notebooks/x.ipynb)", "", "[a](notebooks/x.md)"),
        ("![a](images/x.png)", "", "![a](images/x.png)"),
    ],
)
def test_links_of_pages_are_those_of_the_site(text: str, folder: str, expected: str) -> None:
    assert HOOKS.relink(text, folder) == expected


def test_links_of_documents_in_the_root_begin_at_docs() -> None:
    text = "[a](docs/glossary.md) [b](tests/README.md)"
    assert HOOKS.relink(text, "", within="docs") == "[a](glossary.md) b"


@pytest.mark.parametrize(
    ("html", "n"),
    [
        ('<script src="https://x.org/a.js"></script>', 1),
        ('<script src="assets/a.js"></script>', 0),
        ('<link rel="stylesheet" href="//x.org/a.css">', 1),
        ('<link rel="canonical" href="https://x.org/">', 0),
        ('<a href="https://x.org/">elsewhere</a>', 0),
        ('<img src="https://x.org/a.png">', 1),
        ('<style>@import "https://x.org/a.css";</style>', 1),
        ('<p style="background: url(https://x.org/a.png)">', 1),
    ],
)
def test_loads_from_elsewhere_are_seen(tmp_path: Path, html: str, n: int) -> None:
    (tmp_path / "page.html").write_text(html)
    assert len(CHECK.loads_from_elsewhere(tmp_path)) == n


@pytest.mark.slow
def test_the_site_builds_strictly_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason=f"{CANNOT}lighttea[docs] is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.rglob("*.html"))) > 40
    assert CHECK.loads_from_elsewhere(tmp_path) == []
