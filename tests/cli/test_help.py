"""Help pages and usage errors: what a person reads before anything runs."""

from __future__ import annotations

import re

import pytest

from lighttea.cli import _COMMANDS, _EXAMPLES, _GROUPS, build_app
from lighttea.cli.align import _with_file
from tests.cli.conftest import Command

ALL = (*_COMMANDS, *(f"{group} {name}" for group in _GROUPS for name in _GROUPS[group][1]))


def test_an_asterisk_in_a_text_is_an_asterisk(command: Command) -> None:
    page = " ".join(command("bench", "run", "--help").out.replace("│", " ").split())
    for words in ("ent_ids_*,", "with left.* and right.* in any", "the folder has left.*, right.*"):
        assert words in page


@pytest.mark.parametrize("words", ALL)
def test_switches_are_on_or_off(command: Command, words: str) -> None:
    page = command(*words.split(), "--help").out
    for word in ("True", "False", "None"):
        assert f"default: {word}" not in page


@pytest.mark.parametrize("words", _EXAMPLES)
def test_examples_are_commands_with_options_that_exist(command: Command, words: str) -> None:
    page = command(*words.split(), "--help").out
    assert page.rstrip().endswith(f"Example: lighttea {words} {_EXAMPLES[words]}")
    arguments, _, _ = _EXAMPLES[words].partition(">")
    _, bound, _ = build_app().parse_args(
        [*words.split(), *arguments.split()], exit_on_error=False, print_error=False
    )
    assert bool(bound.arguments) == bool(arguments)


def test_groups_have_no_example(command: Command) -> None:
    assert "Start with: lighttea demo" in command("--help").out
    assert "Start with" not in command("bench", "--help").out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("inspect",), "GRAPH is missing"),
        (("evaluate", "run"), "--truth is missing"),
        (("evaluate", "run", "--truth"), "--truth needs a value"),
        (("bench", "run"), "DATASET is missing"),
    ],
)
def test_a_missing_argument_is_named_as_in_the_help(
    command: Command, words: tuple[str, ...], problem: str
) -> None:
    outcome = command(*words)
    assert outcome.code == 2
    first, second = outcome.err.splitlines()
    assert first == f"error: {problem}"
    assert re.fullmatch(r" {7}See: lighttea [a-z ]+ --help", second)


def test_a_file_is_named_once() -> None:
    problems = "s.tsv:2: no such entity\nthe seeds are empty\n... and 3 more"
    assert _with_file(problems, "s.tsv").splitlines() == [
        "s.tsv:2: no such entity",
        "s.tsv: the seeds are empty",
        "... and 3 more",
    ]
