"""demo, evaluate, inspect, bench run, help pages and exit codes."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

import lighttea
from lighttea.config import FIELD_TYPES
from tests.cli.conftest import LIGHT, Command, Files

CONTRACT = {
    *("dataset", "method", "preset", "seeds", "runs", "mean", "std", "per_run", "seconds"),
    *("peak_rss_mb", "cpu_seconds", "protocol", "literals", "names", "engine", "version"),
}
SECONDS = {
    *("load", "graph", "propagate", "search", "time_similarity", "sinkhorn", "iterate"),
    *("evaluate", "total"),
}


@pytest.fixture
def run(command: Command, files: Files, tmp_path: Path) -> Path:
    """A finished run."""
    base = ("align", files.left, files.right, "--seeds", files.seeds, "--out", tmp_path / "run")
    assert command(*base, *LIGHT).code == 0
    return tmp_path / "run"


# evaluate


def test_evaluate_prints_figures(command: Command, files: Files, run: Path) -> None:
    outcome = command("evaluate", run, "--truth", files.truth)
    assert outcome.code == 0
    assert outcome.err == ""
    for name in ("Hits@1", "MRR", "precision", "recall"):
        assert name in outcome.out


def test_evaluate_json_on_stdout_is_json_alone(command: Command, files: Files, run: Path) -> None:
    figures = command("evaluate", run, "--truth", files.truth, "--json", "-").json()
    expected = lighttea.load_run(run).evaluate(lighttea.read_links(files.truth)).to_dict()
    assert figures == pytest.approx(expected)
    assert {"hits@1", "mrr", "precision", "recall", "f1"} <= set(figures)


def test_evaluate_json_to_a_file(command: Command, files: Files, run: Path) -> None:
    outcome = command("evaluate", run, "--truth", files.truth, "--json", run.parent / "e.json")
    assert outcome.code == 0
    assert "Hits@1" in outcome.out
    assert json.loads((run.parent / "e.json").read_text())["n_truth"] == 30
    assert sorted(p.name for p in run.parent.iterdir()) == ["e.json", "run"]


@pytest.mark.parametrize("where", ["no/such/e.json", ".", "file/e.json", ""])
def test_json_to_an_impossible_path_fails_before_the_work(
    command: Command, tmp_path: Path, where: str
) -> None:
    (tmp_path / "file").write_text("x")
    for tokens in (
        ("evaluate", "missing", "--truth", "missing"),
        ("inspect", "missing"),
        ("bench", "run", "missing", "--seeds", "5"),
    ):
        outcome = command(*tokens, "--json", where)
        assert outcome.code == 2
        assert "cannot write there" in outcome.err
        assert "missing" not in outcome.err


def test_json_to_a_pipe_keeps_the_pipe(command: Command, files: Files, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        outcome = command("inspect", files.left, "--json", pipe)
        assert stat.S_ISFIFO(pipe.lstat().st_mode)
        content = b"" if outcome.code else os.read(reader, 65_536)
    finally:
        os.close(reader)
    assert outcome.code == 2 or json.loads(content)["facts"] == 250


def test_json_to_a_link_keeps_the_link(command: Command, files: Files, tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    assert command("inspect", files.left, "--json", tmp_path / "link.json").code == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["facts"] == 250


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p\tq\n", "does the truth belong to other graphs"),
        ("xe1\te1\n", "are the columns swapped"),
        ("e1\n", "no tab, comma or semicolon"),
        ("", "the file is empty"),
    ],
)
def test_a_wrong_truth_is_refused(
    command: Command, files: Files, run: Path, text: str, said: str
) -> None:
    outcome = command("evaluate", run, "--truth", files.write("t.tsv", text))
    assert outcome.code == 2
    assert said in outcome.err
    assert outcome.out == ""


def test_a_truth_of_seeds_alone_is_refused(command: Command, files: Files, run: Path) -> None:
    outcome = command("evaluate", run, "--truth", files.seeds)
    assert outcome.code == 2
    assert "nothing is left to evaluate" in outcome.err


def test_evaluate_refuses_what_is_not_there(command: Command, files: Files, run: Path) -> None:
    for tokens, said in (
        ((run, "--truth", "no.tsv"), "no.tsv: no such file"),
        ((run,), "--truth"),
        (("no", "--truth", files.truth), "not a run folder"),
        ((files.folder, "--truth", files.truth), "not a run folder"),
    ):
        outcome = command("evaluate", *tokens)
        assert outcome.code == 2
        assert said in outcome.err


def test_a_damaged_run_is_refused(command: Command, files: Files, run: Path) -> None:
    (run / "candidates.parquet").write_bytes(b"nonsense")
    outcome = command("evaluate", run, "--truth", files.truth)
    assert outcome.code == 2
    assert "candidates.parquet: damaged: expected" in outcome.err


# inspect


def test_inspect_shows_what_is_there(command: Command, files: Files) -> None:
    outcome = command("inspect", files.left)
    assert outcome.code == 0
    assert "entities" in outcome.out
    assert "250" in outcome.out
    assert "year" in outcome.out


def test_inspect_json_is_json_alone(command: Command, files: Files) -> None:
    text = "a\tr\tb\t2001\t2001\na\tr\tb\t2001\t2001\nb\ts\tb\t~\t2005-06-07\nc\tr\ta\t\t\n"
    found = command("inspect", files.write("g.tsv", text), "--json", "-").json()
    assert (found["entities"], found["relations"], found["facts"]) == (3, 2, 4)
    assert found["duplicate_facts"] == 1
    assert found["span"] == ["2001", "2005-06-07"]
    assert found["kinds"]["point"] == 2
    assert found["kinds"]["open_begin"] == 1
    assert found["kinds"]["unknown"] == 1
    assert found["top_relations"] == {"r": 3, "s": 1}
    assert len(found["warnings"]) == 3


def test_inspect_without_time(command: Command, files: Files) -> None:
    path = files.write("g.tsv", "a\tr\tb\n")
    assert command("inspect", path, "--json", "-").json()["span"] is None
    assert "no fact has a known time" in command("inspect", path).out


def test_inspect_takes_columns(command: Command, files: Files) -> None:
    path = files.write("g.tsv", "when\twhat\twho\thow\n2001\tb\ta\tr\n")
    columns = "head=who,relation=how,tail=what,time=when"
    found = command("inspect", path, "--columns", columns, "--json", "-").json()
    assert found["top_relations"] == {"r": 1}
    assert found["span"] == ["2001", "2001"]
    assert command("inspect", path, "--columns", "who").code == 2


def test_inspect_shows_names_of_a_dataset_side(command: Command, dataset: Path) -> None:
    (dataset / "rel_ids_1").write_text("".join(f"{n}\trel [b]{n}[/b]\n" for n in range(8)))
    outcome = command("inspect", dataset / "triples_1")
    assert outcome.code == 0
    assert "rel [b]3[/b]" in outcome.out


@pytest.mark.parametrize("name", ["missing.tsv", "."])
def test_inspect_refuses_missing_files_and_folders(command: Command, name: str) -> None:
    outcome = command("inspect", name)
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")


def shifted_pair(files: Files, years: int) -> tuple[Path, Path]:
    """The example's left graph, and itself under other names with another clock."""
    facts = [(f"e{n * 7 % 31}", f"e{n * 11 % 37}", 1900 + n * n % 97) for n in range(300)]
    texts = (
        "".join(f"{side}{h}\tr\t{side}{t}\t{year + shift}\n" for h, t, year in facts)
        for side, shift in (("", 0), ("x", years))
    )
    left, right = (files.write(f"{n}.tsv", text) for n, text in enumerate(texts))
    return left, right


