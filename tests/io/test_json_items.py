"""JSON as a stream: values, the items of a file, and what its beginning shows."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea import InputError
from lighttea.io import streams
from lighttea.io.json import scan, values
from lighttea.io.json.items import SAMPLE_BYTES, Item, Layout, find_layout, read_items
from lighttea.io.json.recognise import is_wikidata
from lighttea.io.json.scan import Scanner
from lighttea.io.json.shape import Shape
from lighttea.io.json.values import id_text, literal_text, parse_json, plain_text
from lighttea.io.problems import Problems
from tests.fuzzing import examples

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.fixture(params=["orjson", "json"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read with orjson, and as where it is not installed."""
    if request.param == "json":
        monkeypatch.setattr(values, "_fast_loads", None)
    return str(request.param)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "[1,]", "", "1 2", '"'])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_json(text.encode())


@pytest.mark.usefixtures("parser")
def test_what_parsers_disagree_on_is_the_same() -> None:
    assert parse_json(b'{"a": "x\\ud800", "\\udc00": ["\\ud83d\\ude00"]}') == {
        "a": "x?",
        "?": ["😀"],
    }
    assert parse_json(b'["\\uD800", "\\u00e9"]') == ["?", "é"]  # in either case
    with pytest.raises(ValueError, match="utf-8"):
        parse_json(b'"\xff"')
    with pytest.raises(RecursionError):
        parse_json(b"[" * 100_000 + b"]" * 100_000)
    assert parse_json(b'{"a": 1, "a": 2}') == {"a": 2}
    assert literal_text(parse_json(b"123456789012345678901234567890")) == (
        "1.2345678901234568e+29",
        "http://www.w3.org/2001/XMLSchema#double",
    )
    for number in (2**64, -(2**63) - 1):  # the first that orjson takes for floats
        assert literal_text(parse_json(str(number).encode()))[1].endswith("#double")
        assert id_text(parse_json(str(number).encode())) is None
    for number in (2**64 - 1, -(2**63)):
        assert id_text(parse_json(str(number).encode())) == str(number)
    assert id_text(parse_json(b"123456789012345678901234567890")) is None
    with pytest.raises(ValueError, match="too large"):
        literal_text(parse_json(b"1e400"))


def test_values_as_texts() -> None:
    ids: list[Any] = ["a", 7, " ", 1.5, True, None, []]
    assert [id_text(value) for value in ids] == ["a", "7", None, None, None, None, None]
    texts: list[Any] = ["a", 7, 1.5, True, None, [1]]
    assert [plain_text(value) for value in texts] == ["a", "7", "1.5", "true", None, "[1]"]


def items_of(path: Path, text: str | bytes, *sections: str, strict: bool = True) -> list[Item]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    problems = Problems(strict=strict)
    found = list(read_items(path, problems, sections))
    problems.check()
    return found


@examples(150)
@given(
    st.lists(st.dictionaries(st.text(max_size=4), JSON, max_size=3), min_size=1, max_size=4),
    st.integers(0, 6),
)
def test_all_layouts_have_the_same_items(
    tmp_path_factory: pytest.TempPathFactory, objects: list[dict[str, Any]], layout: int
) -> None:
    path = tmp_path_factory.mktemp("items") / "g.json"
    lines = [json.dumps(one) for one in objects]
    text = [
        "\n".join(lines),
        "\n".join(json.dumps(one, indent=1) for one in objects if one) or "\n".join(lines),
        "[\n" + ",\n".join(lines) + "\n]",
        "[" + ",\n".join(lines) + "]\n",
        "[" + ",".join(lines) + "]",
        json.dumps(objects, indent=2),
        "\ufeff" + json.dumps(objects, ensure_ascii=False, indent="\t"),
    ][layout]
    kept = [line for line in lines if layout != 1 or line != "{}"] or lines
    expected = json.loads("[" + ",".join(kept) + "]")
    assert [item.value for item in items_of(path, text)] == expected


def test_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    assert [item.line for item in items_of(path, '{"a":1}\n\n{"a":2}\n')] == [1, 3]
    assert [item.line for item in items_of(path, '[\n{"a":\n1},\n\n{"a":2}\n]')] == [2, 5]


