"""Links from RDF: owl:sameAs and SKOS matches."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.io.frames import LINE, frame_of_graph
from lighttea.io.rdf.read import read_rdf

_SKOS = "http://www.w3.org/2004/02/skos/core#"
_LINKS = ("http://www.w3.org/2002/07/owl#sameAs", f"{_SKOS}exactMatch", f"{_SKOS}closeMatch")


def read_rdf_links(path: Path, form: str) -> pl.DataFrame:
    """Return left, right and number of each link of a file in RDF; wrong lines stop."""
    facts = frame_of_graph(read_rdf(path, form, strict=True, nary=False))
    links = facts.filter(pl.col("relation").is_in(_LINKS))
    if links.is_empty():
        raise InputError(
            f"{path}: no links; found {len(facts):,} facts; expected owl:sameAs, skos:exactMatch "
            "or skos:closeMatch between a left and a right entity"
        )
    return (
        links.select(left="head", right="tail")
        .with_row_index(LINE, offset=1)
        .select("left", "right", LINE)
    )
