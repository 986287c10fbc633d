"""`lighttea align`: what it writes, what it refuses, what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lighttea.cli.console import stdout
from lighttea.cli.summary import print_summary
from lighttea.config import make_config
from lighttea.results.store import load_run
from tests.cli.conftest import LIGHT, Command, Files, Outcome
from tests.lives import knuth_and_floyd, people, right_names
from tests.worlds import fact_frame


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def info_of(folder: Path) -> dict[str, Any]:
    info: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return info


@pytest.fixture
def align(command: Command, files: Files) -> Command:
    """`align` on the small graphs with light settings, further tokens after them."""

    def call(*more: str | Path) -> Outcome:
        base = ("align", files.left, files.right, "--seeds", files.seeds, "--out", "run")
        return command(*base, *LIGHT, *more)

    return call


def test_align_writes_a_run_and_says_where(align: Command, files: Files, tmp_path: Path) -> None:
    outcome = align("--truth", files.truth)
    assert outcome.code == 0
    assert outcome.err == ""
    assert "run folder: run\n" in outcome.out
    assert "Hits@1" in outcome.out
    header = (tmp_path / "run" / "links.tsv").read_text().splitlines()[0]
    assert header == "left\tright\tscore\tconfidence\tmargin\tfdr\talarms"
    assert names_in(tmp_path) == ["run"]


def test_settings_and_inputs_are_recorded(align: Command, files: Files, tmp_path: Path) -> None:
    assert align("--alpha", "0.25", "--random-seed", "9").code == 0
    info = info_of(tmp_path / "run")
    expected = {"dim": 16, "top_k": 10, "rounds": 1, "alpha": 0.25, "random_seed": 9}
    assert expected.items() <= info["config"].items()
    assert info["config"]["beta"] == make_config().beta
    assert info["random_seed"] == 9
    assert info["input"]["left"]["source"] == str(files.left)
    assert info["input"]["left"]["facts"] == 250
    assert info["seeds"] == 10
    assert info["seconds"]["load"] >= 0


@pytest.mark.parametrize("name", ["temporal_propagation", "temporal_constraint", "sinkhorn"])
def test_ablation_switches(align: Command, tmp_path: Path, name: str) -> None:
    assert align(f"--no-{name.replace('_', '-')}").code == 0
    config = info_of(tmp_path / "run")["config"]
    switches = ("temporal_propagation", "temporal_constraint", "sinkhorn")
    assert {n: config[n] for n in switches} == {n: n != name for n in switches}


def test_the_truth_never_changes_the_links(align: Command, files: Files, tmp_path: Path) -> None:
    assert align().code == 0
    without = pl.read_parquet(tmp_path / "run" / "links.parquet")
    assert align("--overwrite", "--truth", files.truth).code == 0
    assert pl.read_parquet(tmp_path / "run" / "links.parquet").equals(without)


def test_columns_options(command: Command, files: Files, tmp_path: Path) -> None:
    left = files.write("odd.tsv", "subj\tpred\tobj\tx\ty\n" + files.left.read_text())
    outcome = command(
        *("align", left, files.right, "--seeds", files.seeds, "--out", "run", *LIGHT),
        *("--left-columns", "head=subj,relation=pred,tail=obj,begin=x,end=y"),
        *("--right-columns", "head=subject,relation=predicate,tail=object"),
    )
    assert outcome.code == 0
    assert "the right graph has no fact with a known time" in outcome.err
    assert info_of(tmp_path / "run")["input"]["left"]["facts"] == 250


def test_columns_for_both_graphs(command: Command, files: Files) -> None:
    right = files.write("right.tsv", "x" + files.left.read_text())
    seeds = files.write("s.tsv", "e1\te1\ne2\te2\n")
    base = ("align", files.left, right, "--seeds", seeds, "--out", "run", *LIGHT)
    assert command(*base, "--columns", "head=1,relation=2,tail=3,begin=4,end=5").code == 0
    refused = command(*base, "--overwrite", "--columns", "head=1,relation=2")
    assert refused.code == 2
    assert "tail missing" in refused.err


def test_the_documented_columns_example_works(command: Command, files: Files) -> None:
    text = "subj\tpred\tobj\tx\ty\n" + files.left.read_text()
    odd = files.write("odd.tsv", text)
    outcome = command("inspect", odd, "--columns", "head=subj,relation=pred,tail=obj,begin=4,end=5")
    assert outcome.code == 0, outcome.err


def test_a_graph_without_time_works_with_one_warning(command: Command, files: Files) -> None:
    rows = [line.split("\t")[:3] for line in files.left.read_text().splitlines()]
    left = files.write("timeless.tsv", "".join("\t".join(row) + "\n" for row in rows))
    outcome = command("align", left, files.right, "--seeds", files.seeds, "--out", "run", *LIGHT)
    assert outcome.code == 0
    assert outcome.err.splitlines() == [
        "warning: timeless (the left graph) has no fact with a known time; aligning by relations "
        "only"
    ]


def test_duplicate_seeds_warn_and_work(align: Command, files: Files, tmp_path: Path) -> None:
    lines = files.seeds.read_text().splitlines(keepends=True)
    files.seeds.write_text("".join(lines + lines[1:3]))
    outcome = align()
    assert outcome.code == 0
    assert outcome.err.count("warning:") == 1
    assert "2 duplicate seeds" in outcome.err
    assert info_of(tmp_path / "run")["seeds"] == 10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("e1\txe1\nnobody\txe2\n", "{seeds}:2: 'nobody' is not an entity of the left graph"),
        ("e1\txe1\ne2\tnobody\n", "'nobody' is not an entity of the right graph"),
        ("xe1\te1\n", "are the left and the right graph swapped?"),
        (
            "e1\txe1\ne1\txe2\n",
            "left entity 'e1' has 2 partners: 'xe1' ({seeds}:1) and 'xe2' (",
        ),
        ("e1\txe1\ne2\txe1\n", "right entity 'xe1' has 2 partners: 'e1' ({seeds}:1) and 'e2'"),
        ("e1\t\n", "seeds.tsv:1: a link needs a left and a right entity"),
        ("e1\txe1\ne2\n", "seeds.tsv:2: expected 2"),
        ("left\tright\n", "nothing below the header"),
        ("", "the file is empty"),
    ],
)
def test_wrong_seeds_are_refused(
    align: Command, files: Files, tmp_path: Path, text: str, said: str
) -> None:
    files.seeds.write_text(text)
    outcome = align()
    assert outcome.code == 2
    assert outcome.out == ""
    assert said.format(seeds=files.seeds) in outcome.err
    assert names_in(tmp_path) == []


def test_all_wrong_seeds_come_at_once(align: Command, files: Files) -> None:
    files.seeds.write_text("".join(f"e{n}\tno{n}\n" for n in range(30)))
    lines = align().err.splitlines()
    assert len(lines) == 21
    assert f"{files.seeds}:1: 'no0' is not an entity of the right graph" in lines[0]
    assert lines[-1].endswith("... and 10 more")


def test_seeds_that_link_everything_are_refused(align: Command, files: Files) -> None:
    files.seeds.write_text(files.truth.read_text() + files.seeds.read_text().split("\n", 1)[1])
    outcome = align()
    assert outcome.code == 2
    assert "nothing is left to align" in outcome.err


def test_seeds_without_any_fact_are_refused(command: Command, dataset: Path, files: Files) -> None:
    for side, first in (("1", 0), ("2", 100)):
        with (dataset / f"ent_ids_{side}").open("a") as names:
            names.write(f"{first + 77}\tlonely\n")
    seeds = files.write("lonely.tsv", "77\t177\n")
    outcome = command(
        *("align", dataset / "triples_1", dataset / "triples_2"),
        *("--seeds", seeds, "--out", "run", *LIGHT),
    )
    assert outcome.code == 2
    assert "none of the 1 seeds occurs in a fact of triples_1 (the left graph)" in outcome.err


def test_seeds_in_another_part_of_the_graph_are_refused(command: Command, files: Files) -> None:
    left = files.write("l.tsv", "a\tr\tb\nc\ts\td\n")
    right = files.write("r.tsv", "A\tq\tB\nC\tt\tD\n")
    seeds = files.write("s.tsv", "a\tA\nb\tB\n")
    words = ("align", left, right, "--seeds", seeds, "--no-literals", "--out", "run", *LIGHT)
    outcome = command(*words)
    assert outcome.code == 2
    assert "no left entity is connected to a seed" in outcome.err


def test_no_seeds_are_needed(command: Command, files: Files, tmp_path: Path) -> None:
    outcome = command("align", files.left, files.right, "--out", tmp_path / "run", *LIGHT)
    assert outcome.code == 0, outcome.err
    assert "pairs found automatically" in outcome.out
    info = info_of(tmp_path / "run")
    assert info["seeds"] == 0
    assert info["rounds"][0]["found_seeds"] > 20


def test_graphs_that_tell_nothing_are_refused(command: Command, files: Files) -> None:
    rows = "".join(f"a{i}\tr\tb{i}\n" for i in range(60))
    left, right = files.write("l.tsv", rows), files.write("r.tsv", rows.replace("a", "x"))
    outcome = command("align", left, right, "--out", "run", *LIGHT)
    assert outcome.code == 2
    assert "give some known links with `--seeds`" in outcome.err


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("head\trelation\ttail\n", "nothing below the header"),
        ("a\tr\n", "g.tsv:1: expected 3 or 4 or 5 tab-separated fields, found 2"),
        ("a\tr\tb\t2001\n\nc\tr\td\tsoon\n", "g.tsv:3: time 'soon' is not understood"),
        ('a,r,"b\nc,r,d\n', "does not end"),
        ("\n\na\tr\n", "g.tsv:3: expected 3 or 4 or 5"),
    ],
)
def test_wrong_graphs_are_refused(
    command: Command, files: Files, tmp_path: Path, side: str, text: str, said: str
) -> None:
    wrong = files.write("g.tsv", text)
    pair = (wrong, files.right) if side == "left" else (files.left, wrong)
    outcome = command("align", *pair, "--seeds", files.seeds, "--out", "run", *LIGHT)
    assert outcome.code == 2
    assert outcome.out == ""
    assert said in outcome.err
    assert outcome.err.startswith("error: ")
    assert outcome.err.count("error: ") == 1
    assert names_in(tmp_path) == []


def test_missing_files_and_folders_are_refused(command: Command, files: Files) -> None:
    more = ("--out", "run", *LIGHT)
    missing = command("align", "no.tsv", files.right, "--seeds", files.seeds, *more)
    assert (missing.code, "no.tsv: no such file" in missing.err) == (2, True)
    folder = command("align", files.folder, files.right, "--seeds", files.seeds, *more)
    assert (folder.code, "expected a file, found a folder" in folder.err) == (2, True)
    seeds = command("align", files.left, files.right, "--seeds", "no.tsv", *more)
    assert (seeds.code, "no.tsv: no such file" in seeds.err) == (2, True)


def test_the_same_file_twice_is_refused(command: Command, files: Files) -> None:
    seeds = files.write("s.tsv", "e1\te1\n")
    outcome = command("align", files.left, files.left, "--seeds", seeds, "--out", "run", *LIGHT)
    assert outcome.code == 2
    assert "same file" in outcome.err


def test_a_non_integer_id_in_a_dataset_is_refused(command: Command, dataset: Path) -> None:
    with (dataset / "triples_1").open("a") as facts:
        facts.write("x\t1\t2\t1900\t1901\n")
    outcome = command(
        *("align", dataset / "triples_1", dataset / "triples_2"),
        *("--seeds", dataset / "sup_pairs", "--out", "run", *LIGHT),
    )
    assert outcome.code == 2
    assert "triples_1:201: head must be a whole number; found 'x'" in outcome.err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--alpha", "2", "alpha must be <= 1; got 2"),
        ("--alpha", "-0.5", "alpha must be >= 0; got -0.5"),
        ("--alpha", "nan", "alpha must be"),
        ("--beta", "1.01", "beta must be <= 1"),
        ("--top-k", "0", "top_k must be >= 1; got 0"),
        ("--temperature", "0", "temperature must be > 0; got 0"),
        ("--temperature", "inf", "temperature must be"),
        ("--rounds", "0", "rounds must be >= 1"),
        ("--dim", "0", "dim must be >= 1"),
        ("--threads", "-1", "threads must be >= 0"),
        ("--preset", "papier", 'Did you mean "paper"'),
        ("--max-fdr", "1.5", "max_fdr must be <= 1; got 1.5"),
    ],
)
def test_options_out_of_range_are_refused_before_any_file_is_read(
    command: Command, tmp_path: Path, option: str, value: str, said: str
) -> None:
    outcome = command("align", "no.tsv", "no.tsv", "--out", "run", f"{option}={value}")
    assert outcome.code == 2
    assert said in outcome.err
    assert "no such file" not in outcome.err
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (("--preset", "paper"), "`--max-fdr` needs `--calibrated` and `--sinkhorn`"),
        (("--many-to-one",), "`--max-fdr` needs calibrated confidence, and `--many-to-one`"),
    ],
)
def test_max_fdr_without_calibration_is_refused_before_any_file_is_read(
    command: Command, tmp_path: Path, tokens: tuple[str, ...], said: str
) -> None:
    outcome = command("align", "no.tsv", "no.tsv", "--out", "run", "--max-fdr", "0.01", *tokens)
    assert outcome.code == 2
    assert said in outcome.err
    assert names_in(tmp_path) == []


def test_max_fdr_keeps_the_surest_links(align: Command, tmp_path: Path) -> None:
    assert align("--top-n", "2").code == 0
    whole = load_run(tmp_path / "run").links
    middle = (whole["fdr"][0] + whole["fdr"][-1]) / 2
    assert align("--top-n", "2", "--max-fdr", str(middle), "--overwrite").code == 0
    kept = load_run(tmp_path / "run").links
    assert 0 < len(kept) < len(whole)
    assert kept.equals(whole.filter(pl.col("fdr") <= middle))
    assert info_of(tmp_path / "run")["config"]["max_fdr"] == pytest.approx(middle)


def test_the_summary_says_how_many_links_are_wrong(align: Command, tmp_path: Path) -> None:
    outcome = align()
    n_links = info_of(tmp_path / "run")["links"]
    assert re.search(
        rf"^{n_links} links, (about \d+|less than one) of them wrong", outcome.out, re.M
    )
    paper = align("--preset", "paper", "--overwrite").out
    assert "links, errors not estimated (confidence is not calibrated)" in paper


def test_the_summary_begins_with_what_the_decoys_warn_of(
    align: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert align().code == 0
    run = load_run(tmp_path / "run")
    warning = "nothing in these graphs tells a match from chance: 41 pairs, 38 decoys"
    run.info["decoys"] = {"decoys": 38, "targets": 41, "warning": warning}
    print_summary(stdout(), run, Path("run"))
    printed = capsys.readouterr().out
    assert printed.startswith(f"warning: {warning}\n")
    assert "1 note, shown by --verbose" in printed


def test_the_summary_begins_with_what_is_wrong_with_the_seeds(
    align: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert align().code == 0
    run = load_run(tmp_path / "run")
    warning = "about 48% of the seeds look wrong (between 41% and 55%, judged by 180 of 200 seeds)"
    run.info["seed_check"] = {"warning": warning}
    print_summary(stdout(), run, Path("run"))
    assert capsys.readouterr().out.startswith(f"warning: {warning}\n")


@pytest.mark.parametrize(
    "tokens",
    [
        ("--alpha", "much"),
        ("--top-k", "ten"),
        ("--top-k", "10.7"),
        ("--rounds", "1.5"),
        ("--alhpa", "0.5"),
        ("--topk", "10"),
        ("--alpha",),
        ("extra",),
    ],
)
def test_options_that_are_no_numbers_or_do_not_exist_are_refused(
    align: Command, tmp_path: Path, tokens: tuple[str, ...]
) -> None:
    outcome = align(*tokens)
    assert outcome.code == 2
    assert tokens[0] in outcome.err
    assert outcome.out == ""
    assert names_in(tmp_path) == []


def test_a_missing_out_is_refused(command: Command, files: Files) -> None:
    outcome = command("align", files.left, files.right, "--seeds", files.seeds)
    assert outcome.code == 2
    assert "--out" in outcome.err
    assert "lighttea align --help" in outcome.err


def test_an_existing_run_is_untouched_without_overwrite(align: Command, tmp_path: Path) -> None:
    assert align().code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    outcome = align("--random-seed", "5")
    assert outcome.code == 2
    assert "--overwrite" in outcome.err
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
    assert align("--random-seed", "5", "--overwrite").code == 0
    assert info_of(tmp_path / "run")["random_seed"] == 5
    assert names_in(tmp_path) == ["run"]


def test_a_failed_overwrite_keeps_the_run(align: Command, files: Files, tmp_path: Path) -> None:
    assert align().code == 0
    before = (tmp_path / "run" / "run.json").read_bytes()
    files.seeds.write_text("nobody\txe1\n")
    assert align("--overwrite").code == 2
    assert (tmp_path / "run" / "run.json").read_bytes() == before
    assert names_in(tmp_path) == ["run"]


def test_outputs_that_cannot_be_written_are_refused_before_the_work(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("x")
    for out, said in (
        ("file", "a file of that name"),
        ("file/run", "cannot write there"),
        ("folder", "not a run"),
    ):
        outcome = command("align", "no.tsv", "no.tsv", "--out", out, "--overwrite")
        assert outcome.code == 2
        assert said in outcome.err
    assert names_in(tmp_path) == ["file", "folder"]


def test_a_missing_truth_is_refused_before_the_work(align: Command, tmp_path: Path) -> None:
    outcome = align("--truth", "no.tsv")
    assert outcome.code == 2
    assert "no.tsv: no such file" in outcome.err
    assert names_in(tmp_path) == []


def test_a_truth_of_other_graphs_is_refused_and_the_run_kept(
    align: Command, files: Files, tmp_path: Path
) -> None:
    outcome = align("--truth", files.write("t.tsv", "p\tq\n"))
    assert outcome.code == 2
    assert "does the truth belong to other graphs" in outcome.err
    assert (tmp_path / "run" / "links.tsv").exists()


def test_a_folder_name_with_brackets_is_shown_as_it_is(command: Command, files: Files) -> None:
    base = ("align", files.left, files.right, "--seeds", files.seeds, *LIGHT)
    outcome = command(*base, "--out", "run[old]")
    assert outcome.code == 0
    assert "run folder: run[old]\n" in outcome.out


def test_notes_of_the_reader_are_warnings(align: Command, files: Files) -> None:
    files.left.write_text(files.left.read_text() + "e1\tr1\te2\t1950\t1940\n")
    outcome = align()
    assert outcome.code == 0
    assert f"warning: {files.left}: 1 facts end before they begin" in outcome.err


def test_an_engine_that_is_not_there_is_refused(align: Command) -> None:
    assert align("--engine", "cpu").code == 0
    refused = align("--engine", "abacus", "--overwrite")
    assert refused.code == 2
    assert 'Choose from: "cpu", "gpu", "dask"' in refused.err


def test_rules_and_constraints_on_the_command_line(
    align: Command, files: Files, tmp_path: Path
) -> None:
    must = files.write("must.tsv", "left\tright\ne20\txe20\n")
    cannot = files.write("cannot.tsv", "e21\txe21\ne22\txe22\n")
    left_types = files.write("lt.tsv", "entity\ttype\ne23\tperson\n")
    right_types = files.write("rt.csv", "xe23,city\n")
    outcome = align(
        *("--must-link", must, "--cannot-link", cannot, "--min-confidence", "0.05"),
        *("--left-types", left_types, "--right-types", right_types, "--many-to-one"),
    )
    assert (outcome.code, outcome.err) == (0, "")
    links = pl.read_parquet(tmp_path / "run" / "links.parquet")
    found = set(links.select("left", "right").rows())
    assert not found & {("e21", "xe21"), ("e22", "xe22"), ("e23", "xe23"), ("e20", "xe20")}
    assert links["confidence"].min() >= 0.05  # type: ignore[operator]
    seeds = pl.read_parquet(tmp_path / "run" / "seeds.parquet")
    assert seeds.rows()[-1] == ("e20", "xe20")
    info = info_of(tmp_path / "run")
    assert info["rules"] == {"many_to_one": True, "top_n": 0, "no_alarmed": False}
    assert info["config"]["min_confidence"] == 0.05


def test_links_with_an_alarm_are_counted_or_left_out(command: Command, files: Files) -> None:
    left, right = knuth_and_floyd()
    sides = {"people.tsv": [*people(), *left], "others.tsv": right_names([*people(), *right])}
    graphs = [
        files.write(name, fact_frame(*facts).write_csv(separator="\t"))
        for name, facts in sides.items()
    ]
    names = sorted({end for fact in people()[120:] for end in (fact[0], fact[2])})
    seeds = files.write("known.tsv", "".join(f"{name}\tx {name}\n" for name in names))
    base = ("align", *graphs, "--seeds", seeds, "--dim", "64", "--rounds", "1", "--overwrite")
    base += ("--min-confidence", "0")
    kept, left_out = (
        command(*base, "--out", "run", *more) for more in (("-v",), ("-v", "--no-alarmed"))
    )
    assert (kept.code, left_out.code) == (0, 0)
    assert "links whose times raise an alarm (column alarms): 1;" in kept.out
    assert "links left out because their times raise an alarm: 1" in left_out.out
    assert info_of(Path("run"))["alarmed_links_left_out"] == 1
    assert set(pl.read_parquet("run/links.parquet")["alarms"]) == {""}


@pytest.mark.parametrize(
    ("must", "cannot", "types", "said"),
    [
        ("e1\txe1\n", "e9\txe9\ne1\txe1\n", "", "cannot.tsv:2 forbids what "),
        ("e1\txe1\ne1\txe2\n", "e9\txe9\n", "", "'xe2' ({folder}/must.tsv:2); keep one"),
        ("e1\tnobody\n", "e9\txe9\n", "", "must.tsv:1: 'nobody' is not an entity of the right"),
        ("e1\txe1\n", "e9\tnobody\n", "", "cannot.tsv:1: 'nobody' is not an entity of the right"),
        ("e1\txe1\n", "e9\t\n", "", "cannot.tsv:1: a link needs a left and a right entity"),
        ("e1\txe1\n", "e9\txe9\n", "e1\t\n", "types.tsv:1: a type needs an entity and a type"),
        ("e1\txe1\n", "e9\txe9\n", "e1\n", "types.tsv:1: no tab, comma or semicolon"),
        ("e1\txe1\n", "e9\txe9\n", "no\tx\n", "no entity of the types is in the left graph"),
    ],
)
def test_wrong_constraints_are_refused(
    align: Command, files: Files, tmp_path: Path, must: str, cannot: str, types: str, said: str
) -> None:
    files.seeds.write_text("e5\txe5\n")
    tokens: list[str | Path] = []
    for name, text in (("must", must), ("cannot", cannot), ("types", types)):
        if text:
            option = "--types" if name == "types" else f"--{name}-link"
            tokens += [option, files.write(f"{name}.tsv", text)]
    outcome = align(*tokens)
    assert outcome.code == 2
    assert said.format(folder=files.folder) in outcome.err
    assert names_in(tmp_path) == []


def test_align_reads_a_publishers_layout(command: Command, files: Files, tmp_path: Path) -> None:
    rows = [line.split("\t") for line in files.left.read_text().splitlines()]
    header = "Event Date\tSource Name\tCAMEO Code\tTarget Name\tuntil\n"
    events = "".join(f"{b}\t{h}\t{r}\t{t}\t{e}\n" for h, r, t, b, e in rows)
    left = files.write("events.tab", header + events + "2001\t\tx\te1\t\n")
    columns = "icews,begin=Event Date,end=until"
    tokens = ("align", left, files.right, "--seeds", files.seeds, "--left-columns", columns)
    outcome = command(*tokens, "--out", tmp_path / "one", *LIGHT)
    assert outcome.code == 0, outcome.err
    assert "1 of 251 events left out: 1 without Source Name, 0 without Target Name" in outcome.err
    plain = ("align", files.left, files.right, "--seeds", files.seeds, "--out", tmp_path / "two")
    assert command(*plain, *LIGHT).code == 0
    one, two = ((tmp_path / name / "links.tsv").read_text() for name in ("one", "two"))
    assert one == two
