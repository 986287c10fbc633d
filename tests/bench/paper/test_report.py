"""From dataset folders to results.json, report.md and report.html."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from lighttea.bench.paper import run
from lighttea.bench.paper.charts import draw
from lighttea.bench.paper.document import Document, Section, Table
from lighttea.bench.paper.experiments import FULL, SECTIONS
from lighttea.bench.paper.figures import make_figures
from lighttea.bench.paper.html import render_html
from lighttea.bench.paper.markdown import render_markdown
from lighttea.bench.paper.run import Report, bench_paper
from lighttea.bench.paper.sections import make_document
from lighttea.errors import ConfigError, InputError
from lighttea.report.theme import COLOURS, themed
from lighttea.synth.config import SynthConfig
from tests.bench.paper.fakes import make_findings, make_subject

SMALL = SynthConfig(entities=150, seeds=30, ticks=40)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A quick bench, end to end, on a small made-up pair of graphs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_MADE_UP", SMALL)
        return bench_paper(tmp_path_factory.mktemp("bench") / "out", quick=True)


@pytest.fixture
def out(quick: Report) -> Path:
    return quick.written[0].parent


def test_quick_writes_everything(quick: Report, out: Path) -> None:
    assert [path.name for path in quick.written] == ["results.json", "report.md", "report.html"]
    assert all(path.stat().st_size > 1_000 for path in quick.written)
    assert not list(out.rglob("*unfinished*"))
    names = {path.name.split("-")[0] for path in (out / "plots").iterdir()}
    assert names == {"alpha", "beta", "dimension", "rounds", "stages"}
    assert not quick.unavailable
    assert not quick.findings.failures


def test_results_hold_every_raw_run(quick: Report, out: Path) -> None:
    results = json.loads((out / "results.json").read_text())
    assert results["quick"] is True
    assert results["version"]
    assert results["machines"][0]["cores"] >= 1
    assert len(results["experiments"]) == len(list((out / "experiments").iterdir()))
    one = results["experiments"][0]
    assert one["experiment"]["config"]["random_seed"] == 0
    assert one["result"]["per_run"][0]["rounds"][0]["seconds"]["total"] > 0
    assert results["datasets"][0]["statistics"]["entities"] == [150, 150]
    assert {x["section"] for x in results["figures"]} == set(SECTIONS) - {"times", "protocol"}


def test_a_second_run_measures_nothing(
    quick: Report, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> None:
        pytest.fail("measured again")

    monkeypatch.setattr(run, "run_here", never)
    before = (out / "report.md").read_text()
    bench_paper(out, quick=True)
    assert (out / "report.md").read_text() == before


def test_sections_can_be_chosen(quick: Report, out: Path) -> None:
    chosen = bench_paper(out, quick=True, only=["ablation"])
    assert {one.group.section for one in chosen.findings.measurements} == {"ablation"}
    text = (out / "report.md").read_text()
    assert "## Ablation" in text
    assert "## Main results" not in text
    bench_paper(out, quick=True)  # as it was


class Links(HTMLParser):
    """Everything a page would load or point to, and the tags that are left open."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [
            value or "" for name, value in attrs if name in ("src", "href", "xlink:href")
        ]
        assert tag not in ("script", "link", "iframe")
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_self_contained(out: Path) -> None:
    page = (out / "report.html").read_text()
    links = Links()
    links.feed(page)
    assert links.open == []
    assert links.found
    assert all(link.startswith("#") for link in links.found)
    anchors = set(re.findall(r'id="([^"]+)"', page))
    assert {link[1:] for link in links.found} <= anchors
    assert not re.findall(r"url\((?!#)", page)
    assert "@import" not in page
    assert page.count("<svg") == len(list((out / "plots").iterdir()))


def test_the_page_knows_light_and_dark(out: Path) -> None:
    page = (out / "report.html").read_text()
    assert "prefers-color-scheme: dark" in page
    pictures = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.S))
    for colour, variable in COLOURS.items():
        assert f'"{colour}"' not in pictures.lower()
        assert page.count(f"{variable}:") >= (1 if variable == "--plot-ground" else 2)
    assert "var(--plot-ink)" in pictures


def test_a_picture_alone_keeps_its_colours(out: Path) -> None:
    pictures = list((out / "plots").iterdir())
    assert pictures
    for path in pictures:
        text = path.read_text()
        assert text.startswith("<svg")
        assert "var(" not in text
        assert "#ffffff" in text.lower()


def numbers(text: str) -> list[str]:
    return re.findall(r"\.\d{3}\b", text)


def test_both_texts_say_the_same() -> None:
    report = make_document(make_findings([make_subject()]))
    page, text = render_html(report, {}), render_markdown(report, ())
    body = page[page.index("<main>") :]
    plain = text.replace("‡ more than .005 apart", "")
    assert numbers(re.sub(r"<[^>]*>", " ", body)) == numbers(plain)


def test_the_report_of_a_full_run_has_all_tables() -> None:
    report = make_document(make_findings([make_subject(), make_subject(None, title="other")]))
    titles = [section.title for section in report.sections]
    assert titles == [
        "Summary",
        "Datasets",
        "Main results",
        "The default preset",
        "Beside other publications",
        "Ablation",
        "Time costs",
        "Dimension",
        "Alpha and beta",
        "Claims without numbers",
        "Round by round",
        "Beyond the paper: an open protocol",
        "All figures",
        "How it was run",
    ]
    for section in report.sections:
        for part in section.parts:
            if isinstance(part, Table):
                assert part.records, part.caption
                heads = set(part.columns[: part.heading_columns])
                assert all(heads <= record.keys() for record in part.records), part.caption
    names = [plot.name for plot in report.plots()]
    assert len(names) >= 10


