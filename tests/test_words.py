"""The words of the project: a glossary, rooms that introduce themselves, plain names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lighttea

ROOT = Path(__file__).parent.parent
SOURCES = Path(lighttea.__file__).parent
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = dict(re.findall(r"^\*\*(.+?)\*\*: (.+?)(?=\n\n|\Z)", GLOSSARY, flags=re.M | re.S))
DESIGN_WORDS = (
    *("fact", "left", "right", "tick", "seed", "label", "view", "aspect", "candidate", "link"),
    *("dangling", "attribute", "evidence", "decoy", "confidence", "fdr", "cluster", "run"),
)
METHOD_WORDS = (
    *("match", "probability", "promote", "carry over", "one-to-one", "whitening", "bootstrap"),
    *("consensus", "truth", "name", "score", "margin", "round", "engine"),
)
ROOMS = (
    *("cli", "evaluate", "explain", "export", "graph"),
    *("inputs", "io", "report", "results", "review"),
)
RIDDLES = {"found", "more", "on", "one", "said", "to", "told", "wanted", "who", "whom"}


def modules() -> list[Path]:
    return [path for room in ROOMS for path in sorted((SOURCES / room).rglob("*.py"))]


def variables(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every variable and parameter."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


@pytest.mark.parametrize("word", [*DESIGN_WORDS, *METHOD_WORDS])
def test_the_glossary_explains(word: str) -> None:
    explained = {part for term in TERMS for part in term.split(", ")}
    assert word in explained


def test_an_explanation_is_one_or_two_sentences() -> None:
    assert 30 <= len(TERMS) <= 50
    for term, text in TERMS.items():
        assert text.strip().endswith("."), term
        assert 1 <= len(re.findall(r"\.(?:\s|$)", text.strip())) <= 2, term


def test_the_readme_links_the_glossary() -> None:
    assert "(docs/glossary.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_tells_what_it_is_given_and_hands_on(room: str) -> None:
    text = (SOURCES / room / "__init__.py").read_text(encoding="utf-8")
    doc = (ast.get_docstring(ast.parse(text)) or "").splitlines()[0]
    assert re.fullmatch(r"Given .+; hands on .+\.", doc), doc


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCES)))
def test_variables_are_not_pronouns_or_prepositions(path: Path) -> None:
    riddles = [f"{path}:{line}: {name}" for line, name in variables(path) if name in RIDDLES]
    assert riddles == []
