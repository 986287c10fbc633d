"""Run folders: written whole or not at all, read back as they were."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import lighttea
from lighttea.config import RENAMED, Config
from lighttea.errors import InputError, OutputError
from lighttea.explain.source import Source
from lighttea.graph.pair import Links
from lighttea.io.frames import frame_of_graph, graph_of_frame
from lighttea.io.literals import frame_of_attributes, literal_rows, with_literals
from lighttea.io.tables import read_links
from lighttea.progress import Progress
from lighttea.results.checkpoint import run_key
from lighttea.results.place import run_folder
from lighttea.results.run import Run
from lighttea.results.store import load_run
from lighttea.review.again import align_again, settings_of
from lighttea.types import LeftIds, RightIds
from tests.run_folders import forget_list, load_earlier
from tests.worlds import World, fact_frame, random_facts, renamed

TABLES = (
    *("links", "candidates", "relations", "evidence_links", "seeds"),
    *("facts_left", "facts_right"),
)


@pytest.fixture(scope="module")
def run(world: World) -> Run:
    """A small run."""
    return lighttea.align(
        world.left, world.right, seeds=world.seeds, dim=16, top_k=10, rounds=1, threads=1, beta=0.3
    )


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Path:
    return run.save(tmp_path / "run")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def half_written(folder: Path, error: BaseException) -> None:
    with run_folder(folder, overwrite=True) as unfinished:
        (unfinished / "links.tsv").write_text("half")
        raise error


def test_what_is_saved_is_loaded(run: Run, saved: Path) -> None:
    loaded = load_run(saved)
    for name in TABLES:
        assert_frame_equal(getattr(loaded, name), getattr(run, name))
    assert loaded.info == json.loads(json.dumps(run.info))
    assert repr(loaded) == repr(run)


def test_the_files_of_a_run(saved: Path) -> None:
    expected = {f"{name}.parquet" for name in TABLES} | {"links.tsv", "run.json"}
    assert expected <= set(names_in(saved))
    assert saved.stat().st_mode & 0o777 == 0o755


def test_links_tsv_has_the_promised_header_and_the_links(run: Run, saved: Path) -> None:
    lines = (saved / "links.tsv").read_text().splitlines()
    assert lines[0] == "left\tright\tscore\tconfidence\tmargin\tfdr\talarms"
    assert len(lines) == len(run.links) + 1
    assert len(run.links) > 0
    assert pl.read_parquet(saved / "links.parquet").columns == lines[0].split("\t")


def test_links_tsv_is_read_back_as_links(run: Run, saved: Path) -> None:
    read = read_links(saved / "links.tsv").select("left", "right")
    assert_frame_equal(read, run.links.select("left", "right"))
    assert_frame_equal(read_links(saved / "links.parquet").select("left", "right"), read)


@pytest.mark.parametrize("odd", ["x\ty", "x\ny", "x\r\ny"])
def test_a_name_that_would_break_a_line_is_refused(odd: str) -> None:
    with pytest.raises(InputError, match="tail must not contain a tab or a line break"):
        graph_of_frame(fact_frame(("a", "r", odd, None, None)))


@pytest.mark.parametrize("odd", ['x"y', '"', "x\\y", " x ", "é😀"])
def test_links_tsv_is_read_back_whatever_is_in_a_name(tmp_path: Path, odd: str) -> None:
    facts = random_facts(12, 60, 1)
    odd_facts = [(f[0].replace("e", odd), f[1], f[2].replace("e", odd), f[3], f[4]) for f in facts]
    left = graph_of_frame(fact_frame(*odd_facts))
    right = graph_of_frame(fact_frame(*renamed(facts)))
    seeds = [(f"{odd}{n}", f"xe{n}") for n in range(3)]
    run = lighttea.align(left, right, seeds=seeds, dim=16, top_k=5, rounds=1, threads=1)
    assert len(run.links) > 0
    folder = run.save(tmp_path / "run")
    assert len(read_links(folder / "links.tsv")) == len(run.links)


def test_a_score_is_the_plain_sum_of_its_terms(run: Run) -> None:
    candidates = run.candidates
    names = candidates.columns[
        candidates.columns.index("rank") + 1 : candidates.columns.index("score")
    ]
    assert names == ["relational", "temporal", "time", "consensus", "likelihood", "contradiction"]
    total = sum((candidates[name] for name in names[1:]), candidates[names[0]])
    np.testing.assert_allclose(total, candidates["score"], atol=1e-5)
    assert candidates["time"].abs().max() != 0
    assert candidates["temporal"].abs().max() != 0


def test_links_are_among_the_candidates_with_the_same_figures(run: Run) -> None:
    joined = run.links.join(run.candidates, on=["left", "right"], how="inner")
    assert len(joined) == len(run.links)
    np.testing.assert_allclose(joined["score"], joined["score_right"], atol=1e-6)
    np.testing.assert_allclose(joined["confidence"], joined["confidence_right"], atol=1e-6)


def test_run_json_says_where_the_run_comes_from(saved: Path) -> None:
    info = json.loads((saved / "run.json").read_text())
    assert info["format"] == 1
    assert info["config"]["dim"] == 16
    assert {"random_seed", "versions", "seconds", "peak_mb", "input", "engine"} <= set(info)
    assert info["versions"]["lighttea"] == lighttea.__version__


def test_an_existing_run_is_kept(run: Run, saved: Path) -> None:
    (saved / "links.tsv").write_text("mine")
    with pytest.raises(InputError, match="overwrite=True"):
        run.save(saved)
    assert (saved / "links.tsv").read_text() == "mine"
    assert names_in(saved.parent) == ["run"]


def test_an_existing_run_is_replaced_when_asked(run: Run, saved: Path) -> None:
    (saved / "links.tsv").write_text("mine")
    (saved / "old.txt").write_text("old")
    run.save(saved, overwrite=True)
    assert (saved / "links.tsv").read_text().startswith("left\tright")
    assert not (saved / "old.txt").exists()
    assert names_in(saved.parent) == ["run"]


def test_an_empty_folder_is_used(run: Run, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    run.save(tmp_path / "run")
    assert len(load_run(tmp_path / "run").links) == len(run.links)
    assert names_in(tmp_path) == ["run"]


@pytest.mark.parametrize("overwrite", [True, False])
def test_other_folders_and_files_are_never_replaced(
    run: Run, tmp_path: Path, overwrite: bool
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("years of work")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="not a run"):
        run.save(tmp_path / "folder", overwrite=overwrite)
    with pytest.raises(InputError, match="a file of that name"):
        run.save(tmp_path / "file", overwrite=overwrite)
    assert names_in(tmp_path) == ["file", "folder"]
    assert (tmp_path / "folder" / "thesis.txt").read_text() == "years of work"


def test_parents_are_made(run: Run, tmp_path: Path) -> None:
    assert run.save(tmp_path / "a" / "b" / "run") == tmp_path / "a" / "b" / "run"
    assert (tmp_path / "a" / "b" / "run" / "run.json").exists()


def test_a_parent_that_is_a_file_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot write there"):
        run.save(tmp_path / "file" / "run")
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, InputError])
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, kind: type[BaseException]) -> None:
    with pytest.raises(kind):
        half_written(tmp_path / "run", kind("stop"))
    assert names_in(tmp_path) == []


def test_an_interrupted_run_leaves_no_parents_that_it_made(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), run_folder(tmp_path / "a" / "b" / "run"):
        raise RuntimeError("stop")
    assert names_in(tmp_path) == []


def test_an_interrupted_overwrite_keeps_the_old_run(saved: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        half_written(saved, KeyboardInterrupt())
    assert names_in(saved.parent) == ["run"]
    assert (saved / "links.tsv").read_text().startswith("left\tright")


def test_the_folder_appears_only_when_whole(tmp_path: Path) -> None:
    with run_folder(tmp_path / "run") as unfinished:
        assert not (tmp_path / "run").exists()
        (unfinished / "x").write_text("x")
    assert names_in(tmp_path / "run") == ["x"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.json", b"{"),
        ("run.json", b"\xff\xfe"),
        ("run.json", b"[]"),
        ("run.json", b"{}"),
        ("run.json", b"null"),
        ("links.parquet", b"nonsense"),
        ("candidates.parquet", None),
        ("facts_left.parquet", None),
    ],
)
def test_a_damaged_run_is_refused(saved: Path, name: str, content: bytes | None) -> None:
    if content is None:
        (saved / name).unlink()
    else:
        (saved / name).write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        load_run(saved)


def test_a_run_of_another_format_is_refused(saved: Path) -> None:
    info = json.loads((saved / "run.json").read_text())
    (saved / "run.json").write_text(json.dumps({**info, "format": 99}))
    with pytest.raises(InputError, match="run format 99, this version reads 1"):
        load_run(saved)


def test_a_run_with_the_old_names_of_settings_still_works(run: Run, saved: Path) -> None:
    """As 0.1 wrote it: explained, and aligned again with the same settings."""
    path = forget_list(saved) / "run.json"
    info = json.loads(path.read_text())
    old = {new: name for name, new in RENAMED.items()}
    stored = {old.get(name, name): value for name, value in info["config"].items()}
    assert {"evened", "grains", "rebuild", "passes"} <= set(stored)
    path.write_text(json.dumps({**info, "config": stored}))
    loaded = load_earlier(saved)
    assert loaded.info["config"] == run.info["config"]
    assert loaded.explainer.source.config == run.explainer.source.config
    best = run.links["left"][0]
    assert loaded.explain(best) == run.explain(best)
    assert settings_of(loaded) == settings_of(run)
    nothing = loaded.cannot_links.clear()
    again = align_again(lighttea.align, loaded, nothing, nothing, Progress())
    assert again.info["config"] == run.info["config"]


def write_while(target: Path, text: str, *, overwrite: bool, meanwhile: Callable[[], None]) -> None:
    """Write a folder; something else happens before it is done."""
    with run_folder(target, overwrite=overwrite) as unfinished:
        (unfinished / "run.json").write_text(text)
        meanwhile()


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_that_appears_meanwhile_is_kept(tmp_path: Path, overwrite: bool) -> None:
    target = tmp_path / "run"

    def write_thesis() -> None:
        target.mkdir()
        (target / "thesis.tex").write_text("years of work")

    with pytest.raises(OutputError, match=r"is kept, and the run is in .*run-2$"):
        write_while(target, "{}", overwrite=overwrite, meanwhile=write_thesis)
    assert (target / "thesis.tex").read_text() == "years of work"
    assert (tmp_path / "run-2" / "run.json").read_text() == "{}"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_run_that_is_copied_there_meanwhile_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "run"

    def write_early() -> None:
        target.mkdir()
        (target / "run.json").write_text("early")

    with pytest.raises(OutputError, match="run-2"):
        write_while(target, "late", overwrite=False, meanwhile=write_early)
    assert (target / "run.json").read_text() == "early"
    assert (tmp_path / "run-2" / "run.json").read_text() == "late"


def test_what_is_no_run_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path, tmp_path / "no", tmp_path / "file"):
        with pytest.raises(InputError, match="not a run folder"):
            load_run(path)


def test_a_run_that_cannot_be_replaced_is_still_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of the two renames fails: the old run comes back."""
    folder = run.save(tmp_path / "run")
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.name.endswith(".unfinished"):
            raise OSError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="no"):
        run.save(folder, overwrite=True)
    monkeypatch.undo()
    assert len(load_run(folder).links) == len(run.links)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_names_are_kept_and_earlier_runs_have_none(world: World, tmp_path: Path) -> None:
    named = replace(world.left, entity_names={"e1": "One", "e2": "e2"}, relation_names={"r1": "R"})
    run = lighttea.align(
        named, world.right, seeds=world.seeds, dim=16, top_k=10, rounds=1, threads=1
    )
    folder = run.save(tmp_path / "run")
    names = load_run(folder).names_left
    assert names.rows() == [("entity", "e1", "One"), ("relation", "r1", "R")]
    assert load_run(folder).names_right.is_empty()
    for side in ("left", "right"):
        (folder / f"names_{side}.parquet").unlink()
    assert_frame_equal(load_earlier(forget_list(folder)).names_left, names.clear())


