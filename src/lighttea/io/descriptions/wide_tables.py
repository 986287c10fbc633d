"""Wide tables: one row, one entity; its columns are attributes, links and dates of the entity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from lighttea.graph.facts import Graph
from lighttea.io.descriptions.model import EntityRoles, SourceDescription
from lighttea.io.descriptions.roles import RoleColumns, names_by_id
from lighttea.io.descriptions.rows import Rows
from lighttea.io.frames import LINE, graph_of_frame

NAME = "name"  # the attribute that one readable name becomes
_SCHEMA = {
    LINE: pl.Int64,
    **dict.fromkeys(("head", "relation", "tail", "value", "datatype"), pl.String),
    **dict.fromkeys(("time", "begin", "end"), pl.String),
}


def graph_of_entities(rows: Rows, source: SourceDescription, roles: EntityRoles) -> Graph:
    """Return the graph of a wide table; every entity of it is in the graph.

    Rows without an entity are left out and counted in the notes.
    """
    columns = RoleColumns(rows, source)
    texts = columns.plain_texts(roles.entity, "entity")
    entity = columns.ids(texts, roles.entity, "entity")
    base = pl.DataFrame({LINE: rows.lines.cast(pl.Int64), "head": entity})
    parts = [pl.DataFrame(schema=_SCHEMA), *_parts(columns, base, roles)]
    columns.problems.check()
    graph = graph_of_frame(
        pl.concat(parts, how="diagonal"),
        source=rows.where,
        digest=rows.digest,
        entities=entity.drop_nulls().unique(maintain_order=True).to_list(),
        notes=(*columns.notes(), *_note_gaps(entity, roles)),
    )
    names = names_by_id(entity, columns.shown_names(roles.names)) if roles.names else {}
    return replace(graph, entity_names=names)


def _parts(columns: RoleColumns, base: pl.DataFrame, roles: EntityRoles) -> Iterator[pl.DataFrame]:
    """Yield facts and literals of each column."""
    if roles.names and NAME not in roles.attributes.values():
        yield _part(columns, base, roles, NAME, "value", columns.shown_names(roles.names))
    for column, name in roles.attributes.items():
        part = _part(columns, base, roles, name, "value", columns.texts(column))
        yield part.with_columns(datatype=pl.lit(columns.datatype(column) or None, pl.String))
    for column, name in roles.links.items():
        ids = columns.ids(columns.texts(column), column, column)
        yield _part(columns, base, roles, name, "tail", ids)
    for column, name in roles.dates.items():
        dated = base.with_columns(
            relation=pl.lit(name), tail=pl.col("head"), time=columns.times(column, "dates")
        )
        yield dated.drop_nulls(["head", "time"])


def _part(
    columns: RoleColumns,
    base: pl.DataFrame,
    roles: EntityRoles,
    name: str,
    role: str,
    texts: pl.Series,
) -> pl.DataFrame:
    """Return the rows of one relation or attribute, with the times that are told for it."""
    times = [
        columns.time(cells[name], key).alias(key)
        for key, cells in roles.times.items()
        if name in cells
    ]
    part = base.with_columns(pl.lit(name).alias("relation"), texts.alias(role), *times)
    whole = part.explode(role) if isinstance(texts.dtype, pl.List) else part
    return whole.drop_nulls(["head", role])


def _note_gaps(entity: pl.Series, roles: EntityRoles) -> tuple[str, ...]:
    n_without = entity.null_count()
    return (f"{n_without:,} rows without {roles.entity} (entity) left out",) * bool(n_without)