@pytest.mark.parametrize(
    ("years", "said"),
    [
        (1, "the right graph seems 1 year ahead of the left one"),
        (-2, "the right graph seems 2 years behind the left one"),
        (0, "Clocks agree"),
    ],
)
def test_inspect_two_graphs_says_whether_clocks_are_shifted(
    command: Command, files: Files, years: int, said: str
) -> None:
    left, right = shifted_pair(files, years)
    outcome = command("inspect", left, right)
    assert outcome.code == 0
    assert said in outcome.out
    assert "Time is likely to help" in outcome.out
    assert ("Once they are corrected it is likely to help" in outcome.out) == bool(years)
    found = command("inspect", left, right, "--json", "-").json()
    assert (found["time_corrected"] is not None) == bool(years)
    assert found["clock_shift"]["amount"] == years
    assert found["clock_shift"]["verdict"] == ("shifted" if years else "agree")
    assert found["left"]["facts"] == found["right"]["facts"] == 300
    assert found["time"]["helps"] == "likely"
    assert said in found["summary"][0]


def test_inspect_two_graphs_with_columns_of_their_own(command: Command, files: Files) -> None:
    left = files.write(
        "l.tsv", "Source Name\tCAMEO Code\tTarget Name\tEvent Date\na\t1\tb\t2001-01-02\n"
    )
    right = files.write("r.csv", ":START_ID,:END_ID,:TYPE,since\n1,2,R,2001-01-02\n")
    tokens = ("--left-columns", "icews", "--right-columns", "neo4j", "--json", "-")
    found = command("inspect", left, right, *tokens).json()
    assert found["left"]["span"] == found["right"]["span"] == ["2001-01-02", "2001-01-02"]
    assert found["clock_shift"]["verdict"] == "unclear"
    assert "one is possible" in found["summary"][0]


