"""The library speaks of arguments, the command line of options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lighttea
from lighttea.cli import build_app
from lighttea.cli.wording import as_options, option_names

SOURCES = Path(lighttea.__file__).parent
# rooms that speak to users of the command line or the browser
OTHERS = ("cli", "review", "report", "serve", "web")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
ARGUMENT = re.compile(r"`([a-z_]+)(?:=[^`]*)?`")
OF_OTHER_PROGRAMS = ("--memory-limit",)


def texts() -> Iterator[tuple[str, str]]:
    """Yield every string of the library that is no docstring, with its place."""
    for path in sorted(SOURCES.rglob("*.py")):
        if path.relative_to(SOURCES).parts[0] in OTHERS:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if node in docstrings or not isinstance(node, ast.Constant):
                continue
            if isinstance(node.value, str):
                yield f"{path.relative_to(SOURCES)}:{node.lineno}", node.value


def test_the_library_speaks_of_no_option() -> None:
    spoken = [
        f"{place}: {option}"
        for place, text in texts()
        for option in OPTION.findall(text)
        if option not in OF_OTHER_PROGRAMS
    ]
    assert spoken == []


def test_every_argument_in_backticks_is_an_option() -> None:
    """Arguments of `checkpoint` apart, which the command line calls --resume."""
    named = {
        (place, name)
        for place, text in texts()
        for name in ARGUMENT.findall(text)
        if name not in ("checkpoint",)
    }
    assert len(named) > 20
    unknown = sorted(f"{place}: {name}" for place, name in named if name not in option_names())
    assert unknown == []


def test_every_name_is_an_option_of_some_command(capsys: pytest.CaptureFixture[str]) -> None:
    from lighttea.cli import run_command

    pages = [("align",), ("update",), ("export",), ("synth",), ("bench", "run"), ("bench", "paper")]
    pages += [("datasets", "fetch"), ("inspect",)]
    for words in pages:
        assert run_command([*words, "--help"]) == 0
    said = set(re.findall(r"--(?:no-)?([a-z0-9-]+)", capsys.readouterr().out))
    assert {name.replace("_", "-") for name in option_names()} <= said | {
        name.removeprefix("no-") for name in said
    } | {name.replace("_", "-") for name in option_names() if name.startswith("no_")}
    assert build_app() is not None


@pytest.mark.parametrize(
    ("spoken", "shown"),
    [
        ("use `overwrite=True`", "use `--overwrite`"),
        ("`nary=False` keeps them", "`--no-nary` keeps them"),
        ("lower `top_k` (100)", "lower `--top-k` (100)"),
        ("`columns='head=1,tail=2'`", "`--columns head=1,tail=2`"),
        ('use `engine="cpu"`', "use `--engine cpu`"),
        ("with `checkpoint`, it", "with `--resume`, it"),
        ("the extra `zstd`", "the extra `zstd`"),
        ("`if x == 1:`", "`if x == 1:`"),
        ("nothing to do", "nothing to do"),
    ],
)
def test_arguments_become_options(spoken: str, shown: str) -> None:
    assert as_options(spoken) == shown


def test_the_same_error_in_python_and_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from lighttea.cli import run_command
    from lighttea.results.place import refuse_existing

    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(lighttea.InputError, match=r"use `overwrite=True` to replace it"):
        refuse_existing(tmp_path, overwrite=False)
    assert run_command(["align", "a.tsv", "b.tsv", "--out", str(tmp_path)]) == 2
    assert "use `--overwrite` to replace it" in capsys.readouterr().err
