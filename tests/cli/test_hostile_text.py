"""What files say never controls a terminal: no escape sequence, no emoji, no markup, no flood."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.cli.console import PlainConsole, stderr, stdout
from lighttea.display import escape_message, escape_value, visible
from lighttea.errors import InputError, LightteaError, LightteaWarning
from lighttea.progress import Progress
from tests.cli.conftest import LIGHT, Command
from tests.fuzzing import examples

HARM = "a\x1b[2J\x1b]0;x\x07\x08\u202e\u2066b[bold]:key:\x9b31m\x7f"
KEPT = "\n\xad\u200c\u200d\u200e\u200f\u2068\u2069"  # line breaks, and what some scripts need


def harmless(text: str) -> bool:
    """Whether no sign of a text is invisible or controls anything."""
    return all(
        sign.isprintable() or sign in KEPT or unicodedata.category(sign) == "Zs" for sign in text
    )


@examples(200)
@given(st.text() | st.text(alphabet=HARM))
def test_everything_shown_is_harmless(text: str) -> None:
    assert harmless(visible(text))
    assert "\n" not in visible(text)
    assert harmless(escape_message(text))
    assert harmless(str(InputError(text)))
    assert len(escape_value(text * 10, 50)) <= 50 * 10


@examples(50)
@given(st.text(alphabet=[*HARM, "\u2068", "\u2069", " "]))
def test_isolates_are_closed_again(text: str) -> None:
    shown = escape_message(text)
    assert shown.count("\u2068") == shown.count("\u2069")
    depth = 0
    for sign in shown:
        depth += (sign == "\u2068") - (sign == "\u2069")
        assert 0 <= depth <= 1


def test_messages_are_shorter_than_a_screen() -> None:
    for text in ("x" * 1_000_000, "word " * 100_000, "\x1b" * 100_000):
        assert len(str(LightteaError(text))) < 80 * 100
    assert str(InputError("a: 'b'; do c")) == "a: 'b'; do c"


@pytest.mark.parametrize("make", [stdout, stderr])
def test_strings_are_plain_text(
    make: Callable[[], PlainConsole], capsys: pytest.CaptureFixture[str]
) -> None:
    make().print(f"{HARM} [link=http://x]y[/link] 12", soft_wrap=True)
    written = "".join(capsys.readouterr())
    assert harmless(written)
    assert "[bold]:key:" in written
    assert "[link=http://x]y[/link] 12" in written


def test_warnings_are_escaped() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Progress().warn(HARM)
    assert issubclass(caught[0].category, LightteaWarning)
    assert harmless(str(caught[0].message))


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Path, Path]:
    """Two graphs in which every id, relation and header name means harm."""
    folder = tmp_path / "graphs"
    folder.mkdir()
    for side in ("left", "right"):
        rows = [
            f"{HARM}{n}\t{HARM}r{n % 3}\t{HARM}{(n * 7 + 1) % 40}\t{1990 + n % 20}"
            for n in range(40 if side == "left" else 38)
        ]
        (folder / f"{side}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder / "left.tsv", folder / "right.tsv"


def test_commands_show_hostile_ids_escaped(command: Command, hostile: tuple[Path, Path]) -> None:
    left, right = hostile
    seeds, headed = left.with_name("seeds.tsv"), left.with_name("headed.tsv")
    seeds.write_text("".join(f"{HARM}{n}\t{HARM}{n}\n" for n in range(20)), encoding="utf-8")
    rows = "".join(f"{HARM}{n}\t{HARM}\n" for n in range(5))
    headed.write_text(f"id{HARM}\tname{HARM}\n{rows}", encoding="utf-8")
    outcomes = [
        command("inspect", left),
        command("inspect", left, right),
        command("align", left, right, "--seeds", seeds, "--out", "run", *LIGHT),
        command("explain", "run", f"{HARM}33"),
        command("explain", "run", f"{HARM}33", "--ids"),
        command("explain", "run", f"{HARM}nobody"),
        command("describe", headed),
    ]
    assert [outcome.code for outcome in outcomes] == [0, 0, 0, 0, 0, 2, 0]
    for outcome in outcomes:
        assert harmless(outcome.out + outcome.err)
        assert "🔑" not in outcome.out
    assert "\\x1b[2J" in outcomes[0].out


def test_machines_get_exact_ids(command: Command, hostile: tuple[Path, Path]) -> None:
    left, right = hostile
    seeds = left.with_name("seeds.tsv")
    seeds.write_text("".join(f"{HARM}{n}\t{HARM}{n}\n" for n in range(20)), encoding="utf-8")
    command("align", left, right, "--seeds", seeds, "--out", "run", *LIGHT)
    explained = command("explain", "run", f"{HARM}33", "--json", "-").json()
    assert explained["left"] == f"{HARM}33"
    links = Path("run/links.tsv").read_text(encoding="utf-8")
    assert f"\n{HARM}33\t" in links


@pytest.mark.parametrize(
    "content",
    [
        f"{HARM}\t{HARM}\n",
        f"head\trelation\t{HARM}\na\tb\tc\n",
        f"a\tr\tb\t{HARM}\n",
        f"{'a' * 100_000}\tb\n",
        f"head\trelation\ttail\t{'x' * 50_000}\na\tb\tc\n",
        "\t".join(f"column{n}" for n in range(5_000)) + "\n",
    ],
)
def test_wrong_files_are_refused_in_a_few_lines(
    command: Command, tmp_path: Path, content: str
) -> None:
    (tmp_path / "graph.tsv").write_text(content, encoding="utf-8")
    outcome = command("inspect", "graph.tsv")
    assert outcome.code == 2
    assert harmless(outcome.err)
    assert len(outcome.err) < 3_000
