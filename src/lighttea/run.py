"""A run: what one alignment found, in memory or in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from lighttea.evaluate.run import Evaluation
    from lighttea.seeds import LinkTable

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Run:
    """Links, candidates, seeds and facts as tables, and where they come from.

    `links` has left, right, score, confidence, margin; each entity stands in it at most once, and
    the seeds do not. `candidates` has each left entity's best candidates with the terms of their
    scores. `relations` has the relations of both sides that hold between the same linked entities,
    the right one turned round where `inverse` says so. `info` is what `run.json` holds.
    """

    links: pl.DataFrame
    candidates: pl.DataFrame
    relations: pl.DataFrame
    seeds: pl.DataFrame
    facts_left: pl.DataFrame
    facts_right: pl.DataFrame
    info: dict[str, Any]

    def evaluate(self, truth: LinkTable) -> Evaluation:
        """Compare the links with the truth; pairs that were seeds are left out."""
        from lighttea.evaluate.run import evaluate_run

        return evaluate_run(self, truth)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the run folder: under another name first, renamed when whole."""
        from lighttea.io.runs import run_folder, write_run

        with run_folder(folder, overwrite=overwrite) as unfinished:
            write_run(self, unfinished)
        return Path(folder)

    def __repr__(self) -> str:
        sides = self.info["input"]
        return (
            f"Run({len(self.links):,} links; left {sides['left']['entities']:,} entities, "
            f"right {sides['right']['entities']:,}; {self.info['seeds']:,} seeds)"
        )
