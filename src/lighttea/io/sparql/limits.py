"""How patiently an endpoint is asked, and how much is taken from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lighttea.errors import ConfigError

MEBIBYTE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class FetchLimits:
    """Bounds of a fetch: pages, time, attempts, and how long answers are kept.

    `cache` is the folder for pages; None is the user's own folder for caches. Pages and answers
    older than `max_age_hours` are fetched anew; 0 always asks again.
    """

    page_size: int = 10_000  # rows
    max_rows: int = 10_000_000  # in all
    page_bytes: int = 512 * MEBIBYTE
    timeout_s: float = 120.0  # without a byte from the server; a page may take ten times as long
    attempts: int = 5
    pause_s: float = 1.0  # before the second attempt; it doubles
    longest_pause_s: float = 300.0
    max_age_hours: float = 24.0
    cache: Path | None = None

    def __post_init__(self) -> None:
        for name in ("page_size", "max_rows", "page_bytes", "timeout_s", "attempts"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} must be > 0; got {getattr(self, name)}")
        if self.max_age_hours < 0:
            raise ConfigError(f"max_age_hours must be >= 0; got {self.max_age_hours}")

    def folder(self) -> Path:
        """Return the folder that holds the pages of all queries."""
        if self.cache is not None:
            return self.cache
        import pooch

        return Path(pooch.os_cache("lighttea")) / "sparql"
