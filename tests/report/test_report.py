"""report.html: whole, offline, small, honest about time, and safe with any name."""

from __future__ import annotations

import html
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import altair
import numpy as np
import polars as pl
import pytest
from jsonschema.exceptions import ValidationError

import lighttea
from lighttea.cli.report import report
from lighttea.display import GraphNames
from lighttea.example import example_file
from lighttea.explain.timeless import timeless_scores
from lighttea.io.frames import graph_of_frame
from lighttea.report import charts, drawing, expected, figures, page
from lighttea.report.literals import literal_tables
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from tests.literal_worlds import CODE, LONG, literal_run
from tests.worlds import World, align_example, make_world


@pytest.fixture(scope="module")
def run() -> Run:
    """The bundled example."""
    return align_example(preset="best", dim=128)


@pytest.fixture(scope="module")
def truth() -> pl.DataFrame:
    return lighttea.read_links(example_file("truth.tsv"))


@pytest.fixture(scope="module")
def whole(run: Run, truth: pl.DataFrame) -> str:
    return page.report_html(run, name="example", truth=truth)


def test_everything_is_in_it(whole: str, run: Run) -> None:
    for heading in (
        "How sure are the links?",
        "Against the truth",
        "What do the links rest on?",
        "Is time helping?",
        "Where are links missing?",
        "Temporal alarms",
        "Inputs",
        "The most certain links",
        "The least certain links",
        "Rounds and stages",
    ):
        assert f"<h2>{heading}</h2>" in whole
    assert f"<strong>{len(run.links):,}</strong>" in whole
    assert "Reliability" in whole


SCRIPT = re.compile(r"<script(?: type=\"([^\"]*)\")?>(.*?)</script>", re.DOTALL)


def test_it_needs_nothing_else(whole: str) -> None:
    shown = re.sub(r"xlink:href|xmlns\S*", "", SCRIPT.sub("", whole))
    assert "<script" not in shown
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', shown)
    assert "url(" not in shown.replace("url(#", "")


def test_each_chart_is_a_picture_whose_marks_say_what_they_are(whole: str) -> None:
    plots = re.findall(r'<figure class="plot.*?</figure>', whole, flags=re.DOTALL)
    assert len(plots) == 6
    for plot in plots:
        assert "<svg" in plot
        described = re.findall(r'aria-label="([^"]*)" role="graphics-symbol"', plot)
        assert len(described) > 3
        assert all(re.search(r"\d", words) for words in described)
        assert not re.findall(r"#[0-9a-f]{6}", plot)  # colours are the page's
    assert sum("chart narrow" in plot for plot in plots) == 1  # the wide one has two pictures


