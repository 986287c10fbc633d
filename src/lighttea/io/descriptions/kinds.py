"""The kinds of sources: what each of them is told by, and what reads it.

A kind is recognised by the key that bears its name. To add one: a line in `KINDS`, its keys in
`sources.Source`, and a function that takes a `SourceDescription` and yields `Rows`, whose columns
get the roles of the description, or whole graphs, which go into the described one as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from lighttea.graph.facts import Graph
from lighttea.io.descriptions.model import SourceDescription
from lighttea.io.descriptions.rows import Rows

Expected: TypeAlias = Literal["text", "texts", "yes or no", "anything"]
Reader: TypeAlias = Callable[[SourceDescription], Iterable[Rows | Graph]]


@dataclass(frozen=True)
class Kind:
    """How sources of one kind are written and read.

    `expects` says what the key of the kind holds; `options` are further keys that it allows, and
    `needed` those among them that it cannot do without.
    """

    read: Reader
    expects: Expected = "text"
    options: Mapping[str, Expected] = field(default_factory=dict)
    needed: tuple[str, ...] = ()


def _read_files(source: SourceDescription) -> Iterable[Rows | Graph]:
    from lighttea.io.descriptions.files import read_files

    return read_files(source)


def _read_query(source: SourceDescription) -> Iterable[Rows | Graph]:
    from lighttea.io.descriptions.databases import read_query

    return read_query(source)


def _read_frame(source: SourceDescription) -> Iterable[Rows | Graph]:
    from lighttea.io.descriptions.frames import read_frame

    return read_frame(source)


def _read_endpoint(source: SourceDescription) -> Iterable[Rows | Graph]:
    from lighttea.io.descriptions.endpoints import read_endpoint

    return read_endpoint(source)


KINDS: Mapping[str, Kind] = {
    "file": Kind(
        _read_files,
        "texts",
        {
            "format": "text",
            "separator": "text",
            "encoding": "text",
            "sheet": "text",
            "header": "yes or no",
            "each": "text",
        },
    ),
    "sql": Kind(_read_query, options={"database": "text"}, needed=("database",)),
    "sparql": Kind(
        _read_endpoint,
        options={
            "query": "text",
            "predicates": "texts",
            "languages": "texts",
            "page_size": "anything",
            "max_rows": "anything",
            "timeout_s": "anything",
            "max_age_hours": "anything",
            "cache": "text",
        },
    ),
    "frame": Kind(_read_frame, "anything"),
}
