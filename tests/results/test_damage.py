"""Run folders damaged in any way: opened with the same content, or refused in a sentence."""

from __future__ import annotations

import json
import random
import shutil
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.errors import InputError, LightteaError, LightteaWarning
from lighttea.export.write import export_run
from lighttea.results.check import check_run
from lighttea.results.manifest import Manifest, describe_file, read_manifest
from lighttea.results.run import Run
from lighttea.results.schema import TABLES
from lighttea.results.store import load_run
from lighttea.review.again import settings_of
from tests.fuzzing import examples
from tests.literal_worlds import literal_run
from tests.run_folders import forget_list, load_earlier

Damage = Callable[[Path, random.Random], None]
VALUES: tuple[Any, ...] = (
    None,
    "",
    "x",
    -1,
    0,
    10**9,
    1.5,
    float("nan"),
    True,
    [],
    ["x"],
    {},
    [{}],
)
TYPES = (pl.String, pl.Float64, pl.Int64, pl.Binary, pl.Boolean, pl.Categorical)


@pytest.fixture(scope="module")
def run() -> Run:
    """A run with seeds, names and literals."""
    return literal_run()


@pytest.fixture(scope="module")
def whole(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run.save(tmp_path_factory.mktemp("whole") / "run")


def pick_file(folder: Path, rng: random.Random) -> Path:
    return rng.choice(sorted(path for path in folder.iterdir() if path.is_file()))


def pick_table(folder: Path, rng: random.Random) -> tuple[Path, pl.DataFrame]:
    tables = [folder / table.file for table in TABLES if (folder / table.file).is_file()]
    path = rng.choice(tables)
    return path, pl.read_parquet(path)


def cut(folder: Path, rng: random.Random) -> None:
    path = pick_file(folder, rng)
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content) + 1)])


def flip(folder: Path, rng: random.Random) -> None:
    path = pick_file(folder, rng)
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 1, 3, 20))):
        if content:
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(bytes(content))


def overwrite(folder: Path, rng: random.Random) -> None:
    path = pick_file(folder, rng)
    content = bytearray(path.read_bytes())
    begin, length = rng.randrange(len(content) + 1), rng.randrange(1, 200)
    content[begin : begin + length] = rng.choice((b"\0" * length, rng.randbytes(length), b""))
    path.write_bytes(bytes(content))


def swap(folder: Path, rng: random.Random) -> None:
    first, second = pick_file(folder, rng), pick_file(folder, rng)
    contents = second.read_bytes(), first.read_bytes()
    first.write_bytes(contents[0])
    second.write_bytes(contents[1])


def remove(folder: Path, rng: random.Random) -> None:
    path = pick_file(folder, rng)
    path.unlink()
    if rng.random() < 0.2:
        path.mkdir()


def drop_column(folder: Path, rng: random.Random) -> None:
    path, table = pick_table(folder, rng)
    table.drop(rng.choice(table.columns)).write_parquet(path)


def rename_column(folder: Path, rng: random.Random) -> None:
    path, table = pick_table(folder, rng)
    names = rng.sample(table.columns, 2)
    table.rename({names[0]: names[1], names[1]: names[0]}).write_parquet(path)


def change_type(folder: Path, rng: random.Random) -> None:
    path, table = pick_table(folder, rng)
    column = rng.choice(table.columns)
    is_text = table[column].dtype == pl.String
    types = [one for one in TYPES if not (is_text and one == pl.Boolean)]  # polars has no such cast
    changed = table.with_columns(pl.col(column).cast(rng.choice(types), strict=False))
    changed.write_parquet(path)


def empty_cells(folder: Path, rng: random.Random) -> None:
    path, table = pick_table(folder, rng)
    column, row = rng.choice(table.columns), rng.randrange(max(len(table), 1))
    is_row = pl.int_range(pl.len()) == row
    table.with_columns(pl.when(~is_row).then(column).alias(column)).write_parquet(path)


def change_rows(folder: Path, rng: random.Random) -> None:
    path, table = pick_table(folder, rng)
    n = rng.randrange(len(table) + 1)
    rng.choice((table.head(n), pl.concat([table, table.head(n)]), table.reverse())).write_parquet(
        path
    )


def change_texts(folder: Path, rng: random.Random) -> None:
    path, table = pick_table(folder, rng)
    texts = [name for name, dtype in table.schema.items() if dtype == pl.String]
    column, text = rng.choice(texts or ["left"]), rng.choice(("", "x", "e1\tx", "1999-99", "\0"))
    if column in table.columns:
        table.with_columns(pl.lit(text).alias(column)).write_parquet(path)