def test_inspect_shows_odd_times(command: Command, files: Files) -> None:
    rows = [f"e{n}\tr\tb\t{1950 + n % 50}-02-{n % 27 + 1:02d}\n" for n in range(90)]
    path = files.write("g.tsv", "".join(rows) + "x\tr\tb\t9999-12-31\n" * 30)
    outcome = command("inspect", path)
    assert "Odd times" in outcome.out
    assert "9999-12-31" in outcome.out
    odd = command("inspect", path, "--json", "-").json()["odd"]
    assert odd[0] == {
        "what": "dates that often mean unknown",
        "count": 30,
        "examples": ["9999-12-31"],
    }


# demo


def test_demo_runs_from_start_to_end_and_replaces_an_earlier_one(
    command: Command, tmp_path: Path
) -> None:
    earlier = tmp_path / "runs" / "demo"
    earlier.mkdir(parents=True)
    (earlier / "run.json").write_text('{"demo": true}')
    outcome = command("demo")
    assert outcome.code == 0
    assert str(Path("runs/demo")) in outcome.out
    assert "Does time help?" in outcome.out
    assert "without time it is mistaken for" in outcome.out
    figures = re.findall(r"(?:without time|with time|with time and names) +(0\.\d+)", outcome.out)
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    told = re.search(r"Hits@1 (\.\d+) without time, (\.\d+) with time, and (\.\d+)", readme)
    assert told is not None
    # the last digit may differ on other processors
    assert [float(f) for f in figures] == pytest.approx([float(f) for f in told.groups()], abs=0.01)
    mistaken = re.search(r"For example, (\w+) is .* it is mistaken for ([\w-]+)", outcome.out)
    assert mistaken is not None
    assert mistaken[1].replace("_", " ") in readme
    assert json.loads((earlier / "run.json").read_text())["format"] == 1
    assert (earlier / "links.tsv").exists()
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["demo"]


def test_demo_does_not_replace_a_run_of_ones_own(command: Command, tmp_path: Path) -> None:
    own = tmp_path / "mine"
    own.mkdir()
    (own / "run.json").write_text('{"format": 1}')
    assert command("demo", "--out", "mine").code == 2
    assert (own / "run.json").read_text() == '{"format": 1}'


