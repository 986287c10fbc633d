"""Sources that are tables in memory."""

from __future__ import annotations

from collections.abc import Iterator

from lighttea.io.descriptions.model import SourceDescription
from lighttea.io.descriptions.rows import Rows
from lighttea.io.objects import frame_from


def read_frame(source: SourceDescription) -> Iterator[Rows]:
    """Yield the rows of a frame, an Arrow table or an iterable of mappings."""
    where = f"source {source.number}"
    yield Rows.of_frame(frame_from(source.options["frame"], where), where)
