"""`align --config`, `config show`, `config example`."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from lighttea.cli.inputs import AlignInputs, EngineInputs
from lighttea.cli.settings_file import all_settings
from lighttea.config import PRESETS, RENAMED, Config, LinkRules, declared_settings
from tests.cli.conftest import Command, Files

LIGHT = "dim = 16\ntop_k = 10\nrounds = 1\nthreads = 1\n"


def info_of(folder: Path) -> dict[str, Any]:
    info: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return info


@pytest.fixture
def settings(files: Files) -> Path:
    """A file with all that a run needs, beside its inputs."""
    text = 'left = "left.tsv"\nright = "right.csv"\nseeds = "seeds.tsv"\nout = "run"\n'
    return files.write("lighttea.toml", text + LIGHT)


def test_a_file_alone_is_enough_and_its_paths_are_its_own(
    command: Command, files: Files, settings: Path, tmp_path: Path
) -> None:
    outcome = command("align", "--config", settings)
    assert (outcome.code, outcome.err) == (0, "")
    assert info_of(files.folder / "run")["config"]["dim"] == 16
    assert list(tmp_path.iterdir()) == []  # nothing where the command was given


def test_the_command_line_wins(
    command: Command, files: Files, settings: Path, tmp_path: Path
) -> None:
    with settings.open("a") as file:
        file.write('alpha = 0.25\nrandom-seed = 3\npreset = "best"\nmin_confidence = 0.9\n')
    out = ("--out", "other", "--alpha", "0.75", "--min-confidence", "0.1", "--preset", "paper")
    assert command("align", "--config", settings, *out).code == 0
    info = info_of(tmp_path / "other")
    assert (info["config"]["alpha"], info["random_seed"]) == (0.75, 3)
    assert (info["preset"], info["config"]["min_confidence"]) == ("paper", 0.1)
    assert command("align", files.left, files.right, "--config", settings).code == 0
    info = info_of(files.folder / "run")
    assert (info["config"]["alpha"], info["preset"]) == (0.25, "best")
    assert info["config"]["consensus"] == PRESETS["best"]["consensus"]
    refused = command("align", "--config", settings)
    assert (refused.code, "--overwrite" in refused.err) == (2, True)
    with settings.open("a") as file:
        file.write("overwrite = true\n")
    assert command("align", "--config", settings).code == 0


@pytest.mark.parametrize(
    "columns",
    [
        'left_columns = "head=subj,relation=pred,tail=obj,begin=4,end=y"\n',
        "[left_columns]\nhead = 'subj'\nrelation = 'pred'\ntail = 'obj'\nbegin = 4\nend = 'y'\n",
    ],
)
def test_columns_are_a_text_or_a_table(
    command: Command, files: Files, settings: Path, columns: str
) -> None:
    files.left.write_text("subj\tpred\tobj\tx\ty\n" + files.left.read_text())
    settings.write_text(settings.read_text() + columns)
    outcome = command("align", "--config", settings)
    assert (outcome.code, outcome.err) == (0, "")
    assert info_of(files.folder / "run")["input"]["left"]["facts"] == 250


def test_constraints_in_a_file(command: Command, files: Files, settings: Path) -> None:
    files.write("must.tsv", "e20\txe20\n")
    files.write("cannot.tsv", "e21\txe21\n")
    entities = "".join(f"{prefix}e{n}\tthing\n" for n in range(40) for prefix in ("", "x"))
    files.write("types.tsv", entities)
    more = 'must_link = "must.tsv"\ncannot_link = "cannot.tsv"\ntypes = "types.tsv"\ntop_n = 2\n'
    settings.write_text(settings.read_text() + more)
    assert command("align", "--config", settings).code == 0
    info = info_of(files.folder / "run")
    assert (info["seeds"], info["cannot_links"], info["types"]) == (11, 1, True)
    assert info["rules"]["top_n"] == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("alhpa = 0.5\n", "x.toml:1: there is no setting 'alhpa'; did you mean 'alpha'?"),
        (
            "\n\nmust-lnk = 'x'\n",
            "x.toml:3: there is no setting 'must-lnk'; did you mean 'must_link'",
        ),
        ("[method]\nalpha = 1\n", "x.toml:1: there is no setting 'method'"),
        ("alpha = 'half'\n", "x.toml:1: alpha must be a number; found 'half'"),
        ("dim = 2.5\n", "x.toml:1: dim must be a whole number; found 2.5"),
        ("dim = true\n", "x.toml:1: dim must be a whole number; found True"),
        ("sinkhorn = 1\n", "x.toml:1: sinkhorn must be true or false; found 1"),
        ("left = 3\n", "x.toml:1: left must be the path of a file, in quotes; found 3"),
        ("preset = 1\n", "x.toml:1: preset must be a text in quotes; found 1"),
        ("columns = 3\n", "x.toml:1: columns must be a text such as"),
        ("columns = {head = 1.5}\n", "x.toml:1: columns must be a text such as"),
        ("beta = 0.1\nalpha = 1.5\n", "x.toml:2: alpha must be <= 1; got 1.5"),
        ("top_n = -1\n", "x.toml:1: top_n must be >= 0; got -1"),
        ("top-k = 3\ntop_k = 4\n", "top_k appears twice"),
        ("preset = 'papr'\n", "x.toml:1: preset must be best or paper; got 'papr'; did you mean"),
        ("engine = 'tpu'\n", "x.toml:1: engine must be cpu, gpu or dask; got 'tpu'"),
        ("search = 'fast'\n", "x.toml:1: search must be auto, exact or approximate; got 'fast'"),
        ("alpha = \n", "x.toml:1: not TOML: Invalid value"),
        ("alpha 0.5\n", "x.toml:1: not TOML"),
    ],
)
def test_a_wrong_file_is_refused(command: Command, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    for words in (("align", "a", "b", "--out", "c"), ("config", "show")):
        outcome = command(*words, "--config", "x.toml")
        assert outcome.code == 2
        assert said in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["x.toml"]


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_name_is_refused_with_the_new_one(
    command: Command, tmp_path: Path, old: str, new: str
) -> None:
    (tmp_path / "x.toml").write_text(f"dim = 16\n{old} = true\n")
    for words in (("align", "a", "b", "--out", "c"), ("config", "show")):
        outcome = command(*words, "--config", "x.toml")
        assert outcome.code == 2
        told = f"x.toml:2: there is no setting '{old}'; it has been called '{new}' since 0.2"
        assert told in outcome.err
    option = f"--{new.replace('_', '-')}"
    for tokens in (["align", "a", "b"], ["bench", "run", "x", "--seeds", "1"]):
        outcome = command(*tokens, f"--{old}", "2")
        assert outcome.code == 2
        assert f"there is no option --{old}; it has been called {option} since 0.2" in outcome.err
    outcome = command("align", "a", "b", f"--no-{old}")
    assert f"--no-{old}; it has been called --no-{option[2:]} since" in outcome.err


def test_all_problems_of_a_file_come_at_once(command: Command, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("alhpa = 1\nbeta = 'x'\ndim = 0\n")
    assert len(command("config", "show", "--config", "x.toml").err.splitlines()) == 3
    assert "no such file" in command("align", "--config", "none.toml").err
    (tmp_path / "y.toml").write_bytes(b"left = '\xff'\n")
    assert "not UTF-8" in command("align", "--config", "y.toml").err


@pytest.mark.parametrize("missing", ["left", "right", "out"])
def test_what_is_missing_is_said(command: Command, settings: Path, missing: str) -> None:
    lines = settings.read_text().splitlines(keepends=True)
    settings.write_text("".join(line for line in lines if not line.startswith(missing)))
    outcome = command("align", "--config", settings)
    assert outcome.code == 2
    assert f"{'--out' if missing == 'out' else missing.upper()} is needed" in outcome.err


def uncommented(text: str) -> dict[str, Any]:
    return tomllib.loads(re.sub(r"^#(\w+ = )", r"\1", text, flags=re.M))


def test_the_example_is_complete_and_holds_the_defaults(command: Command) -> None:
    outcome = command("config", "example")
    assert outcome.code == 0
    assert set(tomllib.loads(outcome.out)) == {"left", "right", "out", "seeds"}
    whole = uncommented(outcome.out)
    declared = [declared_settings(d) for d in (AlignInputs, EngineInputs, Config, LinkRules)]
    assert list(whole) == list(all_settings()) == [name for d in declared for name in d]
    for one in all_settings().values():
        words = " ".join(outcome.out.replace("#", " ").split()).lower()
        assert " ".join(one.help.split()).lower() in words


def test_the_example_with_every_option_is_accepted(
    command: Command, tmp_path: Path, files: Files
) -> None:
    text = re.sub(r"^#(\w+ = )", r"\1", command("config", "example").out, flags=re.M)
    (tmp_path / "lighttea.toml").write_text(text)
    assert command("config", "show", "--config", "lighttea.toml").code == 0
    files.write("lighttea.toml", command("config", "example").out)
    outcome = command("align", "--config", files.folder / "lighttea.toml", "--rounds", "1")
    assert outcome.code == 0
    assert (files.folder / "runs" / "first" / "run.json").exists()


def test_show_says_where_each_setting_comes_from(command: Command, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('preset = "best"\nalpha = 0.3\nleft = "l.tsv"\ntop_n = 2\n')
    shown = command("config", "show", "--config", "x.toml", "--json", "-").json()
    assert shown["alpha"] == {"value": 0.3, "from": "file x.toml"}
    assert shown["beta"] == {"value": PRESETS["best"]["beta"], "from": "preset best"}
    assert shown["depth"] == {"value": 2, "from": "default"}
    assert shown["preset"] == {"value": "best", "from": "file x.toml"}
    assert shown["left"] == {"value": "l.tsv", "from": "file x.toml"}
    assert shown["top_n"] == {"value": 2, "from": "file x.toml"}
    assert shown["min_confidence"] == {"value": 0.0, "from": "other settings"}  # with top_n
    assert "alpha" not in shown["adapt"]["value"]
    assert shown["adapt"]["from"] == "other settings"
    assert shown["engine"] == {"value": "cpu", "from": "default"}
    assert "right" not in shown
    other = command(
        "config", "show", "--config", "x.toml", "--preset", "paper", "--json", "-"
    ).json()
    assert other["preset"] == {"value": "paper", "from": "command line"}
    assert other["beta"] == {"value": PRESETS["paper"]["beta"], "from": "preset paper"}
    assert other["alpha"] == {"value": 0.3, "from": "file x.toml"}
    table = command("config", "show", "--preset", "best").out
    assert re.search(r"consensus +0\.6 +preset best", table)
    assert re.search(r"alpha +0\.5 +default", table)