def test_demo_refuses_a_folder_that_is_no_run(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    assert command("demo", "--out", "mine").code == 2
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "x"


# bench run


def bench(command: Command, dataset: Path, *more: str) -> dict[str, Any]:
    outcome = command(
        "bench", "run", dataset, "--seeds", "8", "--runs", "2", "--json", "-", *LIGHT, *more
    )
    assert outcome.code == 0, outcome.err
    result: dict[str, Any] = outcome.json()
    return result


def test_bench_run_json_has_the_keys_of_the_contract(command: Command, dataset: Path) -> None:
    result = bench(command, dataset)
    assert set(result) >= CONTRACT
    assert set(result["seconds"]) >= SECONDS
    assert set(result["mean"]) >= {"hits@1", "hits@5", "hits@10", "mrr"}
    assert set(result["std"]) >= {"hits@1"}
    assert len(result["per_run"]) == result["runs"] == 2
    for number, one in enumerate(result["per_run"]):
        assert one["random_seed"] == number
        assert set(one) >= {"hits@1", "hits@10", "mrr", "rounds"}
        assert len(one["rounds"]) == 1
        assert set(one["rounds"][0]) >= {"hits@1", "promoted", "promoted_precision"}
    assert result["dataset"] == "TINY"
    assert result["seeds"] == 8
    assert result["protocol"] == "closed"
    assert result["literals"] is result["names"] is False
    assert result["engine"] == "cpu"
    assert result["version"] == lighttea.__version__
    assert result["preset"] == "best"
    assert result["method"] == "lighttea"


def test_bench_run_on_scrambled_data_abstains_with_exit_0(command: Command, dataset: Path) -> None:
    words = ("bench", "run", dataset, "--seeds", "0", "--runs", "1", "--protocol", "open", *LIGHT)
    outcome = command(*words, "--scrambled", "--json", "figures.json")
    assert outcome.code == 0, outcome.err
    assert "0 links in the first run: no pair was sure enough to start from" in outcome.out
    assert "no links: no seeds, and only" in outcome.err
    result = json.loads(Path("figures.json").read_text())
    assert result["per_run"][0]["abstained"] is True


def test_bench_run_prints_reliability_in_the_open_protocol(command: Command, dataset: Path) -> None:
    words = ("bench", "run", dataset, "--seeds", "8", "--runs", "1", "--protocol", "open", *LIGHT)
    outcome = command(*words, "--kept-facts", "0.9", "--wrong-seeds", "0.5")
    assert outcome.code == 0, outcome.err
    assert "Reliability of the first run" in outcome.out
    assert " at .9 or more" in outcome.out
    refused = command("bench", "run", dataset, "--seeds", "8", "--scrambled")
    assert refused.code == 2
    assert "use `--protocol open`" in refused.err


def test_bench_run_means_are_means_of_the_runs(command: Command, dataset: Path) -> None:
    result = bench(command, dataset)
    for name, mean in result["mean"].items():
        values = [one[name] for one in result["per_run"]]
        assert mean == pytest.approx(sum(values) / 2, abs=1e-4)
    assert result["mean"]["hits@1"] > 0.3
    assert result["mean"]["hits@1"] <= result["mean"]["hits@5"] <= result["mean"]["hits@10"] <= 1


def test_bench_run_open_has_precision_recall_and_f1(command: Command, dataset: Path) -> None:
    result = bench(command, dataset, "--protocol", "open")
    assert result["protocol"] == "open"
    assert set(result["mean"]) >= {"hits@1", "precision", "recall", "f1", "named_f1"}


def test_bench_run_says_whether_it_sees_literals(
    command: Command, dataset: Path, tmp_path: Path
) -> None:
    words = ("bench", "run", dataset, "--runs", "1", "--json", "b.json", *LIGHT)
    for option, printed in (((), "name-free"), (("--literals",), "with literals")):
        outcome = command(*words, *option)
        assert outcome.code == 0, outcome.err
        assert f"TINY, 0 seeds, lighttea, {printed}, closed protocol" in outcome.out
        assert "s of processor time" in outcome.out
        result = json.loads((tmp_path / "b.json").read_text())
        assert result["literals"] is result["config"]["literals"] is bool(option)
        assert (result["preset"], result["seeds"]) == ("best", 0)
    refused = command(*words, "--literals", "--preset", "paper")
    assert refused.code == 2
    assert "literals are part of consensus" in refused.err


def test_bench_run_reads_two_graphs_and_their_truth(command: Command, files: Files) -> None:
    outcome = command(
        *("bench", "run", files.folder, "--runs", "1", "--seeds", "5", "--json", "-", *LIGHT)
    )
    assert outcome.code == 0, outcome.err
    result = outcome.json()
    assert (result["protocol"], result["literals"]) == ("open", False)
    assert set(result["mean"]) >= {"hits@1", "named_precision", "named_recall", "named_f1"}
    assert result["per_run"][0]["n"] == 25


def test_bench_run_lightea_uses_no_time(command: Command, dataset: Path) -> None:
    result = bench(command, dataset, "--method", "lightea")
    assert result["method"] == "lightea"
    assert result["config"]["alpha"] == result["config"]["beta"] == 0


def test_bench_run_prints_a_table_and_writes_a_file(
    command: Command, dataset: Path, tmp_path: Path
) -> None:
    tokens = ("bench", "run", dataset, "--seeds", "8", "--runs", "1", "--json", "b.json", *LIGHT)
    outcome = command(*tokens)
    assert outcome.code == 0
    assert "hits@1" in outcome.out
    assert set(json.loads((tmp_path / "b.json").read_text())) >= CONTRACT
    assert [path.name for path in tmp_path.iterdir()] == ["b.json"]


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (("--seeds", "30"), "seeds must be between 0 and 29"),
        (("--seeds", "1000"), "seeds must be between 0 and 29"),
        (("--seeds", "8", "--removed", "1"), "removed must be a share from 0 to below 1"),
        (("--seeds", "some"), "--seeds"),
        (("--seeds", "8", "--runs", "0"), "runs must be >= 1; got 0"),
        (("--seeds", "8", "--protocol", "half"), 'Choose from: "closed", "open"'),
        (("--seeds", "8", "--method", "lighttee"), 'Did you mean "lighttea"'),
        (("--seeds", "8", "--alpha", "2"), "alpha must be <= 1"),
    ],
)
def test_bench_run_refuses_wrong_options(
    command: Command, dataset: Path, tokens: tuple[str, ...], said: str
) -> None:
    outcome = command("bench", "run", dataset, *tokens)
    assert outcome.code == 2
    assert said in outcome.err
    assert outcome.out == ""


