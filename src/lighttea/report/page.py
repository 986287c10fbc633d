"""A run's report: one page that needs nothing else, where the extra `report` is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.errors import EngineUnavailable
from lighttea.explain.explanation import TERM_WORDS, Explanation
from lighttea.inputs.links import LinkTable
from lighttea.io.files import write_whole
from lighttea.io.outputs import writing
from lighttea.report import charts, figures
from lighttea.report.theme import INSTALL
from lighttea.report.vega import script
from lighttea.results.run import Run

SHOWN_LINKS = 6
SHOWN_FACTS = 6
SHOWN_ALARMS = 30
FILE = "report.html"


def can_report() -> bool:
    """Whether the libraries of the extra are there."""
    return all(find_spec(name) for name in ("jinja2", "altair", "vl_convert"))


def write_report(run: Run, folder: Path, *, truth: LinkTable | None = None) -> Path:
    """Write report.html into the run folder."""
    path = Path(folder) / FILE
    page = report_html(run, name=Path(folder).resolve().name, truth=truth)
    with writing(path):
        write_whole(path, page)
    return path


def report_html(run: Run, *, name: str = "run", truth: LinkTable | None = None) -> str:
    """The whole page."""
    if not can_report():
        raise EngineUnavailable(f"report.html needs altair, vl-convert and jinja2: {INSTALL}")
    import jinja2
    from markupsafe import Markup

    folder = files("lighttea.report")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(folder.joinpath("run.html.j2").read_text("utf-8"))
    style = folder.joinpath("page.css").read_text("utf-8")
    style += folder.joinpath("run.css").read_text("utf-8")
    return template.render(
        title=f"Alignment report: {name}",
        lead=_lead(run),
        sections=[one for one in _sections(run, truth) if one.blocks],
        style=Markup(style),
        script=script(),
    )


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: list[dict[str, Any]]

    @property
    def anchor(self) -> str:
        """For links within the page."""
        return "-".join(self.title.lower().replace("?", "").replace(",", "").split())


def _lead(run: Run) -> str:
    sure = sum(one.count for one in figures.bands(run)[:1])
    return (
        f"{len(run.links):,} links between {run.info['input']['left']['entities']:,} left and "
        f"{run.info['input']['right']['entities']:,} right entities, {sure:,} of them with a "
        f"confidence of .9 or more. {run.info['seeds']:,} links were known before."
    )


def _sections(run: Run, truth: LinkTable | None) -> Iterator[Section]:
    yield Section("Warnings", [{"items": run.info["warnings"]}] if run.info["warnings"] else [])
    yield Section("What went in", list(_input(run)))
    yield Section("What came out", list(_output(run)))
    if truth is not None:
        yield Section("Against the truth", list(_against(run, truth)))
    yield Section("Is time helping?", list(_time(run)))
    yield Section("Temporal alarms", list(_alarms(run)))
    sure, unsure = figures.shown_links(run, SHOWN_LINKS)
    yield Section("The most certain links", [_link(run.explain(left)) for left in sure])
    yield Section("The least certain links", [_link(run.explain(left)) for left in unsure])
    yield Section("Course", list(_course(run)))


def _table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, Any]:
    """A table block; columns that hold numbers alone stand to the right."""
    numeric = [all(_is_number(row[i]) for row in rows) for i in range(len(columns))]
    return {"table": True, "caption": caption, "columns": columns, "numeric": numeric, "rows": rows}


def _is_number(text: str) -> bool:
    return not text.strip("0123456789.,%+- s")


def _input(run: Run) -> Iterator[dict[str, Any]]:
    rows, kinds = [], []
    for side, facts in (("left", run.facts_left), ("right", run.facts_right)):
        one = run.info["input"][side]
        counts = tuple(f"{one[name]:,}" for name in ("entities", "relations", "facts"))
        found = figures.time_kinds(facts)
        timed = 1 - found["unknown"] / max(len(facts), 1)
        rows.append((side, one["source"] or "given in Python", *counts, f"{timed:.0%}"))
        kinds.append((side, *(f"{n:,}" for n in found.values())))
    columns = ("graph", "source", "entities", "relations", "facts", "with time")
    yield _table("The graphs", columns, rows)
    by_year = figures.facts_by_year(run)
    if by_year:
        caption = "Time coverage: facts of both graphs by year"
        yield {"chart": charts.coverage(by_year, caption), "caption": caption, "wide": True}
    yield _table("What is known of the facts' times", ("graph", *found), kinds)


def _output(run: Run) -> Iterator[dict[str, Any]]:
    rest = figures.unlinked(run)
    rows = [(f"confidence {one.name}", f"{one.count:,}") for one in figures.bands(run)]
    yield _table("Links by confidence", ("", "links"), rows)
    least = run.info["config"]["min_confidence"]
    unsure = f" (confidence below {least:g})" if least else ""
    dangling = [
        ("left", f"no candidate is likely enough{unsure}", f"{rest.unsure:,}"),
        ("left", "the best candidate went to another", f"{rest.claimed:,}"),
        ("left", "no candidate: no fact connects it to a seed", f"{rest.unreached:,}"),
        ("right", "no left entity was linked to it", f"{rest.right:,}"),
    ]
    yield _table("Entities without a link", ("graph", "why", "entities"), dangling)
    if run.links.is_empty():
        return
    low, high = float(min(0, run.links["score"].min())), max(1.0, float(run.links["score"].max()))  # type: ignore[type-var, arg-type]
    for column, bounds, words in (
        ("confidence", (0.0, 1.0), "Confidence of the links, after assignment"),
        ("margin", (0.0, 1.0), "Margin: lead in confidence over the runner-up"),
        ("score", (low, high), "Score: the blended similarity"),
    ):
        bins = figures.histogram(run.links[column], *bounds)
        yield {"chart": charts.histogram(bins, column, words), "caption": words}


def _against(run: Run, truth: LinkTable) -> Iterator[dict[str, Any]]:
    found = run.evaluate(truth)
    rank, links = found.ranking, found.links
    shares = {
        "Hits@1": rank.hits_at_1,
        "Hits@10": rank.hits_at_10,
        "MRR": rank.mrr,
        "precision of the links": links.precision,
        "precision, of entities the truth names": found.links_of_known.precision,
        "recall": links.recall,
        "F1": links.f1,
    }
    rows = [(name, f"{value:.4f}") for name, value in shares.items()]
    title = f"{found.n_truth:,} true links, {found.n_seeds_left_out:,} seeds left out"
    yield _table(title, ("figure", "value"), rows)
    bins = figures.reliability(run, truth)
    if bins:
        caption = "Reliability: on the dashed line a confidence is what it says"
        yield {"chart": charts.reliability(bins, caption), "caption": caption}


def _time(run: Run) -> Iterator[dict[str, Any]]:
    effect, second = figures.time_effect(run), figures.second_run(run)
    if effect is None:
        yield {"text": "Time took no part in this run."}
        return
    if second is not None:
        yield from _second_run(second)
        return
    yield {
        "text": f"Without time an estimated {effect.n_changed:,} of {effect.n_links:,} links "
        f"({effect.share:.1%}) would go to another candidate."
    }
    yield {
        "note": "An estimate without truth and without a second run: the kept candidates are "
        "scored by relations alone. Labels and links stay those that were found with time; runs "
        "without time that were tried differed more. lighttea report RUN --compare-time makes a "
        "second run."
    }
    yield from _decided(effect.examples)


def _second_run(second: figures.SecondRun) -> Iterator[dict[str, Any]]:
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
    yield _table("A second run without time", ("", "with time", "without"), rows)
    yield from _decided(second.examples)


def _decided(examples: pl.DataFrame) -> Iterator[dict[str, Any]]:
    if not examples.is_empty():
        rows = [tuple(row) for row in examples.rows()]
        columns = ("left", "linked to", "without time")
        yield _table("Links that time decides", columns, rows)


def _alarms(run: Run) -> Iterator[dict[str, Any]]:
    alarms = run.alarms
    if alarms.is_empty():
        yield {"text": "Nothing in the times of the links looks odd."}
        return
    counts = alarms.group_by("kind", maintain_order=True).len()
    linked = alarms.drop_nulls("left").select("left").n_unique()
    yield {"text": f"{linked:,} links have facts whose times do not go together."}
    yield _table("Alarms by kind", ("kind", "alarms"), [(k, f"{n:,}") for k, n in counts.rows()])
    shown = alarms.head(SHOWN_ALARMS).fill_null("both graphs")
    rows = [tuple(row) for row in shown.select("left", "right", "kind", "message").rows()]
    more = f", the first {SHOWN_ALARMS}" if len(alarms) > SHOWN_ALARMS else ""
    yield _table(f"The alarms{more}", ("left", "right", "kind", "what"), rows)


def _link(found: Explanation) -> dict[str, Any]:
    """One link with its evidence."""
    terms = sorted(found.aspects.items(), key=lambda one: -one[1])
    most = max([value for _, value in terms] + [1e-9])
    return {
        "link": found,
        "terms": [
            (TERM_WORDS.get(name, name), f"{value:.3f}", round(100 * max(value, 0) / most))
            for name, value in terms
        ],
        "facts": found.facts[:SHOWN_FACTS],
        "more": len(found.facts) - SHOWN_FACTS,
    }


def _course(run: Run) -> Iterator[dict[str, Any]]:
    rounds, info = run.info["rounds"], run.info
    caption = "Round by round: seeds, and sure pairs that join them"
    yield {"chart": charts.course(rounds, caption), "caption": caption}
    words = "Seconds by stage"
    yield {"chart": charts.stages(info["seconds"], words), "caption": words}
    columns = ("seeds", "left_with_candidates", "promoted")
    rows = [
        (str(i), *(f"{one[c]:,}" for c in columns), f"{one['sinkhorn_marginal_gap']:.3f}")
        for i, one in enumerate(rounds, 1)
    ]
    headers = ("round", "seeds", "left with candidates", "promoted", "Sinkhorn gap")
    yield _table("Rounds", headers, rows)
    stages = [
        (name.replace("_", " "), f"{s:.2f}", f"{info['peak_mb'].get(name, 0):,.0f}")
        for name, s in info["seconds"].items()
    ]
    total = f"{sum(info['seconds'].values()):.1f} s, peak memory {info['peak_rss_mb']:,.0f} MiB"
    yield _table(f"Stages: {total}", ("stage", "seconds", "peak MiB so far"), stages)
    settings = [(name, str(value)) for name, value in info["config"].items()]
    yield {
        **_table(f"Settings, preset {info['preset']}", ("name", "value"), settings),
        "fold": True,
    }
