"""Dataset folders: two graphs and their true pairs.

They are in the field's format (triples_*, ent_ids_*, rel_ids_*, attr_triples_*, pairs, time_id), or
have the graphs as users have them: left.*, right.* and truth.tsv.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

import polars as pl

from lighttea.display import Displayed, html_table, shorten
from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.graph.facts import Graph
from lighttea.io.frames import LINE, graph_of_frame
from lighttea.io.graph_folders import is_graph_folder, read_graph_folder
from lighttea.io.lines import existing_file, file_digest, read_lines, split_fields
from lighttea.io.literals import literal_rows, with_literals
from lighttea.io.times import is_unknown, parse_instants

_COLUMNS = ("head", "relation", "tail", "begin", "end")
_FORMS = (
    "a dataset is a folder with triples_1, triples_2 and ref_pairs or ref_ent_ids, or one with "
    "left.*, right.* and truth.tsv"
)


@dataclass(frozen=True, repr=False)
class Dataset(Displayed):
    """Two graphs whose entities are the folder's ids, and the known pairs in the folder's order.

    `fixed_split` is False where the folder does not say which pairs are seeds; then every run
    draws its own. With `own_ids` the graphs are as users have them: ids belong to the data, and the
    pairs need not name every entity that has a counterpart.
    """

    name: str
    left: Graph
    right: Graph
    pairs: pl.DataFrame  # left, right
    fixed_split: bool
    own_ids: bool = False

    def _summary(self) -> str:
        sizes = [f"{len(graph.facts):,}" for graph in (self.left, self.right)]
        return (
            f"{shorten(self.name)}: {sizes[0]} left and {sizes[1]} right facts, "
            f"{len(self.pairs):,} known pairs"
        )

    def _tables(self) -> list[str]:
        rows = [
            (side, *(f"{len(part):,}" for part in (graph.entities, graph.relations, graph.facts)))
            for side, graph in (("left", self.left), ("right", self.right))
        ]
        return [html_table(("graph", "entities", "relations", "facts"), rows)]


def read_dataset(folder: str | Path) -> Dataset:
    """Return the dataset of a folder: in the field's format, or left.*, right.* and truth.tsv."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; {_FORMS}")
    in_field_format = any((folder / f"triples_{side}").exists() for side in "12")
    if in_field_format:
        left, right = read_side(folder, "1"), read_side(folder, "2")
        pairs, fixed_split = _read_pairs(folder)
    elif is_graph_folder(folder):
        left, right, pairs = read_graph_folder(folder)
        fixed_split = False
    else:
        raise InputError(f"{folder}: not a dataset; {_FORMS}")
    _check_pairs(folder, pairs, left, right)
    known = pairs.select("left", "right")
    return Dataset(folder.name, left, right, known, fixed_split, own_ids=not in_field_format)


def read_side(folder: Path, side: str) -> Graph:
    """Return one graph of the folder; its entities are the folder's ids."""
    path = existing_file(folder / f"triples_{side}")
    frame = _read_columns(path, (3, 4, 5), "; a fact is head, relation, tail and 0, 1 or 2 times")
    _refuse_non_integers(path, frame, _COLUMNS[:3])
    width = len(frame.columns) - 1
    if width == 4:
        frame = frame.rename({"begin": "time"})
    times = [name for name in ("time", "begin", "end") if name in frame.columns]
    frame = _with_dates(folder, path, frame, times, zero_unknown=width == 5)
    entity_names = _read_optional_names(
        folder / f"ent_ids_{side}", pl.concat([frame["head"], frame["tail"]])
    )
    relation_names = _read_optional_names(folder / f"rel_ids_{side}", frame["relation"])
    graph = graph_of_frame(
        frame,
        source=str(path),
        digest=file_digest(path),
        entities=list(entity_names),
        relations=list(relation_names),
    )
    named = replace(graph, entity_names=entity_names, relation_names=relation_names)
    names = ((i, "name", _last_part(name), "", "") for i, name in entity_names.items())
    further = _read_literals(folder / f"attr_triples_{side}", graph.entities)
    return with_literals(named, pl.concat([literal_rows(names), further]))


def _last_part(name: str) -> str:
    """Return a name, or the last part of an IRI: what the entity is called there."""
    return unquote(re.split(r"[/#]", name.rstrip("/#"))[-1]) if "://" in name else name


def _read_literals(path: Path, entities: Sequence[str]) -> pl.DataFrame:
    """Return the literals of a file: id of an entity, attribute, value; none without the file."""
    if not path.exists():
        return literal_rows([])
    lines = read_lines(path)
    parts = lines.text.str.splitn("\t", 3).struct
    entity, attribute, value = (parts.field(f"field_{place}") for place in range(3))
    wrong = value.is_null() | ~entity.is_in(pl.Series(entities, dtype=pl.String).implode())
    if wrong.any():
        raise InputError.of_many(
            [
                f"{path}:{line}: expected the id of an entity, an attribute and a value, separated "
                "by tabs"
                for line in lines.number.filter(wrong).head(SHOWN_PROBLEMS)
            ],
            total=int(wrong.sum()),
        )
    columns = {"entity": entity, "attribute": attribute, "value": value}
    return pl.DataFrame(columns).with_columns(datatype=pl.lit(""), language=pl.lit(""))


def _read_columns(path: Path, widths: tuple[int, ...], advice: str) -> pl.DataFrame:
    """Return the columns of a file without header; a separator at all line ends is ignored."""
    lines = read_lines(path)
    separator = "\t" if "\t" in lines.first else " "
    if lines.text.str.ends_with(separator).all():
        lines = replace(lines, text=lines.text.str.strip_suffix(separator))
    fields = split_fields(lines, separator, widths, advice)
    return pl.DataFrame({LINE: lines.number, **dict(zip(_COLUMNS, fields, strict=False))})


