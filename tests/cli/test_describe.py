"""`lighttea describe`, and descriptions in place of graphs."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.cli.conftest import LIGHT, Command
from tests.worlds import random_facts, renamed

DESCRIPTION = """
name = "{name}"
[[source]]
file = "{file}"
head = "who"
relation = "what"
tail = "whom"
begin = "first day"
end = "last day"
"""


def write_side(folder: Path, name: str, *, other: bool) -> None:
    """Write a table with names of its own and the description of it."""
    facts = random_facts(40, 300, 1)
    rows = [",".join(map(str, fact)) for fact in (renamed(facts) if other else facts)]
    table = "\n".join(["who,what,whom,first day,last day", *rows]) + "\n"
    (folder / f"{name}.csv").write_text(table, encoding="utf-8")
    text = DESCRIPTION.format(name=name, file=f"{name}.csv")
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def test_align_and_inspect_take_descriptions(command: Command, tmp_path: Path) -> None:
    write_side(tmp_path, "one", other=False)
    write_side(tmp_path, "two", other=True)
    done = command("align", "one.toml", "two.toml", "--out", "run", *LIGHT)
    assert done.code == 0, done.err
    assert (tmp_path / "run" / "links.tsv").exists()
    assert "one.toml" in command("inspect", "one.toml", "two.toml").out


def test_align_refuses_columns_beside_a_description(command: Command, tmp_path: Path) -> None:
    write_side(tmp_path, "one", other=False)
    done = command("inspect", "one.toml", "--columns", "head=1,relation=2,tail=3")
    assert done.code == 2
    assert "a description names its columns itself; leave `--columns` out" in done.err


def test_constants_on_the_command_line(command: Command, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("p,team,on\na,x,03/07/2011\nb,NA,04/07/2011\n")
    columns = "head=p,relation='played, for',tail=team,time=on,missing=NA,date_format=%d/%m/%Y"
    done = command("inspect", "f.csv", "--columns", columns, "--json", "-")
    assert done.code == 0, done.err
    profile = done.json()
    assert profile["span"] == ["2011-07-03", "2011-07-03"]
    assert profile["top_relations"] == {"played, for": 1}
    assert any("1 rows without head" in warning for warning in profile["warnings"])


def test_describe_writes_to_stdout_or_a_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "p.csv").write_text("id,name\na,Ada\nb,Ben\n")
    done = command("describe", "data/p.csv")
    assert tomllib.loads(done.out)["source"][0]["file"] == "data/p.csv"
    assert command("describe", "data/p.csv", "--out", "data/p.toml").code == 0
    written = (tmp_path / "data" / "p.toml").read_text(encoding="utf-8")
    assert tomllib.loads(written)["source"][0]["file"] == "p.csv"
    assert command("inspect", "data/p.toml").code == 0
    again = command("describe", "data/p.csv", "--out", "data/p.toml")
    assert (again.code, "use `--overwrite`" in again.err) == (2, True)
    assert command("describe", "data/p.csv", "--out", "data/p.toml", "--overwrite").code == 0


def test_what_describe_cannot_do(command: Command, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("id,name\na,Ada\nb,Ben\n")
    assert "no such file" in command("describe", "nope.csv").err
    assert "cannot write there" in command("describe", "p.csv", "--out", "no/p.toml").err
    assert "expected a file, found a folder" in command("describe", str(tmp_path)).err
