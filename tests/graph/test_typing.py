"""Relations that tell types, by id or by name."""

from __future__ import annotations

import pytest

from lighttea.display import Named
from lighttea.graph.typing import tells_types


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (Named("P31"), True),
        (Named("http://www.wikidata.org/prop/direct/P31"), True),
        (Named("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), True),
        (Named("http://schema.org/kind", "Instance_of"), True),
        (Named("P279"), False),
        (Named("P311"), False),
        (Named("typesetter"), False),
    ],
)
def test_types_are_told_by_known_ids_and_names(relation: Named, expected: bool) -> None:
    assert tells_types(relation) == expected
