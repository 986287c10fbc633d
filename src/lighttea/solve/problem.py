"""What stays the same from round to round, whoever does the work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from lighttea.config import ADAPTABLE, Config
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.pair import Links, Pair
from lighttea.graph.views import Views
from lighttea.progress import Progress
from lighttea.similarity.allowed import Allowed
from lighttea.types import LeftIds, RightIds


@dataclass(frozen=True)
class Problem:
    """Two graphs in numbers, who asks and who may answer."""

    pair: Pair
    left: LeftIds  # who asks
    right: RightIds  # who may answer
    known: Links
    progress: Progress
    allowed: Allowed | None = None  # who may be a candidate of whom, where that is laid down
    names: Sequence[tuple[Kind, Tokens]] = ()  # what entities are called, where that counts

    @cached_property
    def views(self) -> Views:
        """The views of the pair, whole; made when an engine first asks for them."""
        with self.progress.stage("graph"):
            return Views.of(self.pair)


def fit_to_data(config: Config, pair: Pair, progress: Progress) -> Config:
    """Switch the temporal parts off, and say so, where the graphs have no time to compare.

    One aspect alone may be as wide as two together.
    """
    config = _without_missing_time(config, pair, progress)
    if "dim" not in config.adapted or 0 < config.temporal_weight < 1:
        return config
    others = ", ".join(name for name in ADAPTABLE if name in config.adapted - {"dim"})
    return replace(config, dim=2 * config.dim, adapt=others)


def _without_missing_time(config: Config, pair: Pair, progress: Progress) -> Config:
    if pair.has_time or config.temporal_weight == config.time_weight == 0:
        return config
    if not pair.left_has_time and not pair.right_has_time:
        said = "neither graph has a fact with a known time"
    else:
        side = "right" if pair.left_has_time else "left"
        said = f"the {side} graph has no fact with a known time"
    progress.warn(f"{said}; aligning by relations alone")
    return config.without_time()
