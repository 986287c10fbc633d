"""Tables of facts: one row, one fact, or one literal where it has a value and no tail."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.descriptions.model import TIMES, FactRoles, SourceDescription
from lighttea.io.descriptions.roles import RoleColumns, names_by_id
from lighttea.io.descriptions.rows import Rows
from lighttea.io.frames import LINE, graph_of_frame

_IDS = ("head", "relation", "tail")


def graph_of_facts(rows: Rows, source: SourceDescription, roles: FactRoles) -> Graph:
    """Return the graph of a table of facts.

    Rows without a head, a relation or a tail are left out and counted in the notes.
    """
    columns = RoleColumns(rows, source)
    frame = pl.DataFrame({LINE: rows.lines, **_role_columns(columns, roles)})
    frame = frame.with_columns(
        columns.shown_names(own).alias(f"name of {role}") for role, own in roles.names.items()
    )
    columns.problems.check()
    frame, notes = _without_gaps(_one_row_each(frame, source), roles)
    graph = graph_of_frame(
        frame, source=rows.where, digest=rows.digest, notes=(*columns.notes(), *notes)
    )
    names = {role: names_by_id(frame[role], frame[f"name of {role}"]) for role in roles.names}
    return replace(
        graph,
        entity_names={**names.get("tail", {}), **names.get("head", {})},
        relation_names=names.get("relation", {}),
    )


def _role_columns(columns: RoleColumns, roles: FactRoles) -> dict[str, pl.Series]:
    """Return the column of each role: texts or lists of texts."""
    made: dict[str, pl.Series] = {}
    for role, cell in roles.cells.items():
        if role in TIMES:
            made[role] = columns.time(cell, role)
        else:
            texts = columns.texts(cell.column) if cell.column else columns.constant(cell.constant)
            made[role] = columns.ids(texts, cell.column, role) if role in _IDS else texts
    if "value" in made and "datatype" not in made and (column := roles.cells["value"].column):
        made["datatype"] = columns.constant(columns.datatype(column) or None)
    return made


def _one_row_each(frame: pl.DataFrame, source: SourceDescription) -> pl.DataFrame:
    """Return a row for each member of a list; only one column may hold lists."""
    lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    if len(lists) > 1:
        raise InputError(
            f"{source.place(lists[1])}: {' and '.join(lists)} both hold several values in a row, "
            "and which belong together is unknown: name the list with each, or write two sources"
        )
    return frame.explode(lists) if lists else frame


def _without_gaps(frame: pl.DataFrame, roles: FactRoles) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the rows with a head, a relation and a tail or a value, and notes on the others."""
    last = [pl.col(role) for role in ("tail", "value") if role in roles.cells]
    present = {
        "head": pl.col("head").is_not_null(),
        "relation": pl.col("relation").is_not_null(),
        "tail" if "tail" in roles.cells else "value": pl.any_horizontal(
            column.is_not_null() for column in last
        ),
    }
    notes = []
    for role, is_there in present.items():
        kept = frame.filter(is_there)
        if n_left_out := len(frame) - len(kept):
            column = roles.cells[role].column
            notes.append(f"{n_left_out:,} rows without {column or role} ({role}) left out")
        frame = kept
    return frame, tuple(notes)
