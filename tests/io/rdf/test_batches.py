"""Triples are handed on in batches, each triple in one of them."""

from __future__ import annotations

from hashlib import sha1, sha256

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from lighttea.io.rdf.batches import Rows, _looks_random


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


def test_labels_that_the_parser_makes_up_are_told_from_checksums() -> None:
    made_up = [BlankNode().value for _ in range(50)]
    assert all(_looks_random(label) for label in made_up)
    for given in ("b0", "x" * 32, sha1(b"a").hexdigest(), sha256(b"a").hexdigest()):
        assert not _looks_random(given)
