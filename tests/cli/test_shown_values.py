"""The values that help pages and documents show are those that run, preset by preset."""

from __future__ import annotations

import re
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from lighttea.cli.config import example_text
from lighttea.config import (
    FIELD_TYPES,
    METHODS,
    PRESETS,
    Config,
    declared_settings,
    make_config,
)
from tests.cli.conftest import Command

DOCS = Path(__file__).parent.parent.parent / "docs"
NAME_FREE = {"literals": False}  # benchmarks are, unless asked
WORDS: dict[str, Any] = {"on": True, "off": False, "none": ""}


def value_of(name: str, text: str) -> Any:
    """The value that a page shows, read without the function that wrote it."""
    kind = FIELD_TYPES[name]
    if kind is bool or text == "none":
        return WORDS[text]
    return kind(text)


def shown_values(page: str) -> dict[str, dict[str, Any]]:
    """The values in brackets behind each option of a help page, by setting and preset."""
    flat = re.sub(r"[│╭╮╰╯─]|--no-[a-z-]+", " ", page)
    options = re.split(r"\s--(?=[a-z][a-z-]*\s)", flat)
    shown = {}
    for text in options:
        name = text.split()[0].replace("-", "_")
        brackets = re.findall(r"\[([^\]]*)\]", text)
        if name in FIELD_TYPES and brackets:
            first = " ".join(brackets[0].split())
            values = dict(part.split(": ", 1) for part in first.split("; "))
            shown[name] = {where: value_of(name, text) for where, text in values.items()}
    return shown


def check_against_what_runs(shown: dict[str, dict[str, Any]], **differing: Any) -> None:
    """`differing` are settings whose default is not the preset's."""
    assert set(shown) == set(FIELD_TYPES)
    for preset in ("best", "paper"):
        config = make_config(preset, **differing)
        for name, values in shown.items():
            assert values.get(preset, values.get("default")) == getattr(config, name), name
    for name, values in shown.items():
        if "default" in values:
            assert values["default"] == differing.get(name, getattr(Config(), name))


@pytest.mark.parametrize(("tokens", "differing"), [(("align",), {}), (("bench", "run"), NAME_FREE)])
def test_help_shows_what_runs(
    command: Command, tokens: tuple[str, ...], differing: dict[str, Any]
) -> None:
    page = command(*tokens, "--help").out
    shown = shown_values(page)
    check_against_what_runs(shown, **differing)
    words = " ".join(re.sub("[│╭╮╰╯─]|--no-[a-z-]+", " ", page).split())
    for setting in declared_settings(Config).values():
        assert setting.help in words


def test_the_help_of_bench_shows_the_settings_of_a_method(command: Command) -> None:
    shown = shown_values(command("bench", "run", "--help").out)
    config = make_config("paper", method="lightea")
    own = {name: values["lightea"] for name, values in shown.items() if "lightea" in values}
    assert own == METHODS["lightea"]
    assert own == {name: getattr(config, name) for name in own}


@pytest.mark.parametrize(
    ("title", "differing"), [("lighttea align", {}), ("lighttea bench run", NAME_FREE)]
)
def test_the_reference_shows_what_runs(title: str, differing: dict[str, Any]) -> None:
    reference = (DOCS / "reference.md").read_text(encoding="utf-8")
    page = reference.split(f"## {title}\n")[1].split("\n## ")[0]
    check_against_what_runs(shown_values(page), **differing)


def test_the_table_of_the_method_page_shows_what_runs() -> None:
    text = (DOCS / "method.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*) \|$", text, flags=re.M)
    table = {name: values for name, *values in rows if name in FIELD_TYPES}
    assert set(table) == set(FIELD_TYPES)
    for place, preset in enumerate(PRESETS):
        config = make_config(preset)  # type: ignore[arg-type]
        for name, values in table.items():
            assert value_of(name, values[place]) == getattr(config, name), (preset, name)
    for name, values in table.items():
        assert values[2] == declared_settings(Config)[name].help


def test_the_table_of_the_method_page_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    from make_reference import with_settings  # type: ignore[import-not-found]

    text = (DOCS / "method.md").read_text(encoding="utf-8")
    assert with_settings(text) == text, "run make reference"
    assert with_settings("no marks") == "no marks"


@pytest.mark.parametrize("preset", PRESETS)
def test_config_show_shows_what_runs(command: Command, preset: str) -> None:
    shown = command("config", "show", "--preset", preset, "--json", "-").json()
    config = asdict(make_config(preset))  # type: ignore[arg-type]
    assert {name: shown[name]["value"] for name in config} == config


def test_the_example_file_holds_what_runs_without_it() -> None:
    text = re.sub(r"^#(\w+ = )", r"\1", example_text(), flags=re.M)
    values = tomllib.loads(text)
    assert {name: values[name] for name in FIELD_TYPES} == asdict(Config())
    comments = " ".join(text.replace("#", " ").split())
    for setting in declared_settings(Config).values():
        shown = setting.described if setting.presets else setting.help
        assert f"{shown[:1].upper()}{shown[1:]}" in comments
    assert "[best: 4; paper: 3]" in comments
