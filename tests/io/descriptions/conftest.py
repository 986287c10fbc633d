"""Descriptions in a folder of their own, and the graphs that come out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lighttea
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes

Rows = list[tuple[str | None, ...]]
Put = Callable[..., Path]
Describe = Callable[..., lighttea.Graph]
Complain = Callable[..., str]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file and return its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def described(put: Put) -> Describe:
    """Read the graph of a description."""

    def read(text: str) -> lighttea.Graph:
        return lighttea.read_graph(put("left.toml", text))

    return read


@pytest.fixture
def complaint(put: Put, tmp_path: Path) -> Complain:
    """What is said of a description that is wrong; paths are relative to its folder."""

    def read(text: str | bytes) -> str:
        with pytest.raises(lighttea.InputError) as caught:
            lighttea.read_graph(put("left.toml", text))
        return str(caught.value).replace(f"{tmp_path}/", "")

    return read


def outcome_of(read: Callable[[], Any]) -> Any:
    """What a call gives, or the text of its `InputError`."""
    try:
        return read()
    except lighttea.InputError as error:
        return str(error)


def facts_of(graph: lighttea.Graph) -> Rows:
    """Head, relation, tail, begin and end of each fact."""
    return frame_of_graph(graph).rows()


def literals_of(graph: lighttea.Graph) -> Rows:
    """Entity, attribute, value, begin and end of each literal."""
    columns = ["entity", "attribute", "value", "begin", "end"]
    return frame_of_attributes(graph).select(columns).rows()
