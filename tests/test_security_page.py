"""The limits that docs/security.md states are those of the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from lighttea.datasets import unpack
from lighttea.datasets.download import Limits
from lighttea.io import packed, streams
from lighttea.io.rdf import guards
from lighttea.review import guard, server
from lighttea.web import patience

PAGE = (Path(__file__).parent.parent / "docs" / "security.md").read_text(encoding="utf-8")
MIB = 1 << 20


@pytest.mark.parametrize(
    ("row", "stated"),
    [
        ("may unpack to", f"{packed.FREE_BYTES // MIB} MiB"),
        ("may unpack to", f"{packed.RATIO} times"),
        ("a line of a packed table", f"{streams.LONGEST_LINE // MIB} MiB"),
        ("an XML entity", f"{guards._LONGEST_ENTITY} characters"),
        ("download of a dataset", f"{Limits().download_bytes // (1 << 30)} GiB"),
        ("an archive of a dataset", f"names of {unpack._LONGEST_NAME:,} characters"),
        ("an archive of a dataset", f"headers of {unpack._LARGEST_HEADER >> 10} KiB"),
        ("a form of the review app", f"{guard.MAX_FORM_BYTES >> 10} KiB"),
        ("a form of the review app", f"{guard.FORM_SECONDS:g} s"),
        ("the head of a request", f"{patience.PATIENCE:g} s"),
        ("connections of the review app", str(server.CONNECTIONS)),
        ("requests to the review app", f"{guard.RATE:g} a second"),
    ],
)
def test_a_limit_is_stated_as_it_is(row: str, stated: str) -> None:
    (line,) = (line for line in PAGE.splitlines() if line.startswith("|") and row in line)
    assert stated in line