def test_a_run_of_an_earlier_version_is_read_or_refused_by_name(saved: Path) -> None:
    """Names and cannot-links came later and may be missing; explanations need the rest."""
    later = ("attributes_left", "attributes_right", "names_left", "names_right")
    for name in (*later, "cannot_links", "suspicious_seeds"):
        (saved / f"{name}.parquet").unlink()
    found = load_earlier(forget_list(saved))
    assert found.names_left.is_empty()
    assert found.cannot_links.columns == ["left", "right"]
    assert found.suspicious_seeds.is_empty()
    assert found.explain(found.links["left"][0]).is_link
    for name in ("evidence_links", "relations"):
        (saved / f"{name}.parquet").unlink()
    said = r"relations.parquet: damaged: the file is missing.*\n.*evidence_links.parquet: damaged"
    with pytest.raises(InputError, match=said):
        load_run(saved)


def test_links_of_an_earlier_version_have_no_fdr_and_no_alarms(run: Run, saved: Path) -> None:
    later = ["fdr", "alarms"]
    run.links.drop(later).write_parquet(saved / "links.parquet")
    found = load_earlier(forget_list(saved))
    assert found.links.columns == run.links.columns
    assert found.links.schema == run.links.schema
    assert found.links["fdr"].null_count() == len(run.links)
    assert (found.links["alarms"] == "").all()
    assert found.explain(found.links["left"][0]).fdr is None
    assert_frame_equal(found.links.drop(later), run.links.drop(later))