def edit_json(folder: Path, rng: random.Random) -> None:
    path = folder / rng.choice(("run.json", "run.json", "files.json"))
    if not path.is_file():
        return
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return
    outer = content
    while True:
        places = list(outer) if isinstance(outer, dict) else list(range(len(outer)))
        if not places:
            break
        place = rng.choice(places)
        if isinstance(outer[place], dict | list) and outer[place] and rng.random() < 0.8:
            outer = outer[place]
            continue
        if rng.random() < 0.3:
            del outer[place]
        else:
            outer[place] = rng.choice(VALUES)
        break
    path.write_text(json.dumps(content), encoding="utf-8")


DAMAGES: tuple[Damage, ...] = (
    *(cut, flip, overwrite, swap, remove, drop_column, rename_column, change_type, empty_cells),
    *(change_rows, change_texts, edit_json),
)


def damaged_copy(whole: Path, place: Path, number: int, *, with_list: bool) -> Path:
    """Return a copy of a run with one damage, or a few; a number stands for one of them."""
    rng, folder = random.Random(number), place / "run"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    if not with_list:
        forget_list(folder)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        try:
            rng.choice(DAMAGES)(folder, rng)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, IndexError):
            continue  # damaged so far already that it cannot be damaged in this way
    return folder


def use(run: Run, place: Path) -> None:
    """Do with a run what users do."""
    repr(run)
    run._repr_html_()
    settings_of(run)
    for left in run.links["left"].head(3):
        run.explain(left)
    len(run.alarms)
    run.evaluate(run.links.select("left", "right").head(2))
    for form in ("tsv", "jsonl", "sameas", "sssom"):
        export_run(run, place / f"out.{form}", form=form, overwrite=True)
    shutil.rmtree(place / "fused", ignore_errors=True)
    export_run(run, place / "fused", form="fused")


def is_same(one: Run, other: Run) -> bool:
    tables = all(getattr(one, t.name).equals(getattr(other, t.name)) for t in TABLES)
    return tables and one.info == other.info


@examples(25)
@given(number=st.integers(0, 2**32))
def test_a_damaged_run_opens_with_the_same_content_or_is_refused(
    run: Run, whole: Path, tmp_path: Path, number: int
) -> None:
    folder = damaged_copy(whole, tmp_path, number, with_list=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LightteaWarning)
        refusal = ""
        try:
            opened = load_run(folder)
        except LightteaError as error:
            refusal = str(error)
        if refusal:
            assert all(str(folder) in line for line in refusal.splitlines())
            assert not (folder / "run.json").is_file() or not check_run(folder).is_whole
        else:
            assert is_same(opened, load_run(whole))


@examples(10)
@given(number=st.integers(0, 2**32))
def test_a_damaged_run_of_an_earlier_version_never_ends_in_a_raw_error(
    whole: Path, tmp_path: Path, number: int
) -> None:
    """It has no digests: other content may be read, and has to be of use or refused."""
    folder = damaged_copy(whole, tmp_path, number, with_list=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LightteaWarning)
        refusal = None
        try:
            use(load_run(folder), tmp_path)
        except LightteaError as error:
            refusal = str(error)
    assert refusal is None or refusal.strip()


def test_what_is_done_with_a_run_here_works_with_a_whole_one(whole: Path, tmp_path: Path) -> None:
    use(load_run(whole), tmp_path)
    assert check_run(whole).is_whole
    earlier = forget_list(Path(shutil.copytree(whole, tmp_path / "earlier")))
    use(load_earlier(earlier), tmp_path)
    assert check_run(earlier).is_whole


def test_every_damage_is_tried(whole: Path, tmp_path: Path) -> None:
    """Each changes a run, whatever the number."""
    for damage in DAMAGES:
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        folder = Path(shutil.copytree(whole, tmp_path / "run"))
        for number in range(12):
            with suppress(IndexError):  # nothing is left to damage
                damage(folder, random.Random(number))
        assert not looks_whole(folder), damage.__name__


def looks_whole(folder: Path) -> bool:
    """Return whether a check finds nothing; what is no run folder any more is not whole."""
    try:
        return check_run(folder).is_whole
    except InputError:
        return False


def test_empty_cells_are_found_though_the_list_of_files_knows_them(
    whole: Path, tmp_path: Path
) -> None:
    """Whoever writes the list anew vouches for the bytes, not for what they mean."""
    folder = Path(shutil.copytree(whole, tmp_path / "run"))
    path = folder / "facts_left.parquet"
    facts = pl.read_parquet(path).with_columns(relation=pl.lit(None, pl.String))
    facts.write_parquet(path)
    manifest = read_manifest(folder)
    assert manifest is not None
    Manifest({**manifest.files, path.name: describe_file(path, len(facts))}).write(folder)
    with pytest.raises(InputError, match=r"facts_left\.parquet: damaged: the column relation has"):
        load_run(folder)
    assert not check_run(folder).is_whole
