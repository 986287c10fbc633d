"""The settings of `bench run` beside those of the method, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lighttea.config import DEFAULT_METHOD, Method, option, problems_of
from lighttea.errors import ConfigError

Protocol = Literal["closed", "open"]


@dataclass(frozen=True, kw_only=True)
class BenchSettings:
    """What is measured, and how often."""

    method: Method = option(
        DEFAULT_METHOD, "lighttea, or lightea (no time, with LightEA's own published settings)."
    )
    runs: int = option(
        5, "How often; run i starts its random generator at --random-seed + i.", low=1
    )
    protocol: Protocol = option(
        "closed",
        "closed: candidates are the truth's right entities, as in the paper. open: all right ones.",
    )
    removed: float = option(
        0.0,
        "Share of the true right counterparts that are taken out of the right graph first, so that "
        "their left entities are dangling.",
        low=0,
        high=1,
    )

    def __post_init__(self) -> None:
        if problems := problems_of(self):
            raise ConfigError("\n".join(problems))