def test_far_figures_are_listed_and_counted() -> None:
    findings = make_findings([make_subject()])
    report = make_document(findings)
    far = [one for one in make_figures(findings.measurements) if one.is_far]
    summary = report.sections[0]
    table = summary.parts[-1]
    assert isinstance(table, Table)
    assert table.caption == "Where we differ from the paper by more than .005"
    assert len(table.records) == len(far) > 0
    assert f"{len(far)} are not" in summary.text[0]


def test_a_stand_in_is_called_one_and_missing_sets_are_listed() -> None:
    text = render_markdown(make_document(make_findings([make_subject()])), ())
    assert "DICEWS (made again) is not the published DICEWS" in text
    assert "| YAGO-WIKI50K | – | Copy it from somewhere. |" in text


def test_time_costs_count_loading_and_stop_at_their_round() -> None:
    report = make_document(make_findings([make_subject()]))
    (section,) = [x for x in report.sections if x.title == "Time costs"]
    table = section.parts[0]
    assert isinstance(table, Table)
    star, full, *_ = table.rows
    assert star[2:4] == ["LightTEA*", "0.5"]
    assert star[-3:] == ["8.5", "5", "+4"]
    assert full[-3:] == ["24.5", "12", "+12"]
    others = {record["method"]: record["in all: paper"] for record in table.records[2:5]}
    assert others == {"TEA-GNN": "1,547", "TREA": "128", "STEA": "578"}


def test_failures_are_told() -> None:
    findings = make_findings([make_subject()])
    one = findings.measurements[0].group.experiments[0]
    report = make_document(replace(findings, failures={one: "out of memory"}))
    text = render_markdown(report, ())
    assert "## Experiments that failed" in text
    assert "out of memory" in text


def test_words_from_outside_are_escaped() -> None:
    title = "<script>alert(1)</script> | x"
    page = render_html(
        make_document(make_findings([make_subject(title=title)], only=("main",))), {}
    )
    assert "<script" not in page
    table = Table("t", [{"x": "a|b*", "y": "+.010‡"}])
    text = render_markdown(Document("d", "l", (Section("s", (), (table,)),)), ())
    assert "| a\\|b\\* | +.010‡ |" in text


TABLE = Table(
    "made up",
    [
        {"dataset": "A", "seeds": "200", "method": "base", "MRR: ours": "–", "MRR: paper": ".9"},
        {"dataset": "A", "seeds": "200", "method": "new", "MRR: ours": ".8", "MRR: Δ": "−.100‡"},
        {"dataset": "B", "seeds": "200", "method": "new", "MRR: ours": ".7", "MRR: Δ": "+.001"},
    ],
    heading_columns=2,
)


def test_a_table_in_markdown() -> None:
    text = render_markdown(Document("d", "l", (Section("s", (), (TABLE,)),)), ())
    assert text.partition("**made up**\n\n")[2].splitlines() == [
        "| dataset | seeds | method | MRR ours | MRR paper | MRR Δ |",
        "| --- | ---: | --- | ---: | ---: | ---: |",
        "| A | 200 | base | – | .9 | – |",
        "| A | 200 | new | .8 | – | −.100‡ |",
        "| B | 200 | new | .7 | – | +.001 |",
        "",
        "‡ more than .005 apart.",
    ]


def test_a_table_on_a_page() -> None:
    """Rows under the headings of their groups, columns under common ones, marks and muted rows."""
    page = render_html(Document("d", "l", (Section("s", (), (TABLE,)),)), {})
    table = page[page.index("<table>") : page.index("</table>")]
    assert re.findall(r'<th scope="rowgroup" colspan="4">([^<]*)<', table) == [
        "A, 200 seeds",
        "B, 200 seeds",
    ]
    assert '<td colspan="1"></td><th scope="colgroup" colspan="3" class="group">' in table
    assert re.findall(r'<th scope="col"[^>]*>([^<]*)<', table) == ["method", "ours", "paper", "Δ"]
    assert '<td class="number below">−.100<span class="mark">▼</span></td>' in table
    assert '<td class="number difference">+.001<span class="mark"></span></td>' in table
    (muted,) = re.findall(r'<tr class="muted">(.*?)</tr>', table, flags=re.S)
    assert "base" in muted
    assert "‡" not in page


def test_all_plots_of_a_full_run_can_be_drawn() -> None:
    once = replace(FULL, runs=1)
    findings = make_findings([make_subject()], only=("dimension", "alpha"), scale=once)
    plots = list(make_document(findings).plots())
    assert plots
    for plot in plots:
        picture = draw(plot)
        assert picture.count("<svg") == 1
        assert "LightTEA*" in picture
        assert "width=" not in themed(picture).partition(">")[0]


def test_without_the_extra_the_rest_is_written(
    out: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("altair", "vl_convert", "jinja2"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(run, "_MADE_UP", SMALL)
    report = bench_paper(tmp_path / "bare", quick=True, only=["main"], runs=1)
    assert 'pip install "lighttea[report]"' in report.unavailable
    assert [path.name for path in report.written] == ["results.json", "report.md"]
    assert not (tmp_path / "bare" / "report.html").exists()
    assert "![" not in (tmp_path / "bare" / "report.md").read_text()


def test_wrong_calls_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give `data`"):
        bench_paper(tmp_path / "out")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="contains no dataset folder"):
        bench_paper(tmp_path / "out", data=tmp_path / "empty")
    with pytest.raises(ConfigError, match="runs must be >= 1"):
        bench_paper(tmp_path / "out", quick=True, runs=0)
    with pytest.raises(ConfigError, match="no section 'figure'"):
        bench_paper(tmp_path / "out", quick=True, only=["figure"])
    assert not (tmp_path / "out").exists()
