"""Literals as columns: their digest knows each of them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lighttea.graph.attributes import Attributes


def column(*values: int) -> Any:
    return np.array(values, np.int32)


LITERALS = Attributes(
    entity=column(0, 1),
    attribute=column(0, 1),
    value=column(1, 0),
    begin=column(-1, 2),
    end=column(-1, 3),
    names=("height", "name"),
    texts=("Ann", "7"),
    datatypes=("", "int"),
    languages=("en", ""),
)


def digest_of(attributes: Attributes) -> str:
    digest = hashlib.sha256()
    attributes.update_digest(digest)
    return digest.hexdigest()


@pytest.mark.parametrize("name", list(vars(LITERALS)))
def test_a_change_of_any_column_changes_the_digest(name: str) -> None:
    """Two rows exchanged are a change too: rows of several columns belong together."""
    changed = replace(LITERALS, **{name: getattr(LITERALS, name)[::-1]})
    assert digest_of(changed) != digest_of(LITERALS) == digest_of(replace(LITERALS))


def test_texts_of_two_columns_do_not_run_into_one_another() -> None:
    one, other = (
        replace(LITERALS, names=("height", name), texts=(text, "7"))
        for name, text in (("name", "Ann"), ("nameA", "nn"))
    )
    assert digest_of(one) != digest_of(other)


def test_a_table_shows_each_attribute_with_its_count_and_an_example() -> None:
    (table,) = LITERALS.make_tables({"height": "Height in cm"})
    rows = [re.sub(r"<[^>]*>", " ", row).split() for row in table.split("<tr")[2:]]
    assert rows == [[">", "Height", "in", "cm", "height", "1", "7"], [">", "name", "1", "Ann"]]