def test_every_specification_is_valid(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """Altair knows the schema of Vega-Lite; charts are drawn without asking it."""
    specs: list[dict[str, Any]] = []

    def keep(spec: dict[str, Any], description: str, width: int, height: int) -> str:
        specs.append(drawing.full_specification(spec, description, width, height))
        return "<svg></svg>"

    monkeypatch.setattr(drawing, "_picture", keep)
    page.report_html(run, truth=lighttea.read_links(example_file("truth.tsv")))
    assert len(specs) == 7
    for spec in specs:
        altair.Chart.from_dict(spec).to_dict()
    wrong = {**specs[-1], "mark": {"type": "no such mark"}, "layer": []}
    with pytest.raises(ValidationError):
        altair.Chart.from_dict(wrong)


def test_one_script_may_run_and_nothing_becomes_code(whole: str) -> None:
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', whole)[0])
    assert "unsafe-eval" not in policy
    assert "default-src 'none'" in policy
    running = [text for kind, text in SCRIPT.findall(whole) if not kind]
    assert len(running) == 1
    digest = b64encode(sha256(running[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy


def test_a_name_in_a_chart_is_only_text() -> None:
    names = GraphNames("</svg><script>alert(1)</script>", '"><b>')
    chart = charts.coverage_chart([("left", 1900, 3), ("right", 1901, 4)], "<i>", names)
    for picture in (chart.picture, chart.narrow):
        assert "<script" not in picture
        assert "<b>" not in picture
        assert "&lt;script&gt;" in picture


def test_small_and_large_counts_share_an_axis() -> None:
    """Beside 30,000 links a hundred decoys are 100, not 0k."""
    ranges = [expected.ConfidenceRange("0.5 to 0.6", 300, 5)]
    ranges += [expected.ConfidenceRange("0.99 to 1", 30_000, 100)]
    picture = charts.confidence_chart(ranges, "caption").picture
    labels = re.findall(r">(\d+k?)</text>", picture)
    assert {"0", "1", "10", "100", "1k", "10k"} <= set(labels)
    assert "0k" not in labels


def test_a_name_that_is_code_stays_a_name(world: World) -> None:
    def renamed(frame: pl.DataFrame) -> pl.DataFrame:
        risky = pl.lit('<script>alert("1")</script>')
        return frame.with_columns(head=risky + pl.col("head"), tail=risky + pl.col("tail"))

    plain = lighttea.align(world.left, world.right, seeds=world.seeds, dim=16, rounds=1)
    seeds = [(f'<script>alert("1")</script>{a}', b) for a, b in world.seeds]
    left = graph_of_frame(renamed(plain.facts_left))
    right = graph_of_frame(plain.facts_right)
    found = page.report_html(lighttea.align(left, right, seeds=seeds, dim=16, rounds=1))
    assert "<script>alert" not in found
    assert "&lt;script&gt;" in found


def copies(run: Run, n: int) -> Run:
    """The run so many times over, names made different."""

    def many(frame: pl.DataFrame, columns: tuple[str, ...]) -> pl.DataFrame:
        return pl.concat(
            [frame.with_columns(pl.col(*columns) + f" {number}") for number in range(n)]
        )

    info = dict(run.info)
    info["input"] = {
        side: {**one, "entities": n * one["entities"]} for side, one in info["input"].items()
    }
    tables: dict[str, Any] = {
        name: many(getattr(run, name), ("left", "right"))
        for name in ("links", "candidates", "evidence_links", "seeds")
    }
    facts = {
        name: many(getattr(run, name), ("head", "tail")) for name in ("facts_left", "facts_right")
    }
    return replace(run, info=info, **tables, **facts)


def test_time_helps_where_it_decides(run: Run) -> None:
    effect = figures.estimate_time_effect(run)
    assert effect is not None
    assert 0 < effect.n_changed < effect.n_links <= len(run.links)
    assert effect.examples.filter(pl.col("right") == pl.col("instead")).is_empty()


@pytest.mark.slow
def test_a_second_run_says_what_time_changed(run: Run, tmp_path: Path) -> None:
    assert figures.compare_second_run(run) is None
    assert "an estimated" in page.report_html(run)
    folder = run.save(tmp_path / "run")
    report(Path(folder), compare_time=True)
    made = lighttea.load_run(folder)
    second = figures.compare_second_run(made)
    assert second is not None
    other = dict(made.links_without_time.select("left", "right").rows())
    mine = dict(run.links.select("left", "right").rows())
    assert second.n_same == sum(other.get(left) == right for left, right in mine.items())
    assert second.n_elsewhere == sum(other.get(one, two) != two for one, two in mine.items())
    assert second.n_same + second.n_elsewhere + second.n_lost == len(mine)
    assert second.n_elsewhere > 0
    text = page.report_html(made)
    assert "A second run without time" in text
    assert "an estimated" not in text
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("preset", ["paper", "best"])
def test_the_estimate_is_what_scores_without_time_would_be(preset: str) -> None:
    """Of one round with the same labels: by relations alone the scores must be the same."""
    world = make_world(6)
    options: dict[str, Any] = {"preset": preset, "dim": 64, "rounds": 1, "whitening": False}
    options["cross_fit"] = False  # pairs to begin with would make labels in halves
    run = lighttea.align(world.left, world.right, seeds=world.seeds, consensus_passes=1, **options)
    without = lighttea.align(
        world.left,
        world.right,
        seeds=world.seeds,
        temporal_propagation=False,
        temporal_constraint=False,
        joint_evidence=False,
        time_evidence=False,
        consensus_passes=1,
        **options,
    )
    told = run.candidates.with_columns(estimate=timeless_scores(run.explainer.source))
    both = told.join(without.candidates, on=["left", "right"], suffix="_without")
    assert len(both) > 500
    apart = (both["estimate"] - both["score_without"]).abs()
    assert apart.to_numpy().max() < 0.15  # another random sketch, nothing else
    assert np.corrcoef(both["estimate"], both["score_without"])[0, 1] > 0.97


def test_without_time_it_says_so() -> None:
    world = make_world(4, timed=False)
    options: dict[str, Any] = {"temporal_propagation": False, "temporal_constraint": False}
    run = lighttea.align(world.left, world.right, seeds=world.seeds, dim=16, **options)
    assert figures.estimate_time_effect(run) is None
    assert "This run did not use time" in page.report_html(run)


DECOYS = {
    "per_entity": 0.5,
    "targets": 300,
    "decoys": 12,
    "curve": {
        "confidence": [1.0, 0.99, 0.9, 0.5, 0.1],
        "targets": [0, 120, 200, 260, 300],
        "decoys": [0, 0, 1, 4, 200],
    },
    "warning": None,
}


def with_decoys(run: Run, **changes: Any) -> Run:
    return replace(run, info={**run.info, "decoys": {**DECOYS, **changes}})


def test_a_threshold_keeps_what_it_says(run: Run) -> None:
    cuts = expected.cuts_by_fdr(run)
    assert [cut.max_fdr for cut in cuts] == list(expected.CUTS)
    for cut in cuts:
        kept = run.links.filter(pl.col("fdr") <= cut.max_fdr)
        assert cut.n_links == len(kept)
        assert cut.confidence == kept["confidence"].min()  # None where none is kept
        assert cut.n_wrong <= cut.max_fdr * cut.n_links + 1e-4
    assert cuts[0].n_links < cuts[-1].n_links == len(run.links)
    assert cuts[1].n_links > 0  # too few links for a thousandth, enough for a hundredth


def test_the_curve_of_links_ends_with_all_of_them(run: Run) -> None:
    curve = expected.curve_of_links(run)
    assert [curve[0].n_links, curve[-1].n_links] == [1, len(run.links)]
    assert curve[-1].wrong == pytest.approx(1 - float(run.links["confidence"].mean()), abs=1e-5)  # type: ignore[arg-type]
    shares = [point.wrong for point in curve]
    assert shares == sorted(shares)


def test_a_decoy_that_wins_stands_for_as_many_wrong_links_as_there_are_entities_to_one(
    run: Run,
) -> None:
    curve = expected.curve_of_decoys(with_decoys(run))
    assert [point.n_links for point in curve] == [120, 200, 260, 300]
    assert [point.wrong for point in curve] == pytest.approx([0, 0.01, 8 / 260, 1.0])
    assert [point.n_decoys for point in curve] == [0, 1, 4, 200]
    assert expected.curve_of_decoys(replace(run, info={**run.info, "decoys": None})) == []
    own = expected.curve_of_decoys(run)
    assert own[-1].n_links == pytest.approx(len(run.links), rel=0.05)  # decoys take a few
    assert own[-1].n_decoys is not None
    assert own[-1].n_decoys < 0.1 * own[-1].n_links
    assert expected.curve_of_decoys(with_decoys(run, curve=None)) == []


def test_thinning_keeps_both_ends_and_spreads_by_the_number_of_links() -> None:
    points = [expected.CurvePoint(n, 0.1, 0.9) for n in (1, 2, 500, 500, 501, 999, 1000)]
    assert expected.thin_out(points, 1000) == [points[0], points[1], *points[3:]]
    assert [point.n_links for point in expected.thin_out(points, 2)] == [1, 500, 1000]
    assert expected.thin_out(points, 2)[1] is points[3]  # the last of equal ones
    assert expected.thin_out([], 2) == []


def test_the_chart_has_both_estimates_and_counts_the_decoys(run: Run) -> None:
    decoys = expected.curve_of_decoys(with_decoys(run))
    chart = charts.expected_wrong_chart(expected.curve_of_links(run), decoys, "caption")
    for word in ("by confidence", "by decoys", "expected wrong", "200 decoys won"):
        assert word in chart.picture
    alone = charts.expected_wrong_chart(expected.curve_of_links(run), [], "caption")
    assert "by decoys" not in alone.picture


def test_the_report_begins_with_what_the_decoys_warn_of(run: Run) -> None:
    warning = "nothing in these graphs tells a match from chance: 41 pairs, 38 decoys"
    text = page.report_html(with_decoys(run, warning=warning))
    assert text.index(warning[1:]) < text.index('<ul class="figures">')
    assert "of the links, estimated with decoys" in text
    assert "points: estimated from decoys" in text


def test_a_run_without_fdr_has_no_curve(run: Run) -> None:
    plain = replace(run, links=run.links.with_columns(fdr=pl.lit(None, pl.Float32)))
    info = {**run.info, "rounds": [{**one} for one in run.info["rounds"]]}
    for one in info["rounds"]:
        one.pop("share_with_counterpart", None)
    text = page.report_html(replace(plain, info=info))
    assert "--max-fdr" not in text
    assert "expected wrong" not in text
    assert "confidence is not calibrated" in text
    assert "Confidence is not a probability in this run" in text


def test_reliability_counts_what_the_truth_names(run: Run, truth: pl.DataFrame) -> None:
    bins = figures.reliability_bins(run, truth)
    named = run.links.join(truth, on="left", how="semi")
    assert sum(one.n for one in bins) == len(named)
    right = sum(one.n * one.right for one in bins)
    assert right == pytest.approx(len(run.links.join(truth, on=["left", "right"], how="semi")))
    assert all(0 <= one.confidence <= 1 for one in bins)


def test_a_run_without_a_link_has_a_report(run: Run) -> None:
    text = page.report_html(replace(run, links=run.links.head(0)))
    assert "This run has no links: " in text
    assert "<strong>0</strong>" in text
    assert "<h2>Where are links missing?</h2>" in text


def test_code_in_advice_keeps_its_options_whole(run: Run) -> None:
    told = replace(run, info={**run.info, "command": "lighttea align a <b> --out=x"})
    text = page.report_html(told, folder="runs/<i>")
    assert '<code>lighttea align a &lt;b&gt; <span class="option">--out=x</span></code>' in text
    assert "<code>lighttea review &#x27;runs/&lt;i&gt;&#x27;</code>" in text


def test_entities_are_all_accounted_for(run: Run) -> None:
    rest = figures.count_unlinked(run)
    linked = sum(one.count for one in figures.count_by_band(run.links["confidence"]))
    sizes = {side: run.info["input"][side]["entities"] for side in ("left", "right")}
    assert linked == len(run.links)
    assert linked + rest.claimed + rest.unsure + rest.unreached == sizes["left"] - len(run.seeds)
    assert linked + rest.right == sizes["right"] - len(run.seeds)
    assert rest.unsure > 0


def test_several_links_of_one_entity_are_counted_once(world: World) -> None:
    run = lighttea.align(world.left, world.right, seeds=world.seeds, dim=32, rounds=1, top_n=3)
    rest = figures.count_unlinked(run)
    assert min(rest.claimed, rest.unsure, rest.unreached, rest.right) >= 0
    sure, unsure = figures.select_links(run, 6)
    assert len({*sure, *unsure}) == 12
    assert f"<strong>{len(run.links):,}</strong>" in page.report_html(run)


# ----------------------------------------------------------------------------------- literals


@pytest.mark.slow
def test_literals_stand_beside_facts() -> None:
    run = literal_run()
    shown = SCRIPT.sub("", page.report_html(run, name="people"))
    assert "<h2>Literals</h2>" in shown
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", shown))
    is_given = pl.col("left").str.ends_with("given")
    matches = run.attribute_matches.filter(is_given).row(0, named=True)
    counts = f"{matches['known']} {matches['agreeing']} {matches['bits']:.1f}"
    assert f"given displayName {counts}" in words
    assert "left about http:// left. example/ p# about right note" in words  # left out
    assert "~ alike displayName" in words
    assert "= same telephone" in words
    assert CODE not in shown
    assert f'title="{html.escape(LONG)}"' in shown


def test_a_run_without_literals_says_nothing_of_them(run: Run) -> None:
    assert literal_tables(replace(run, info={**run.info, "literals": {"used": False}})) == (
        "",
        [],
    )
    old = {name: value for name, value in run.info.items() if name != "literals"}
    assert literal_tables(replace(run, info=old)) == ("", [])


def test_literals_that_took_no_part_are_counted(run: Run) -> None:
    empty = empty_table("attributes_left")
    rows = [["a", "name", "A", None, None, None, None]]
    literals = empty.vstack(pl.DataFrame(rows, empty.schema, orient="row"))
    unused = replace(run, attributes_left=literals, info={**run.info, "literals": {"used": False}})
    text, tables = literal_tables(unused)
    assert text == (
        "The graphs have 1 literal on the left and 0 on the right. This run did not use them."
    )
    assert not tables
