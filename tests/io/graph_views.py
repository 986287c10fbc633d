"""What tests of readers look at: facts and literals of a graph as plain rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lighttea import Graph
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes

XSD = "http://www.w3.org/2001/XMLSchema#"


def facts_of(graph: Graph) -> list[tuple[Any, ...]]:
    """Head, relation, tail, begin and end of all facts, sorted."""
    return sorted(frame_of_graph(graph).rows(), key=str)


def literals_of(graph: Graph) -> list[tuple[Any, ...]]:
    """Entity, attribute and value of all literals, with datatype and times where there are some."""
    rows = frame_of_attributes(graph).rows()
    return sorted(
        (*row[:3], *(str(cell).removeprefix(XSD) for cell in row[3:] if cell is not None))
        for row in rows
    )


def write_lines(path: Path, *objects: Any) -> Path:
    """Write an object on each line; texts as they are."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in objects]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_json(path: Path, content: Any, indent: int | None = None) -> Path:
    """Write one value."""
    path.write_text(json.dumps(content, indent=indent), encoding="utf-8")
    return path