def test_the_parts_of_an_object(tmp_path: Path) -> None:
    text = (
        '{"directed": true,\n "nodes": [{"id": 1}, {"id": 2}], "rels": {"7": {"x": []}}, "a": {}}'
    )
    assert items_of(tmp_path / "g.json", text, "nodes") == [
        Item(1, True, "directed"),
        Item(2, {"id": 1}, "nodes"),
        Item(2, {"id": 2}, "nodes"),
        Item(2, {"x": []}, "rels", "7"),
    ]


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ('[\n{"a":1},\n', Layout.LINES),
        ('[{"a":1},\n{"a":2}]', Layout.LINES),
        ('[{"a":1}]', Layout.LINES),
        ('[\n{wrong,\n{"a":2}\n]', Layout.LINES),
        ('[{"a":1},{"a":2}]', Layout.ARRAY),
        ('[\n  {\n    "a": 1\n', Layout.ARRAY),
        ("[\n{" + '"a": "' + "x" * 70_000, Layout.LINES),
        ("[{" + '"a": "' + "x" * 70_000, Layout.ARRAY),
        ('{"a":1}\n{"a":2}', Layout.LINES),
        ('{"nodes": [', Layout.SECTIONS),
        ('{\n "nodes": [', Layout.SECTIONS),
        ('{\n "a": 1\n}\n{\n', Layout.VALUES),
    ],
)
def test_how_items_are_laid_out(text: str, layout: Layout) -> None:
    start = text.encode()[:SAMPLE_BYTES]  # as much as is read before
    assert find_layout(start, ("nodes",)) == layout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"a":\n1}, {"a": }, {}]', ":2: not JSON"),
        ('[{"a":\n1}, {"a": 2', ":2: not JSON"),
        ('[{"a": 1}, {"a":}]', 'found "}]"'),
        ('[{"a":\n1}, {"a": 2}', ":2: not JSON: expected a comma or ], found the end of the file"),
        ('[{"a": 1}, {}] {}', "expected the end of the file"),
        ('[{"a": 1} {}, {}]', "expected a comma or ], found"),
        ("[1,\n" + "[" * 100_000 + "]" * 100_000 + "]", ":2: not JSON: nested too deep"),
        (b'[{"a": 1}, {"b": "\xff"}, {}]', ":1: not UTF-8 text"),
        ('{"nodes": [1], 5: 6}', "expected a key in quotes"),
        ('{"nodes": [1], "x" 6}', "expected a colon"),
        ("[1, " + "9" * 5_000 + "]", "not JSON: "),
    ],
)
def test_errors_outside_lines_stop(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(InputError) as caught:
        items_of(tmp_path / "g.json", text, "nodes", strict=False)
    assert said in str(caught.value)
    assert "nothing after it can be trusted" in str(caught.value)


def test_constants_cost_their_item_alone(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    for text in ('[{"a": NaN},{"a": 2}]', '{"a": Infinity}\n{"a": 2}', '{"nodes":[NaN, {"a": 2}]}'):
        assert [i.value for i in items_of(path, text, "nodes", strict=False)] == [{"a": 2}]
        with pytest.raises(InputError, match=r"g\.json:1: .*is not JSON"):
            items_of(path, text, "nodes")


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_values_may_be_cut_anywhere(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(scan, "_BLOCK", size)
    content = [{"a": 'é\n"x\\', "b": [1.5e3, -12, True, None]}, 123456, "😀", {}, []]
    for text in (json.dumps(content), json.dumps(content, ensure_ascii=False, indent=1)):
        scanner = Scanner(Path("g.json"), io.BytesIO(text.encode()))
        scanner.take("[", "an array")
        found = []
        while True:
            found.append(scanner.value())
            if scanner.take(",]", "a comma") == "]":
                break
        assert found == content
        assert scanner.peek() == ""


def test_half_a_character_is_replaced_in_a_stream_as_in_a_line() -> None:
    text = b'{"x\\ud800": ["\\uDC00", "\\ud83d\\ude00", "plain"]}'
    found = Scanner(Path("g.json"), io.BytesIO(text)).value()
    assert found == parse_json(text) == {"x?": ["?", "\U0001f600", "plain"]}


def test_a_value_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "_BLOCK", 1_000)
    stream = io.BytesIO(b'["' + b"x" * (4 << 20))
    scanner = Scanner(Path("g.json"), stream, longest=1 << 20)
    scanner.take("[", "an array")
    with pytest.raises(InputError, match="a value of more than 1 MiB"):
        scanner.value()


def test_long_lines_and_damaged_lines_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "LONGEST_LINE", 100)
    monkeypatch.setattr(streams, "BLOCK_BYTES", 16)
    monkeypatch.setattr(streams.line_blocks, "__defaults__", (16,))
    path = tmp_path / "g.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":"' + b"x" * 500 + b'"}\n{"c":"\xff"}\n' + b"[" * 30 + b"\n{}")
    problems = Problems(strict=False)
    assert [item.value for item in read_items(path, problems)] == [{"a": 1}, {}]
    assert [line.partition(": ")[0][-2:] for line in problems.first] == [":2", ":3", ":4"]


@pytest.mark.parametrize("first", ["{wrong", "{}"])
def test_a_long_file_is_given_up_where_nothing_is_right(tmp_path: Path, first: str) -> None:
    """Reading stops at the thousandth wrong line, unless one before was right."""
    path = tmp_path / "g.jsonl"
    path.write_text("\n".join([first, *["{wrong"] * 1500]))
    problems = Problems(strict=False)
    if first == "{}":
        assert len(list(read_items(path, problems))) == 1
        assert problems.total == 1500
        return
    with pytest.raises(InputError):
        list(read_items(path, problems))
    assert problems.total == 1000


@examples(100)
@given(JSON, st.integers(0, 60))
def test_any_beginning_has_a_shape(content: Any, size: int) -> None:
    text = json.dumps(content)
    assert str(Shape.of(text[:size]))
    whole = Shape.of(text)
    assert whole.is_whole
    if isinstance(content, dict) and all(key.isalnum() and key.isascii() for key in content):
        assert list(whole.sections) == list(content)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"id": "Q1", "claims": []}', True),
        ('{"entities": {"Q1": {"id": "Q1", "labels": {}}}}', True),
        ('{"id": "Q1", "name": "x"}', False),
        ('{"id": "x", "claims": []}', False),
    ],
)
def test_an_entity_of_a_wikibase_has_its_id_and_one_of_its_keys(text: str, expected: bool) -> None:
    assert is_wikidata(Shape.of(text)) == expected


def test_a_shape_shows_what_is_there_so_far() -> None:
    shape = Shape.of('{"nodes": [{"id": 1, "name": "x"}, {"id": 2, "na')
    assert shape.sections == {"nodes": [{"id": 1, "name": "x"}, {"id": 2}]}
    assert shape.objects_in("nodes") == [{"id": 1, "name": "x"}, {"id": 2}]
    assert not shape.is_whole
    assert Shape.of('{"a": {"b": {"c": 1}}}').objects_in("a") == [{"c": 1}]
    assert [len(Shape.of(text).roots) for text in ("", "{}", "{} {}", "{}]", "}")] == [
        0,
        1,
        2,
        1,
        0,
    ]
