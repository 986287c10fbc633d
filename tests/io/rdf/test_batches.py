"""Triples are handed on in batches, each triple in one of them."""

from __future__ import annotations

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from lighttea.io.rdf.batches import Rows


@pytest.mark.parametrize("value", [NamedNode("http://e/b"), Literal("text")])
def test_a_triple_is_in_one_batch(value: NamedNode | Literal) -> None:
    triples = Rows(has_anonymous=False)
    for name in ("first", "second"):
        triples.add(Triple(NamedNode(f"http://e/{name}"), NamedNode("http://e/p"), value))
        assert len(triples) == 1
        batch = triples.take()
        rows = batch.nodes if isinstance(value, NamedNode) else batch.literals
        assert [row[0] for row in rows.rows()] == [f"http://e/{name}"]
    assert len(triples) == 0
