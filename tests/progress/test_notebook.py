"""The bar of a notebook, in a kernel that is made up."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import lighttea
from lighttea.example import example_file
from lighttea.progress import Progress, default_progress
from lighttea.progress.notebook import NotebookProgress


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What a notebook shows below its cell, one after the other."""
    contents: list[dict[str, Any]] = []

    class Handle:
        def update(self, content: dict[str, Any], raw: bool) -> None:
            contents.append(content)

    def display(content: dict[str, Any], raw: bool, display_id: bool) -> Handle:
        contents.append(content)
        return Handle()

    shell = SimpleNamespace(kernel=object())
    ipython = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    return contents


def graphs() -> list[Any]:
    return [lighttea.read_graph(example_file(name)) for name in ("left.tsv", "right.csv")]


def test_align_shows_a_bar_and_how_long_it_took(shown: list[dict[str, Any]]) -> None:
    lighttea.align(*graphs(), rounds=1, literals=False)
    assert "<progress value=" in shown[0]["text/html"]
    assert shown[-1]["text/plain"].startswith("aligned in ")
    assert all("left" in content["text/plain"] for content in shown[:-1])


def test_an_error_is_the_end_of_the_bar(shown: list[dict[str, Any]]) -> None:
    with pytest.raises(lighttea.InputError):
        lighttea.align(*graphs(), seeds=[("no", "body")])
    assert shown[-1]["text/plain"] == "stopped"


def test_a_progress_of_your_own_is_used_instead(shown: list[dict[str, Any]]) -> None:
    lighttea.align(*graphs(), rounds=1, literals=False, progress=Progress())
    assert shown == []


def test_elsewhere_nothing_is_shown() -> None:
    assert not isinstance(default_progress(), NotebookProgress)
