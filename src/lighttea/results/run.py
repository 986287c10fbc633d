"""A run: the result of one alignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from lighttea.config import DEFAULT_ENGINE, EngineName, Settings
from lighttea.display import Displayed, Named, html_list, html_table
from lighttea.progress import Progress
from lighttea.results.schema import empty_table

if TYPE_CHECKING:
    import polars as pl

    from lighttea.evaluate.run import Evaluation
    from lighttea.explain.explainer import Explainer
    from lighttea.explain.explanation import Explanation
    from lighttea.export.keywords import ExportSettings
    from lighttea.export.objects import PandasFrame, RdflibGraph
    from lighttea.export.options import ExportFormat
    from lighttea.inputs.links import LinkTable
    from lighttea.io.objects import GraphSource

_SHOWN_LINKS = 10  # in a notebook


def _without_rows(name: str) -> Callable[[], pl.DataFrame]:
    """Return a function that makes the table of this name without rows."""
    return partial(empty_table, name)


@dataclass(frozen=True, repr=False)
class Run(Displayed):
    """The tables of one alignment, and how it was made.

    What `align` found:

    - `links`: left, right, score, confidence, margin, fdr and alarms, the surest first. Each entity
      is in at most one link, unless `many_to_one` or `top_n` allow several. Seeds are not repeated.
      `fdr` is null where confidence is not calibrated. `alarms` lists codes, separated by commas.
    - `candidates`: the best candidates of each left entity, with every term of their scores.
    - `relations`: matching relations; `inverse` means that the right one runs the other way.
    - `attribute_matches`: matching attributes, with how many links have both, how many of these
      agree, and the weight of an agreement in bits.
    - `suspicious_seeds`: seeds that look wrong, the most suspicious first, with the right entity
      that fits better where one is known.
    - `links_without_time`: the links of a second run without time, where there was one.
    - `changes`: left, right, change (kept, new, changed or withdrawn) and why of each link of a run
      that updates an earlier one.

    What it was given:

    - `seeds`, `cannot_links`: known and forbidden pairs.
    - `types_left`, `types_right`: the types of entities that links were limited by.
    - `facts_left`, `facts_right`, `attributes_left`, `attributes_right`: facts and literals.
    - `names_left`, `names_right`: the name of every entity and relation whose id is not its name.
    - `evidence_links`: the links from which the last consensus was computed.
    - `likely_pairs`: the pairs from which the last likelihood was computed, and their chances.
    - `info`: the content of `run.json`: settings, versions, seconds, input digests.

    Tables that an earlier version did not write are empty.
    """

    links: pl.DataFrame
    candidates: pl.DataFrame
    relations: pl.DataFrame
    evidence_links: pl.DataFrame
    seeds: pl.DataFrame
    facts_left: pl.DataFrame
    facts_right: pl.DataFrame
    info: dict[str, Any]
    names_left: pl.DataFrame = field(default_factory=_without_rows("names_left"))
    names_right: pl.DataFrame = field(default_factory=_without_rows("names_right"))
    cannot_links: pl.DataFrame = field(default_factory=_without_rows("cannot_links"))
    links_without_time: pl.DataFrame = field(
        default_factory=partial(empty_table, "links_without_time")
    )
    suspicious_seeds: pl.DataFrame = field(default_factory=_without_rows("suspicious_seeds"))
    attributes_left: pl.DataFrame = field(default_factory=_without_rows("attributes_left"))
    attributes_right: pl.DataFrame = field(default_factory=_without_rows("attributes_right"))
    likely_pairs: pl.DataFrame = field(default_factory=_without_rows("likely_pairs"))
    attribute_matches: pl.DataFrame = field(
        default_factory=partial(empty_table, "attribute_matches")
    )
    types_left: pl.DataFrame = field(default_factory=_without_rows("types_left"))
    types_right: pl.DataFrame = field(default_factory=_without_rows("types_right"))
    changes: pl.DataFrame = field(default_factory=_without_rows("changes"))

    def evaluate(self, truth: LinkTable) -> Evaluation:
        """Compare the links with the truth; pairs that were seeds are left out."""
        from lighttea.evaluate.run import evaluate_run

        return evaluate_run(self, truth)

    def explain(self, left: str, right: str | None = None) -> Explanation:
        """Explain why two entities are linked or not; without `right`, the left entity's link.

        Entities are given by their ids or their names, whose case and accents do not matter.
        """
        return self.explainer.explain(left, right)

    @cached_property
    def best_links(self) -> pl.DataFrame:
        """The link of each left entity with the highest confidence."""
        return self.links.unique("left", keep="first", maintain_order=True)  # sorted by confidence

    @cached_property
    def explainer(self) -> Explainer:
        """The explainer of this run's candidate pairs, made when it is first used."""
        from lighttea.explain.explainer import Explainer

        return Explainer(self)

    @cached_property
    def alarms(self) -> pl.DataFrame:
        """Contradictions in the times of the links: left, right, kind, severity, message."""
        from lighttea.results.alarms import alarms_of_run

        return alarms_of_run(self)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the run folder under a temporary name and rename it when it is complete."""
        from lighttea.results.place import run_folder
        from lighttea.results.store import write_run

        with run_folder(folder, overwrite=overwrite) as unfinished:
            write_run(self, unfinished)
        return Path(folder)

    def update(
        self,
        *,
        left: GraphSource | None = None,
        right: GraphSource | None = None,
        remove_left: GraphSource | None = None,
        remove_right: GraphSource | None = None,
        replace_left: GraphSource | None = None,
        replace_right: GraphSource | None = None,
        must_link: LinkTable | None = None,
        cannot_link: LinkTable | None = None,
        engine: EngineName = DEFAULT_ENGINE,
        scheduler: str | None = None,
        progress: Progress | None = None,
        **settings: Unpack[Settings],
    ) -> Run:
        """Return the run of graphs that have changed since; this one stays as it is.

        `left` and `right` are facts that came in, `remove_left` and `remove_right` those that were
        withdrawn, `replace_left` and `replace_right` a whole new version of a graph. Links are
        evidence that can be overturned; seeds and constraints hold as they did, beside the further
        ones in `must_link` and `cannot_link`. Only what changed and its surroundings is worked on
        again, unless that is much. `changes` of the new run says what became of each link.

        Settings are those of this run unless they are given by name.
        """
        from lighttea.update.graphs import SideInputs
        from lighttea.update.update import Given, update_run

        given = Given(
            SideInputs.of("left", left, remove_left, replace_left),
            SideInputs.of("right", right, remove_right, replace_right),
            must_link,
            cannot_link,
            engine,
            scheduler,
        )
        return update_run(self, given, progress, settings)

    def export(
        self,
        out: str | Path,
        *,
        format: ExportFormat,  # noqa: A002 - as the command has it
        overwrite: bool = False,
        **options: Unpack[ExportSettings],
    ) -> Path:
        """Write the links, or both graphs fused along them, to a file or a folder.

        `format` is tsv, parquet, jsonl, sameas, sssom or fused (docs/outputs.md). The other options
        are the fields of `ExportOptions`; None keeps the default.
        """
        from lighttea.export.options import make_export_options
        from lighttea.export.write import export_run

        checked = make_export_options(**options)
        export_run(self, out, form=format, options=checked, overwrite=overwrite)
        return Path(out)

    def to_pandas(self) -> PandasFrame:
        """Return the links as a frame of pandas."""
        from lighttea.export.objects import to_pandas

        return to_pandas(self.links)

    def to_rdflib(self, **options: Unpack[ExportSettings]) -> RdflibGraph:
        """Return the links as a graph of rdflib: owl:sameAs, or skos:closeMatch for less sure ones.

        It holds what `export` writes in the format sameas, and takes the same options.
        """
        from lighttea.export.links import links_to_export
        from lighttea.export.objects import rdflib_graph
        from lighttea.export.options import make_export_options
        from lighttea.export.sameas import link_triples

        checked = make_export_options(**options)
        return rdflib_graph(link_triples(links_to_export(self, checked, "sameas"), checked))

    def _summary(self) -> str:
        from lighttea.results.names import graph_names

        sides, names = self.info["input"], graph_names(self)
        return (
            f"{len(self.links):,} links; {names.left} {sides['left']['entities']:,} entities, "
            f"{names.right} {sides['right']['entities']:,}; {self.info['seeds']:,} seeds"
        )

    def _tables(self) -> Iterable[str]:
        from lighttea.results.names import graph_names, name_ids

        names, confidence = graph_names(self), self.links["confidence"]
        sure, likely = ((confidence >= low).sum() for low in (0.9, 0.5))
        yield from html_list(
            [
                f"{sure:,} links with a confidence of .9 or more, {likely:,} of .5 or more; "
                f"preset {self.info['preset']}"
            ]
        )
        sizes = ("entities", "relations", "facts")
        sides = self.info["input"].items()
        rows = [
            (names.of_side(side), *(f"{graph[size]:,}" for size in sizes)) for side, graph in sides
        ]
        yield html_table(("graph", *sizes), rows)
        columns = ("score", "confidence", "margin", "fdr")
        links = self.links.head(_SHOWN_LINKS)
        left, right = (name_ids(self, side, links[side]) for side in ("left", "right"))
        figures = [[_figure(value) for value in row] for row in links.select(columns).rows()]
        shown: list[list[str | Named]] = [
            [a, b, *own] for a, b, own in zip(left, right, figures, strict=True)
        ]
        yield html_table((names.left, names.right, *columns), shown)


def _figure(value: float | None) -> str:
    """Return a number with three digits; nothing where there is none."""
    return "" if value is None else f"{value:.3f}"
