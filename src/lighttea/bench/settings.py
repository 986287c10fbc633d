"""The settings of `bench run` beside those of the method, each declared once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lighttea.config import DEFAULT_METHOD, Method, option, problems_of
from lighttea.errors import ConfigError, InputError

Protocol = Literal["closed", "open"]


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What is done to the data before a run sees them; the defaults change nothing."""

    removed: float = 0.0  # of the true right counterparts, which leave the right graph
    kept_facts: float = 1.0  # of the facts that both graphs have
    scrambled: bool = False  # the right graph's tails and times, within each relation
    wrong_seeds: float = 0.0  # of the seeds, which get each other's right entity

    def __post_init__(self) -> None:
        if not 0 <= self.removed < 1:
            raise InputError(f"removed must be a share from 0 to below 1; got {self.removed}")
        for name in ("kept_facts", "wrong_seeds"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} must be a share from 0 to 1; got {getattr(self, name)}")


@dataclass(frozen=True, kw_only=True)
class BenchSettings:
    """What is measured, and how often."""

    method: Method = option(
        DEFAULT_METHOD, "lighttea, or lightea (no time, with LightEA's own published settings)."
    )
    runs: int = option(
        5, "Number of runs; run i starts its random generator at random_seed + i.", low=1
    )
    protocol: Protocol | None = option(
        None,
        "closed: candidates are the right entities of the truth, as in the paper. open: all "
        "right entities. [default: closed; open where the folder has left.*, right.* and "
        "truth.tsv]",
    )
    removed: float = option(
        0.0,
        "Share of the true right counterparts to remove from the right graph first; their left "
        "entities become dangling.",
        low=0,
        high=1,
    )
    kept_facts: float = option(
        1.0,
        "Share of the common facts that both graphs keep; each other one loses its left or its "
        "right version, at random.",
        low=0,
        high=1,
    )
    scrambled: bool = option(
        False,
        "Permute the right graph's tails, then its times, within each relation, so that no link "
        "can be right, and count the links; needs the open protocol.",
    )
    wrong_seeds: float = option(
        0.0, "Share of the seeds that get another seed's right entity.", low=0, high=1
    )

    def __post_init__(self) -> None:
        if problems := problems_of(self) or list(self._contradictions()):
            raise ConfigError("\n".join(problems))

    def _contradictions(self) -> Iterator[str]:
        if self.scrambled and self.protocol != "open":
            yield "scrambled counts links, which the closed protocol lacks; use `protocol='open'`"
