"""The report of a run: one self-contained page; needs the extra `report`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.display import GraphNames, Named, html_text, visible
from lighttea.errors import EngineUnavailable
from lighttea.explain.explanation import Explanation
from lighttea.inputs.links import LinkTable
from lighttea.io.files import write_whole
from lighttea.io.outputs import writing
from lighttea.report import charts, expected, figures
from lighttea.report.literals import literal_tables
from lighttea.report.theme import INSTALL
from lighttea.report.vega import bundle_script
from lighttea.results.expectation import decoy_warning, describe_links, expected_wrong
from lighttea.results.names import graph_names, name_ids
from lighttea.results.run import Run

SHOWN_LINKS = 6
SHOWN_FACTS = 6
SHOWN_LITERALS = 8
SHOWN_ALONE = 4  # literals of one side
SHOWN_ALARMS = 30
FILE = "report.html"


def can_report() -> bool:
    """Whether the libraries of the extra `report` are installed."""
    return all(find_spec(name) for name in ("jinja2", "altair", "vl_convert"))


def write_report(run: Run, folder: Path, *, truth: LinkTable | None = None) -> Path:
    """Write report.html into the run folder and return its path."""
    path = Path(folder) / FILE
    page = report_html(run, name=Path(folder).resolve().name, truth=truth)
    with writing(path):
        write_whole(path, page)
    return path


def report_html(run: Run, *, name: str = "run", truth: LinkTable | None = None) -> str:
    """Return the report as HTML."""
    if not can_report():
        raise EngineUnavailable(f"report.html needs altair, vl-convert and jinja2: {INSTALL}")
    import jinja2
    from markupsafe import Markup

    folder = files("lighttea.report")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["visible"] = visible
    environment.filters["breakable"] = lambda text: Markup(html_text(text))
    environment.tests["named"] = lambda cell: isinstance(cell, Named)
    template = environment.from_string(folder.joinpath("run.html.j2").read_text("utf-8"))
    style = folder.joinpath("page.css").read_text("utf-8")
    style += folder.joinpath("run.css").read_text("utf-8")
    return template.render(
        title=f"Alignment report: {name}",
        graphs=graph_names(run),
        warning=decoy_warning(run),
        lead=_lead(run),
        sections=[section for section in _sections(run, truth) if section.blocks],
        style=Markup(style),
        script=bundle_script(),
    )


@dataclass(frozen=True)
class Section:
    """A heading and the blocks below it."""

    title: str
    blocks: list[dict[str, Any]]

    @property
    def anchor(self) -> str:
        """The id of the section, for links within the page."""
        return "-".join(self.title.lower().replace("?", "").replace(",", "").split())


def _lead(run: Run) -> str:
    names, sure = graph_names(run), sum(band.count for band in figures.count_by_band(run)[:1])
    return (
        f"{describe_links(run)}. {sure:,} of them have a confidence of .9 or more. There are "
        f"{run.info['input']['left']['entities']:,} entities {names.place('left')} and "
        f"{run.info['input']['right']['entities']:,} {names.place('right')}; "
        f"{run.info['seeds']:,} links were known before."
    )


def _sections(run: Run, truth: LinkTable | None) -> Iterator[Section]:
    yield Section("Warnings", [{"items": run.info["warnings"]}] if run.info["warnings"] else [])
    yield Section("What went in", list(_input_blocks(run)))
    yield Section("What came out", list(_output_blocks(run)))
    if truth is not None:
        yield Section("Against the truth", list(_evaluation_blocks(run, truth)))
    yield Section("Literals", list(_literal_blocks(run)))
    yield Section("Is time helping?", list(_time_blocks(run)))
    yield Section("Temporal alarms", list(_alarm_blocks(run)))
    sure, unsure = figures.select_links(run, SHOWN_LINKS)
    yield Section("The most certain links", [_link_block(run.explain(left)) for left in sure])
    yield Section("The least certain links", [_link_block(run.explain(left)) for left in unsure])
    yield Section("Course", list(_round_blocks(run)))


def _table_block(
    caption: str, columns: Sequence[str], rows: Sequence[Sequence[str | Named]]
) -> dict[str, Any]:
    """Return a table block; columns of numbers are right-aligned, names have their ids below."""
    numeric = [all(_is_number(row[i]) for row in rows) for i in range(len(columns))]
    return {"table": True, "caption": caption, "columns": columns, "numeric": numeric, "rows": rows}


def _is_number(cell: str | Named) -> bool:
    return isinstance(cell, str) and not cell.strip("0123456789.,%+- s")


def _input_blocks(run: Run) -> Iterator[dict[str, Any]]:
    rows, time_rows, names = [], [], graph_names(run)
    for side, facts in (("left", run.facts_left), ("right", run.facts_right)):
        source = run.info["input"][side]
        counts = tuple(f"{source[name]:,}" for name in ("entities", "relations", "facts"))
        kinds_of_time = figures.count_time_kinds(facts)
        timed = 1 - kinds_of_time["unknown"] / max(len(facts), 1)
        figures_of_side = *counts, f"{timed:.0%}", f"{source.get('literals', 0):,}"
        name = names.of_side(side)
        rows.append((name, side, source["source"] or "given in Python", *figures_of_side))
        time_rows.append((name, *(f"{n:,}" for n in kinds_of_time.values())))
    columns = ("source", "entities", "relations", "facts", "with time", "literals")
    if names == GraphNames():  # the side is all that they are called
        yield _table_block("The graphs", ("graph", *columns), [row[1:] for row in rows])
    else:
        yield _table_block("The graphs", ("graph", "side", *columns), rows)
    by_year = figures.count_facts_by_year(run)
    if by_year:
        caption = "Time coverage: facts of both graphs by year"
        yield {
            "chart": charts.coverage_chart(by_year, caption, names),
            "caption": caption,
            "wide": True,
        }
    yield _table_block("What is known of the facts' times", ("graph", *kinds_of_time), time_rows)


def _output_blocks(run: Run) -> Iterator[dict[str, Any]]:
    unlinked = figures.count_unlinked(run)
    yield _confidence_block(run)
    yield from _expected_wrong_blocks(run)
    unsure, names = _threshold_words(run.info["config"]), graph_names(run)
    unlinked_rows = [
        (names.left, f"no candidate is likely enough{unsure}", f"{unlinked.unsure:,}"),
        (names.left, "the best candidate went to another", f"{unlinked.claimed:,}"),
        (names.left, "no candidate: no fact connects it to a seed", f"{unlinked.unreached:,}"),
        (names.right, f"no {names.left} entity was linked to it", f"{unlinked.right:,}"),
    ]
    yield _table_block("Entities without a link", ("graph", "why", "entities"), unlinked_rows)
    if run.links.is_empty():
        return
    low, high = float(min(0, run.links["score"].min())), max(1.0, float(run.links["score"].max()))  # type: ignore[type-var, arg-type]
    for column, bounds, caption in (
        ("confidence", (0.0, 1.0), "Confidence of the links, after assignment"),
        ("margin", (0.0, 1.0), "Margin: lead in confidence over the runner-up"),
        ("score", (low, high), "Score: the blended similarity"),
    ):
        bins = figures.histogram_bins(run.links[column], *bounds)
        yield {"chart": charts.histogram_chart(bins, column, caption), "caption": caption}


def _threshold_words(config: Mapping[str, Any]) -> str:
    """Return what is not likely enough by the settings of a run, in brackets."""
    least, most = config["min_confidence"], config.get("max_fdr", 1.0)
    words = [f"confidence below {least:g}"] * bool(least) + [f"fdr above {most:g}"] * (most < 1)
    return f" ({' or '.join(words)})" if words else ""


def _confidence_block(run: Run) -> dict[str, Any]:
    """Return a table of links by confidence, with the number of wrong ones where it is known."""
    bands = figures.count_by_band(run)
    rows = [(f"confidence {band.name}", f"{band.count:,}") for band in bands]
    if expected_wrong(run) is None:
        return _table_block("Links by confidence", ("", "links"), rows)
    wrong_rows = [(*row, f"{band.n_wrong:,.1f}") for row, band in zip(rows, bands, strict=True)]
    return _table_block("Links by confidence", ("", "links", "expected wrong"), wrong_rows)


def _expected_wrong_blocks(run: Run) -> Iterator[dict[str, Any]]:
    """Yield what a threshold keeps, and the curve of expected errors, where there is an fdr."""
    cuts = expected.cuts_by_fdr(run)
    if not cuts:
        return
    rows = [
        (
            f"--max-fdr {cut.max_fdr:g}",
            f"{cut.n_links:,}",
            f"{cut.n_wrong:,.1f}",
            "-" if cut.confidence is None else f"{cut.confidence:.3f}",
        )
        for cut in cuts
    ]
    columns = ("threshold", "links kept", "expected wrong", "confidence from")
    yield _table_block("Links that a threshold keeps", columns, rows)
    decoys = expected.curve_of_decoys(run)
    caption = "The share of wrong links to expect, by how many of the surest links are kept"
    caption += "; at each point, how many decoys won" if decoys else ""
    chart = charts.expected_wrong_chart(expected.curve_of_links(run), decoys, caption)
    yield {"chart": chart, "caption": caption, "wide": True}


def _evaluation_blocks(run: Run, truth: LinkTable) -> Iterator[dict[str, Any]]:
    evaluation = run.evaluate(truth)
    rank, links = evaluation.ranking, evaluation.links
    shares = {
        "Hits@1": rank.hits_at_1,
        "Hits@10": rank.hits_at_10,
        "MRR": rank.mrr,
        "precision of the links": links.precision,
        "precision, of entities the truth names": evaluation.links_of_known.precision,
        "recall": links.recall,
        "F1": links.f1,
    }
    rows = [(name, f"{value:.4f}") for name, value in shares.items()]
    title = f"{evaluation.n_truth:,} true links, {evaluation.n_seeds_left_out:,} seeds left out"
    yield _table_block(title, ("figure", "value"), rows)
    bins = figures.reliability_bins(run, truth)
    if bins:
        caption = "Reliability: on the dashed line a confidence is what it says"
        yield {"chart": charts.reliability_chart(bins, caption), "caption": caption}


def _literal_blocks(run: Run) -> Iterator[dict[str, Any]]:
    text, tables = literal_tables(run)
    if text:
        yield {"text": text}
    for table in tables:
        yield _table_block(table.caption, table.columns, table.rows)


def _time_blocks(run: Run) -> Iterator[dict[str, Any]]:
    effect, second = figures.estimate_time_effect(run), figures.compare_second_run(run)
    if effect is None:
        yield {"text": "Time took no part in this run."}
        return
    if second is not None:
        yield from _second_run_blocks(run, second)
        return
    yield {
        "text": f"Without time an estimated {effect.n_changed:,} of {effect.n_links:,} links "
        f"({effect.share:.1%}) would go to another candidate."
    }
    yield {
        "note": "An estimate without truth and without a second run: the kept candidates are "
        "scored by relations and literals alone. Labels and links stay those that were found with "
        "time; runs without time that were tried differed more. lighttea report RUN "
        "--compare-time makes a second run."
    }
    yield from _decided_links(run, effect.examples)


def _second_run_blocks(run: Run, second: figures.SecondRun) -> Iterator[dict[str, Any]]:
    expected = (second.expected, second.expected_without)
    gained = expected[0] - expected[1]
    yield {
        "text": f"Without time {second.n_elsewhere:,} of {second.n_links:,} links go to another "
        f"entity and {second.n_lost:,} are not made at all. By their own confidence "
        f"{second.expected:,.0f} links are right with time and {second.expected_without:,.0f} "
        f"without: time {'adds' if gained >= 0 else 'costs'} about {abs(gained):,.0f}."
    }
    rows = [
        ("links", f"{second.n_links:,}", f"{second.n_without:,}"),
        (
            "right by their own confidence",
            f"{second.expected:,.0f}",
            f"{second.expected_without:,.0f}",
        ),
        ("the same in both", f"{second.n_same:,}", f"{second.n_same:,}"),
    ]
    yield _table_block("A second run without time", ("", "with time", "without"), rows)
    yield from _decided_links(run, second.examples)


def _decided_links(run: Run, examples: pl.DataFrame) -> Iterator[dict[str, Any]]:
    if not examples.is_empty():
        columns = ("left", "right", "instead")
        named = [name_ids(run, "left" if c == "left" else "right", examples[c]) for c in columns]
        rows = list(zip(*named, strict=True))
        columns = (graph_names(run).left, "linked to", "without time")
        yield _table_block("Links that time decides", columns, rows)


def _alarm_blocks(run: Run) -> Iterator[dict[str, Any]]:
    alarms = run.alarms
    if alarms.is_empty():
        yield {"text": "Nothing in the times of the links looks odd."}
        return
    counts = alarms.group_by("kind", maintain_order=True).len()
    linked = alarms.drop_nulls("left").select("left").n_unique()
    yield {"text": f"{linked:,} links have facts whose times do not go together."}
    yield _table_block(
        "Alarms by kind", ("kind", "alarms"), [(k, f"{n:,}") for k, n in counts.rows()]
    )
    shown, names = alarms.head(SHOWN_ALARMS).fill_null("both graphs"), graph_names(run)
    left, right = (name_ids(run, side, shown[side]) for side in ("left", "right"))
    rows = list(zip(left, right, shown["kind"], shown["message"], strict=True))
    limit = f", the first {SHOWN_ALARMS}" if len(alarms) > SHOWN_ALARMS else ""
    columns = (names.left, names.right, "kind", "what")
    yield _table_block(f"The alarms{limit}", columns, rows)


def _link_block(link: Explanation) -> dict[str, Any]:
    """Return a block for one link with its evidence, literals beside facts."""
    terms = link.terms_in_words()
    largest = max([value for _, value in terms] + [1e-9])
    return {
        "link": link,
        "terms": [
            (words, f"{value:.3f}", round(100 * max(value, 0) / largest)) for words, value in terms
        ],
        "facts": link.facts[:SHOWN_FACTS],
        "n_hidden": len(link.facts) - SHOWN_FACTS,
        "literals": link.literals[:SHOWN_LITERALS],
        "n_hidden_literals": len(link.literals) - SHOWN_LITERALS,
        "alone": [
            (graph, literals[:SHOWN_ALONE], len(literals) - SHOWN_ALONE)
            for graph, literals in (
                (link.left_graph, link.only_left_literals),
                (link.right_graph, link.only_right_literals),
            )
            if literals
        ],
    }


def _round_blocks(run: Run) -> Iterator[dict[str, Any]]:
    rounds, info = run.info["rounds"], run.info
    caption = "Round by round: seeds, and sure pairs that join them"
    yield {"chart": charts.rounds_chart(rounds, caption), "caption": caption}
    stage_caption = "Seconds by stage"
    yield {"chart": charts.stages_chart(info["seconds"], stage_caption), "caption": stage_caption}
    columns = ("seeds", "left_with_candidates", "promoted")
    rows = [
        (str(i), *(f"{figures[c]:,}" for c in columns), f"{figures['sinkhorn_marginal_gap']:.3f}")
        for i, figures in enumerate(rounds, 1)
    ]
    left = graph_names(run).left
    headers = ("round", "seeds", f"{left} with candidates", "promoted", "Sinkhorn gap")
    yield _table_block("Rounds", headers, rows)
    stages = [
        (name.replace("_", " "), f"{s:.2f}", f"{info['peak_mb'].get(name, 0):,.0f}")
        for name, s in info["seconds"].items()
    ]
    total = f"{sum(info['seconds'].values()):.1f} s, peak memory {info['peak_rss_mb']:,.0f} MiB"
    yield _table_block(f"Stages: {total}", ("stage", "seconds", "peak MiB so far"), stages)
    settings = [(name, str(value)) for name, value in info["config"].items()]
    yield {
        **_table_block(f"Settings, preset {info['preset']}", ("name", "value"), settings),
        "fold": True,
    }