def _with_dates(
    folder: Path, path: Path, frame: pl.DataFrame, times: Sequence[str], *, zero_unknown: bool
) -> pl.DataFrame:
    """Return the facts with dates in place of time ids; without the file time_id, ids are years."""
    if not times:
        return frame
    time_ids = folder / "time_id"
    if not time_ids.exists():
        if zero_unknown:
            return frame.with_columns(pl.col(times).replace("0", None))
        return frame
    dates = _read_time_ids(time_ids)
    if zero_unknown:
        dates.setdefault("0", None)
    unknown = frame.filter(pl.any_horizontal(~pl.col(times).is_in([*dates, "", "~"])))
    if len(unknown):
        raise InputError.of_many(
            [
                f"{path}:{line}: this time id is not in {time_ids}"
                for line in unknown[LINE].head(SHOWN_PROBLEMS)
            ],
            total=len(unknown),
        )
    return frame.with_columns(pl.col(times).replace(dates))


def _read_time_ids(path: Path) -> dict[str, str | None]:
    """Return the date of each time id, also of id 0; None for unknown."""
    table = _read_columns(path, (2,), "; a time is an id and a date")
    repeated = table.filter(pl.col("head").is_duplicated())
    if len(repeated):
        line, number = repeated[LINE][1], repeated["head"][1]
        raise InputError(f"{path}:{line}: id {number} is on several lines")
    texts = table["relation"]
    problems = parse_instants(text for text in texts if not is_unknown(text)).problems
    if problems:
        wrong = zip(table[LINE], texts, strict=True)
        raise InputError.of_many(
            [f"{path}:{line}: {problems[text]}" for line, text in wrong if text in problems]
        )
    known = [None if is_unknown(text) else text for text in texts]
    return dict(zip(table["head"], known, strict=True))


def _read_optional_names(path: Path, used: pl.Series) -> dict[str, str]:
    return _read_names(path, used.unique(maintain_order=True)) if path.exists() else {}


def _read_names(path: Path, used: pl.Series) -> dict[str, str]:
    """Return the name of each id. Ids are in the first or last column: where the facts' ids are."""
    lines = read_lines(path)
    separator = "\t" if "\t" in lines.first else " "
    parts = lines.text.str.splitn(separator, 2).struct
    first, rest = parts.field("field_0"), parts.field("field_1").fill_null("")
    last = lines.text.str.split(separator).list.last()
    for ids, names in ((first, rest), (last, lines.text.str.replace(r"\s*\d+$", ""))):
        if ids.str.contains(r"^\d+$").all() and used.is_in(ids.implode()).all():
            repeated = ids.filter(ids.is_duplicated())
            if len(repeated):
                raise InputError(f"{path}: id {repeated[0]} is on several lines")
            return dict(zip(ids, names, strict=True))
    wrong = ~(first.str.contains(r"^\d+$") | last.str.contains(r"^\d+$"))
    if wrong.any():
        number = lines.number.filter(wrong)[0]
        raise InputError(f"{path}:{number}: expected a whole number and a name, in either order")
    missing = used.filter(~used.is_in(first.implode()) & ~used.is_in(last.implode()))
    raise InputError(f"{path}: lacks ids that the facts use: {', '.join(missing.head(20))}")


def _read_pairs(folder: Path) -> tuple[pl.DataFrame, bool]:
    """Return the pairs of sup_* then ref_*, and whether the folder has both files."""
    for seeds, rest in (("sup_pairs", "ref_pairs"), ("sup_ent_ids", "ref_ent_ids")):
        if (folder / rest).exists():
            paths = [folder / name for name in (seeds, rest) if (folder / name).exists()]
            frames = []
            for path in paths:
                frame = _read_columns(path, (2,), "; a pair is a left and a right id")
                frame = frame.rename({"head": "left", "relation": "right"})
                _refuse_non_integers(path, frame, ("left", "right"))
                frames.append(frame.with_columns(pl.lit(str(path)).alias("path")))
            return pl.concat(frames), len(paths) == 2
    raise InputError(f"{folder}: has neither ref_pairs nor ref_ent_ids")


def _check_pairs(folder: Path, pairs: pl.DataFrame, left: Graph, right: Graph) -> None:
    known = pl.col("left").is_in(left.entities) & pl.col("right").is_in(right.entities)
    unknown = pairs.filter(~known)
    if len(unknown):
        raise InputError.of_many(
            [
                f"{row['path']}:{row[LINE]}: pair ({row['left']}, {row['right']}) names an "
                "entity that is not in its graph"
                for row in unknown.head(SHOWN_PROBLEMS).iter_rows(named=True)
            ],
            total=len(unknown),
        )
    for side in ("left", "right"):
        repeated = pairs.filter(pl.col(side).is_duplicated())
        if len(repeated):
            raise InputError(f"{folder}: {side} entity {repeated[side][0]} is in several pairs")


def _refuse_non_integers(path: Path, frame: pl.DataFrame, columns: tuple[str, ...]) -> None:
    wrong = frame.filter(~pl.all_horizontal(pl.col(columns).str.contains(r"^\d+$")))
    if wrong.is_empty():
        return
    problems = []
    for row in wrong.head(SHOWN_PROBLEMS).iter_rows(named=True):
        name = next(c for c in columns if not (row[c] or "").isdecimal())
        problems.append(f"{path}:{row[LINE]}: {name} must be a whole number; found {row[name]!r}")
    raise InputError.of_many(problems, total=len(wrong))