def test_cannot_links_are_kept(world: World, tmp_path: Path) -> None:
    forbidden = sorted(world.truth[:3])
    run = lighttea.align(
        world.left, world.right, seeds=world.seeds, cannot_link=forbidden, dim=16, rounds=1
    )
    assert sorted(run.cannot_links.rows()) == forbidden
    assert load_run(run.save(tmp_path / "run")).cannot_links.equals(run.cannot_links)


LITERALS = [
    {
        "head": "e1",
        "relation": "name",
        "value": "One\tand\nonly",
        "language": "en",
        "begin": "1950",
    },
    {"head": "lonely", "relation": "height", "value": "1.6", "datatype": "http://d/metre"},
]


def test_attributes_are_kept_and_earlier_runs_have_none(world: World, tmp_path: Path) -> None:
    literals = pl.DataFrame(LITERALS)
    both = pl.concat([frame_of_graph(world.left), literals], how="diagonal")
    left = graph_of_frame(both)
    assert len(left.attributes) == 2
    run = lighttea.align(left, world.right, seeds=world.seeds, dim=16, rounds=1, threads=1)
    folder = run.save(tmp_path / "run")
    found = load_run(folder)
    assert found.attributes_left.rows() == [
        ("e1", "name", "One\tand\nonly", None, "en", "1950", None),
        ("lonely", "height", "1.6", "http://d/metre", None, None, None),
    ]
    assert found.attributes_right.is_empty()
    assert found.info["input"]["left"]["literals"] == 2
    none = found.cannot_links.clear()
    again = align_again(lighttea.align, found, none, none, Progress())
    assert_frame_equal(again.attributes_left, run.attributes_left)
    source = Source.of(found).left.graph
    assert frame_of_attributes(source).equals(run.attributes_left)
    assert source.instants.second.tolist() == left.instants.second.tolist()
    for side in ("left", "right"):
        (folder / f"attributes_{side}.parquet").unlink()
    older = load_earlier(forget_list(folder))
    assert_frame_equal(older.attributes_left, run.attributes_left.clear())
    assert older.explain(older.links["left"][0]).is_link


def test_other_literals_are_another_run(world: World) -> None:
    none = world.left
    one, other, elsewhere = (
        with_literals(none, literal_rows([row]))
        for row in (
            ("e1", "name", "One", "", ""),
            ("e1", "name", "Two", "", ""),
            ("e2", "name", "One", "", ""),
        )
    )
    links = Links(LeftIds(np.zeros(1, np.int32)), RightIds(np.zeros(1, np.int32)))
    keys = {run_key(left, world.right, links, Config()) for left in (none, one, other, elsewhere)}
    assert len(keys) == 4


def test_the_name_of_a_folder_is_no_pattern(saved: Path, tmp_path: Path) -> None:
    other = tmp_path / "run[1]"
    shutil.copytree(saved, other)
    shutil.copytree(saved, tmp_path / "run1")
    for path in (tmp_path / "run1").glob("*.parquet"):
        path.unlink()
    assert load_run(other).links.equals(load_run(saved).links)
