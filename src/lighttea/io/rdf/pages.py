"""Pages of wikis in Wikidata's RDF: most of its triples link entities to articles about them."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from lighttea.graph.timeline import UNKNOWN
from lighttea.io.rdf.collect import Collector
from lighttea.types import Bools

_SCHEMA = ("http://schema.org/", "https://schema.org/")
_ENTITY = re.compile(r"/entity/[A-Z]\d+$")


def leave_out_pages(collected: Collector) -> None:
    """Take the triples about pages of wikis out of the collected tables, and count them.

    A page is about an entity of a Wikibase and part of the site that its address begins with.
    """
    facts = collected.table("facts")
    pages = _find_pages(collected, facts)
    if pages is None:
        collected.put("facts", facts)
        return
    about_pages = pages[facts["head"].to_numpy()] | pages[facts["tail"].to_numpy()]
    collected.put("facts", facts.filter(~about_pages))
    literals = collected.table("literals")
    of_pages = pages[literals["head"].to_numpy()]
    collected.put("literals", literals.filter(~of_pages))
    collected.counts["sitelinks"] = int(about_pages.sum()) + int(of_pages.sum())


def _find_pages(collected: Collector, facts: pl.DataFrame) -> Bools | None:
    """Return which nodes are pages; None where there are none."""
    about, part_of = (_with_predicate(collected, facts, name) for name in ("about", "isPartOf"))
    both = about.join(part_of, on="head", suffix="_site")
    if both.is_empty():
        return None
    names = list(collected.nodes)
    pages = np.zeros(len(names), bool)
    for page, entity, site in both.unique().iter_rows():
        if _ENTITY.search(names[entity]) and names[page].startswith(names[site]):
            pages[page] = True
    return pages if pages.any() else None


def _with_predicate(collected: Collector, facts: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return head and tail of the facts with a predicate of schema.org."""
    numbers = [collected.predicates.get(f"{space}{name}", UNKNOWN) for space in _SCHEMA]
    return facts.filter(pl.col("relation").is_in(numbers)).select("head", "tail")
