"""--quiet, --verbose, --log and --json; the summary; progress on a terminal."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from lighttea.cli import _COMMANDS, _GROUPS
from lighttea.cli.output import Output, using
from lighttea.cli.progress import ConsoleProgress
from lighttea.cli.summary import print_summary
from lighttea.example import example_file
from lighttea.results.store import load_run
from tests.cli.conftest import LIGHT, Command, Files

EVERY = [
    *((name,) for name in _COMMANDS),
    *((group, name) for group, (_, commands) in _GROUPS.items() for name in commands),
]
WITHOUT_JSON = [("serve",), ("completion",), ("config", "example")]


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_command_has_the_same_output_options(
    command: Command, words: tuple[str, ...]
) -> None:
    page = command(*words, "--help").out
    for option in ("--quiet", "--verbose", "--log"):
        assert option in page
    assert ("--json" in page) == (words not in WITHOUT_JSON)


def align_words(files: Files, *more: str) -> list[str | Path]:
    return ["align", files.left, files.right, "--seeds", files.seeds, "--out", "run", *LIGHT, *more]


def test_quiet_says_nothing_but_errors(command: Command, files: Files) -> None:
    files.write("seeds.tsv", "e1\txe1\ne1\txe1\ne2\txe2\n")  # a warning otherwise
    assert "duplicate seeds" in command(*align_words(files)).err
    done = command(*align_words(files, "--quiet", "--overwrite"))
    assert (done.code, done.out, done.err) == (0, "", "")
    refused = command(*align_words(files, "-q"))
    assert refused.code == 2
    assert "use `--overwrite`" in refused.err


def test_quiet_keeps_results(command: Command, files: Files) -> None:
    assert "entities" in command("inspect", files.left, "--quiet").out


def test_quiet_and_verbose_exclude_each_other(command: Command, files: Files) -> None:
    done = command("inspect", files.left, "-q", "-v")
    assert done.code == 2
    assert "choose one of --quiet and --verbose" in done.err


def test_verbose_writes_stages_and_every_figure(command: Command, files: Files) -> None:
    done = command(*align_words(files, "--verbose"))
    assert re.search(r"^ +\d+\.\d\d s  round 1 of 1: searching candidates$", done.err, re.M)
    assert "Sinkhorn marginal gap" in done.out
    assert "note: " in done.out
    assert "Sinkhorn marginal gap" not in command(*align_words(files, "--overwrite")).out


def test_the_log_has_stages_warnings_and_errors(command: Command, files: Files) -> None:
    files.write("seeds.tsv", "e1\txe1\ne1\txe1\ne2\txe2\n")
    assert command(*align_words(files, "--log", "log.txt", "-q")).code == 0
    assert command(*align_words(files, "--log", "log.txt")).code == 2
    lines = Path("log.txt").read_text(encoding="utf-8").splitlines()
    dated = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (INFO|WARNING|ERROR) \S")
    assert all(dated.match(line) for line in lines)
    text = "\n".join(lines)
    assert re.search(r"INFO lighttea \S+: lighttea align ", text)
    assert re.search(r"INFO round 1 of 1: propagating labels: \d+\.\d\d s", text)
    assert "WARNING 1 duplicate seeds, counted once" in text
    assert "INFO done" in text
    assert re.search(r"ERROR run: a run exists there; use `--overwrite`", lines[-1])


def test_a_log_that_cannot_be_written_is_told_first(command: Command, files: Files) -> None:
    done = command(*align_words(files, "--log", "no/log.txt"))
    assert done.code == 2
    assert "no/log.txt: cannot write the log" in done.err
    assert not Path("run").exists()


def test_align_writes_its_figures_as_json(command: Command, files: Files) -> None:
    done = command(*align_words(files, "--truth", str(files.truth), "--json", "-"))
    figures = done.json()
    assert figures["links"] == len(load_run(Path("run")).links)
    assert figures["run"] == "run"
    assert 0 <= figures["evaluation"]["hits@1"] <= 1
    assert figures["input"]["left"]["entities"] == 40


def test_other_commands_write_json(command: Command, files: Files) -> None:
    assert command(*align_words(files)).code == 0
    exported = command("export", "run", "--format", "tsv", "--out", "l.tsv", "--json", "-").json()
    assert exported["out"] == "l.tsv"
    assert exported["links"] >= 10
    (files.folder / "p.csv").write_text("id,name\na,Ada\nb,Ben\n")
    described = command("describe", files.folder / "p.csv", "--json", "-").json()
    assert described["source"][0]["entity"] == "id"


@pytest.mark.parametrize("with_truth", [False, True])
def test_the_summary_fits_a_screen(command: Command, with_truth: bool) -> None:
    truth = ("--truth", example_file("truth.tsv")) if with_truth else ()
    names = ("left.tsv", "right.csv", "seeds.tsv")
    left, right, seeds = (example_file(name) for name in names)
    words = ("align", left, right, "--seeds", seeds, "--out", "run", *truth, *LIGHT)
    assert command(*words).code == 0
    run = load_run(Path("run"))
    evaluation = None
    if with_truth:
        from lighttea.io.tables import read_links

        evaluation = run.evaluate(read_links(example_file("truth.tsv")))
    console = Console(
        file=io.StringIO(), width=80, height=24, force_terminal=True, color_system=None
    )
    print_summary(console, run, Path("runs/first"), evaluation)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert len(lines) + 2 <= 24  # the report's line and the prompt
    assert max(map(len, lines)) <= 80
    assert re.match(r"\d+ links, (about \d+|less than one) of them wrong$", lines[0])
    assert any("lighttea explain runs/first" in line for line in lines)


def test_the_bar_shows_stage_share_and_time() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    progress = ConsoleProgress(console, is_live=True)
    progress.round_begins(2, 4)
    with progress.stage("search"):
        console.print(progress.bar())
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert "round 2 of 4: searching candidates" in printed
    assert re.search(r"\d+%,  ?\d\.\d s,  ?(about|a few)", printed)
    assert "left" in printed


def test_a_quiet_progress_keeps_warnings_for_the_record() -> None:
    console = Console(file=io.StringIO())
    with using(Output(quiet=True)):
        progress = ConsoleProgress(console)
        progress.warn("something")
    assert progress.warnings == ["something"]
    assert console.file.getvalue() == ""  # type: ignore[attr-defined]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_commands(command: Command, shell: str) -> None:
    script = command("completion", shell).out
    for word in ("inspect", "overwrite", "top-k"):
        assert word in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_and_values(command: Command, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(command("completion", "bash").out)
    check = """
source ./script
complete_last() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    _lighttea lighttea "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "${COMPREPLY[*]}"
}
complete_last lighttea al
complete_last lighttea align --see
complete_last lighttea align left.tsv --preset ""
"""
    done = subprocess.run(
        ["bash", "-c", check], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["align", "--seeds", "best paper"]
    assert done.stderr == ""


def test_zsh_is_told_what_its_startup_file_lacks(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "compinit" in command("completion", "zsh", "--install").out
    startup = tmp_path / ".zshrc"
    startup.write_text(startup.read_text() + "autoload -Uz compinit && compinit\n")
    assert "compinit" not in command("completion", "zsh", "--install").out
