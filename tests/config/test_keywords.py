"""The typed dictionaries behind `**settings` are those that the declarations give."""

from __future__ import annotations

import inspect
import re
import typing
from dataclasses import fields
from pathlib import Path

import pytest

import lighttea
from lighttea.config import Config, LinkRules, Settings
from lighttea.export.keywords import ExportSettings
from lighttea.export.options import ExportOptions
from lighttea.results.run import Run

ROOT = Path(__file__).parent.parent.parent


def test_the_generated_modules_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from make_keywords import SOURCES, all_keywords, text_of

    for keywords in all_keywords():
        found = (SOURCES / keywords.module).read_text(encoding="utf-8")
        assert found == text_of(keywords), f"{keywords.module}: run make keywords"


@pytest.mark.parametrize(
    ("typed", "declared"), [(Settings, Config), (ExportSettings, ExportOptions)]
)
def test_keywords_have_the_names_and_types_of_the_fields(typed: type, declared: type) -> None:
    keywords, hints = typing.get_type_hints(typed), typing.get_type_hints(declared)
    assert list(keywords) == [field.name for field in fields(declared)]
    assert keywords == {name: hint | None for name, hint in hints.items()}


def test_align_and_export_take_them() -> None:
    names = set(inspect.signature(lighttea.align).parameters)
    assert names == {
        *("left", "right", "seeds", "config", "preset", "must_link", "cannot_link", "settings"),
        *("types", "left_types", "right_types", "engine", "scheduler", "progress", "checkpoint"),
        *(field.name for field in fields(LinkRules)),
    }
    assert set(inspect.signature(Run.export).parameters) == {
        *("self", "out", "format", "overwrite", "options"),
    }


def test_wrong_calls_are_refused_and_a_type_checker_sees_them() -> None:
    """`make lint` fails where one of these is no error for mypy."""
    for call, message in (
        (lambda: lighttea.align([], [], alhpa=0.5), "did you mean 'alpha'"),  # type: ignore[call-arg]
        (lambda: lighttea.align([], [], rounds="two"), "rounds must be"),  # type: ignore[arg-type]
        (lambda: lighttea.align([], [], search="fast"), "search must be"),  # type: ignore[arg-type]
        (lambda: lighttea.align([], [], engine="tpu"), "engine must be"),  # type: ignore[arg-type]
        (lambda: lighttea.align([], [], preset="papr"), "preset must be"),  # type: ignore[arg-type]
        (lambda: lighttea.Config(rounds="two"), "rounds must be"),  # type: ignore[arg-type]
    ):
        with pytest.raises(lighttea.ConfigError, match=message):
            call()


def test_settings_need_nothing_but_errors_and_their_display() -> None:
    for path in (ROOT / "src" / "lighttea" / "config").glob("*.py"):
        rooms = re.findall(r"^\s*(?:from|import) lighttea\.(\w+)", path.read_text(), flags=re.M)
        assert set(rooms) <= {"config", "display", "errors"}, path.name
