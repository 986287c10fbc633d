"""The literals of one graph: which entity has which value of which attribute, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from lighttea.display import Displayed, Named, html_table, shorten
from lighttea.types import Ints

STRING = "http://www.w3.org/2001/XMLSchema#string"
_SHOWN = 5


class Digest(Protocol):
    """What `hashlib` makes."""

    def update(self, content: bytes, /) -> None:
        """Add bytes."""
        ...


def _none() -> Ints:
    return np.empty(0, np.int32)


@dataclass(frozen=True, repr=False)
class Attributes(Displayed):
    """Literals of entities as columns of dense ids; begin and end are codes of instants.

    A distinct literal is a text, a datatype (an IRI, or "" where nothing is said) and a language
    ("" for none); rows refer to it by number.
    """

    entity: Ints = field(default_factory=_none)
    attribute: Ints = field(default_factory=_none)  # place in `names`
    value: Ints = field(default_factory=_none)  # place in `texts`, `datatypes` and `languages`
    begin: Ints = field(default_factory=_none)  # code into Graph.instants, or -1 for unknown
    end: Ints = field(default_factory=_none)
    names: Sequence[str] = ()  # ids of the attributes
    texts: Sequence[str] = ()
    datatypes: Sequence[str] = ()
    languages: Sequence[str] = ()

    def __post_init__(self) -> None:
        rows = {len(c) for c in (self.entity, self.attribute, self.value, self.begin, self.end)}
        literals = {len(c) for c in (self.texts, self.datatypes, self.languages)}
        if len(rows) > 1 or len(literals) > 1:
            raise ValueError(f"the columns of Attributes differ in length: {rows}, {literals}")

    def __len__(self) -> int:
        return len(self.entity)

    def update_digest(self, digest: Digest) -> None:
        """Add all literals to a digest."""
        for column in (self.entity, self.attribute, self.value, self.begin, self.end):
            digest.update(np.ascontiguousarray(column).tobytes())
        for texts in (self.names, self.texts, self.datatypes, self.languages):
            ended = "\0".join([str(len(texts)), *texts, ""])
            digest.update(ended.encode("utf-8", "surrogatepass"))

    def _summary(self) -> str:
        n_entities = len(np.unique(self.entity))
        return (
            f"{len(self):,} literals of {n_entities:,} entities, {len(self.names):,} attributes, "
            f"{len(self.texts):,} distinct values"
        )

    def _tables(self) -> list[str]:
        return self.make_tables({})

    def make_tables(self, names: Mapping[str, str]) -> list[str]:
        """Return the attributes with most literals as HTML, by their names where these have one."""
        counts = np.bincount(self.attribute, minlength=len(self.names))
        rows = []
        for number in np.argsort(-counts, kind="stable")[:_SHOWN].tolist():
            example = self.texts[int(self.value[self.attribute == number][0])]
            attribute = Named.of(self.names[number], names)
            rows.append((attribute, f"{counts[number]:,}", shorten(example)))
        return [html_table(("attribute", "literals", "example"), rows)]
