"""What is nested too deep for a parser is refused before it gets there."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from lighttea.errors import InputError
from lighttea.io.rdf.guards import QuoteGuard


def read_guarded(content: bytes, size: int) -> bytes:
    guard = QuoteGuard(Path("g.ttl"), io.BytesIO(content))
    return b"".join(iter(lambda: guard.read(size), b""))


@pytest.mark.parametrize("size", [10, 1 << 16])
def test_triples_quoted_one_after_another_are_not_nested(size: int) -> None:
    content = b"<<(a b c)>>" * 10 * 100
    assert read_guarded(content, 11 * size) == content
    with pytest.raises(InputError, match="quoted more than 50 deep"):
        read_guarded(b"<<(a b " * 60 + b")>>" * 60, 1 << 16)
