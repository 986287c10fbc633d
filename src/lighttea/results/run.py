"""A run: what one alignment found, in memory or in a folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lighttea.display import Displayed, html_list, html_table

if TYPE_CHECKING:
    import polars as pl

    from lighttea.evaluate.run import Evaluation
    from lighttea.explain.explainer import Explainer
    from lighttea.explain.explanation import Explanation
    from lighttea.inputs.links import LinkTable

FORMAT_VERSION = 1
_SHOWN_LINKS = 10  # in a notebook


def no_links() -> pl.DataFrame:
    """A table of links without any."""
    import polars as pl

    return pl.DataFrame(schema=dict.fromkeys(("left", "right"), pl.String))


def no_names() -> pl.DataFrame:
    """The table of names where nobody is called otherwise than by its id."""
    import polars as pl

    return pl.DataFrame(schema=dict.fromkeys(("kind", "id", "name"), pl.String))


@dataclass(frozen=True, repr=False)
class Run(Displayed):
    """Links, candidates, seeds and facts as tables, and where they come from.

    `links` has left, right, score, confidence, margin; each entity stands in it at most once (or
    more often, where that was asked for), and the seeds do not. `candidates` has each left entity's
    best candidates with the terms of their scores. `relations` has the relations of both sides that
    hold between the same linked entities, the right one turned round where `inverse` says so.
    `evidence_links` are the links that the last consensus was made of. `info` is what `run.json`
    holds. `names_left` and `names_right` have the kind (entity or relation), the id and the name of
    those that are called otherwise than by their id. `cannot_links` are the pairs that were
    forbidden; `links_without_time` are the links of a second run that did not look at time, where
    one was made.
    """

    links: pl.DataFrame
    candidates: pl.DataFrame
    relations: pl.DataFrame
    evidence_links: pl.DataFrame
    seeds: pl.DataFrame
    facts_left: pl.DataFrame
    facts_right: pl.DataFrame
    info: dict[str, Any]
    names_left: pl.DataFrame = field(default_factory=no_names)
    names_right: pl.DataFrame = field(default_factory=no_names)
    cannot_links: pl.DataFrame = field(default_factory=no_links)
    links_without_time: pl.DataFrame = field(default_factory=no_links)

    def evaluate(self, truth: LinkTable) -> Evaluation:
        """Compare the links with the truth; pairs that were seeds are left out."""
        from lighttea.evaluate.run import evaluate_run

        return evaluate_run(self, truth)

    def explain(self, left: str, right: str | None = None) -> Explanation:
        """Why these two are linked, or not; without a right entity, the left one's link."""
        return self.explainer.explain(left, right)

    @cached_property
    def best_links(self) -> pl.DataFrame:
        """Of each left entity the surest link, where it was asked for several."""
        return self.links.unique("left", keep="first", maintain_order=True)  # surest stand first

    @cached_property
    def explainer(self) -> Explainer:
        """What explains any pair of this run; made when it is first asked for."""
        from lighttea.explain.explainer import Explainer

        return Explainer(self)

    @cached_property
    def alarms(self) -> pl.DataFrame:
        """What is odd in the times of the links: left, right, kind, severity, message."""
        from lighttea.explain.alarms import alarms_of_run

        return alarms_of_run(self)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the run folder: under another name first, renamed when whole."""
        from lighttea.results.store import run_folder, write_run

        with run_folder(folder, overwrite=overwrite) as unfinished:
            write_run(self, unfinished)
        return Path(folder)

    def export(
        self,
        out: str | Path,
        *,
        format: str,  # noqa: A002 - as the command has it
        min_confidence: float | None = None,
        sure_confidence: float | None = None,
        links_only: bool | None = None,
        left_namespace: str | None = None,
        right_namespace: str | None = None,
        fused_namespace: str | None = None,
        license: str | None = None,  # noqa: A002
        mapping_set_id: str | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Write the links, or both graphs fused along them: docs/outputs.md shows each format.

        `format` is tsv, parquet, jsonl, sameas, sssom or fused; the other options are the fields
        of `ExportOptions`, None leaves one as it is there.
        """
        from lighttea.export.options import ExportOptions
        from lighttea.export.write import export_run

        given: dict[str, Any] = {
            "min_confidence": min_confidence,
            "sure_confidence": sure_confidence,
            "links_only": links_only,
            "left_namespace": left_namespace,
            "right_namespace": right_namespace,
            "fused_namespace": fused_namespace,
            "license": license,
            "mapping_set_id": mapping_set_id,
        }
        options = ExportOptions(**{name: one for name, one in given.items() if one is not None})
        export_run(self, out, form=format, options=options, overwrite=overwrite)
        return Path(out)

    def _summary(self) -> str:
        sides = self.info["input"]
        return (
            f"{len(self.links):,} links; left {sides['left']['entities']:,} entities, "
            f"right {sides['right']['entities']:,}; {self.info['seeds']:,} seeds"
        )

    def _tables(self) -> Iterable[str]:
        confidence = self.links["confidence"]
        sure, likely = ((confidence >= low).sum() for low in (0.9, 0.5))
        yield from html_list(
            [
                f"{sure:,} links with a confidence of .9 or more, {likely:,} of .5 or more; "
                f"preset {self.info['preset']}"
            ]
        )
        sizes = ("entities", "relations", "facts")
        sides = self.info["input"].items()
        rows = [(side, *(f"{graph[name]:,}" for name in sizes)) for side, graph in sides]
        yield html_table(("graph", *sizes), rows)
        columns = ("left", "right", "score", "confidence", "margin")
        links = self.links.head(_SHOWN_LINKS).select(columns).rows()
        shown = [(left, right, *(f"{x:.3f}" for x in figures)) for left, right, *figures in links]
        yield html_table(columns, shown)
