"""What stays the same from round to round, whoever does the work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.views import Views
from lighttea.similarity.allowed import Allowed
from lighttea.stages import Watch
from lighttea.types import LeftIds, RightIds


@dataclass(frozen=True)
class Job:
    """Two graphs in numbers, who asks and who may answer."""

    pair: Pair
    views: Views
    left: LeftIds  # who asks
    right: RightIds  # who may answer
    known: SeedLinks
    watch: Watch
    allowed: Allowed | None = None  # who may be a candidate of whom, where that is laid down
    names: Sequence[tuple[Kind, Tokens]] = ()  # what entities are called, where that counts
