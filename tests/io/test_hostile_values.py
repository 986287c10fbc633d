"""Values that mean harm or make no sense: each is refused in a sentence, or read exactly."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from lighttea import InputError, read_graph
from lighttea.cli.settings_file import read_settings

DESCRIBED = """
[[source]]
file = "people.json"
head = "id"
relation = "'knows'"
tail = "friend"
"""


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "9" * 5_000, "[" * 100_000])
def test_described_json_is_json(tmp_path: Path, value: str) -> None:
    (tmp_path / "people.json").write_text(f'[{{"id": "a", "friend": "b", "age": {value}}}]')
    (tmp_path / "people.toml").write_text(DESCRIBED)
    with pytest.raises(InputError, match=r"people\.json:1: not JSON"):
        read_graph(tmp_path / "people.toml")


@pytest.mark.parametrize(
    "text", ["rounds = 1979-99-99", f"rounds = {'9' * 5_000}", f"rounds = {'[' * 100_000}"]
)
@pytest.mark.parametrize("read", [read_settings, read_graph])
def test_wrong_toml_is_refused_in_a_sentence(tmp_path: Path, text: str, read: object) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"settings\.toml"):
        read(path)  # type: ignore[operator]


def test_a_label_of_a_blank_node_is_not_cut_in_two(tmp_path: Path) -> None:
    path = tmp_path / "graph.nq"
    path.write_text("_:s <http://e/p> _:a1B1_:a .\n<http://e/a> <http://e/p> <http://e/b> .\n")
    graph = read_graph(path)
    assert list(graph.entities) == ["http://e/a", "http://e/b"]
    assert any("1 malformed line" in note for note in graph.notes)


def test_a_zip_with_a_member_without_a_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph.tsv.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", "a\tr\tb\n")
    content = path.read_bytes()
    for mark, at in ((b"PK\x01\x02", 28), (b"PK\x03\x04", 26)):
        place = content.rfind(mark)
        content = content[: place + at] + bytes(2) + content[place + at + 2 :]
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as zip"):
        read_graph(path)