def test_bench_run_refuses_wrong_datasets(command: Command, dataset: Path) -> None:
    assert "no such folder" in command("bench", "run", "no", "--seeds", "5").err
    with (dataset / "ref_pairs").open("a") as pairs:
        pairs.write("5\tx\n")
    outcome = command("bench", "run", dataset, "--seeds", "8")
    assert outcome.code == 2
    assert "ref_pairs:23: right must be a whole number; found 'x'" in outcome.err


# help and the command line as such


@pytest.mark.parametrize("tokens", [("align",), ("bench", "run")])
def test_every_switch_of_the_method_has_an_opposite(
    command: Command, monkeypatch: pytest.MonkeyPatch, tokens: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "240")
    words = command(*tokens, "--help").out.split()
    switches = [name for name, kind in FIELD_TYPES.items() if kind is bool]
    assert len(switches) > 10
    for name in switches:
        assert f"--no-{name.replace('_', '-')}" in words


@pytest.mark.parametrize(
    ("tokens", "options"),
    [
        (("demo",), ["--out"]),
        (("align",), ["--out", "--seeds", "--truth", "--preset", "--columns", "--overwrite"]),
        (("align",), ["--left-columns", "--right-columns"]),
        (("evaluate",), ["--truth", "--json"]),
        (("inspect",), ["--columns", "--json"]),
        (("bench", "run"), ["--seeds", "--method", "--runs", "--protocol", "--json"]),
    ],
)
def test_help_of_each_command(
    command: Command, tokens: tuple[str, ...], options: list[str]
) -> None:
    outcome = command(*tokens, "--help")
    assert outcome.code == 0
    for option in options:
        assert option in outcome.out


def test_help_lists_every_command(command: Command) -> None:
    outcome = command("--help")
    assert outcome.code == 0
    for name in ("demo", "align", "evaluate", "inspect", "bench"):
        assert name in outcome.out


def test_version(command: Command) -> None:
    outcome = command("--version")
    assert outcome.code == 0
    assert outcome.out.strip() == lighttea.__version__


@pytest.mark.parametrize("tokens", [("algin",), ("bench", "walk"), ("--nope",)])
def test_what_is_no_command_is_refused(command: Command, tokens: tuple[str, ...]) -> None:
    outcome = command(*tokens)
    assert outcome.code == 2
    assert tokens[-1] in outcome.err
    assert outcome.out == ""
