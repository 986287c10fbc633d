"""N-Triples: owl:sameAs for confident links, skos:closeMatch for the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from lighttea.export.iris import OWL_SAME_AS, RDFS_LABEL, SKOS_CLOSE_MATCH, Namespaces
from lighttea.export.links import mark_identities
from lighttea.export.options import ExportOptions


def write_sameas(links: pl.DataFrame, path: Path, options: ExportOptions) -> None:
    """Write one triple for each link, and the labels of the entities that have one."""
    lowest = options.lowest_confidence("sameas")
    fdr = f", fdr up to {options.max_fdr:g}" if options.max_fdr < 1 else ""
    with path.open("wb") as file:
        file.write(
            f"# owl:sameAs from confidence {options.sure_confidence:g} on, skos:closeMatch from "
            f"{lowest:g} on{fdr}; made by lighttea\n".encode()
        )
        serialize(link_triples(links, options), file, format=RdfFormat.N_TRIPLES)


def link_triples(links: pl.DataFrame, options: ExportOptions) -> Iterator[Triple]:
    """Yield a triple for each link, and the labels of the entities that have one."""
    namespaces = Namespaces(options.left_namespace, options.right_namespace)
    same, close, label = map(NamedNode, (OWL_SAME_AS, SKOS_CLOSE_MATCH, RDFS_LABEL))
    sure = mark_identities(links, options.sure_confidence)
    for left, right, is_same in zip(links["left"], links["right"], sure, strict=True):
        ends = (namespaces.entity("left", left), namespaces.entity("right", right))
        yield Triple(NamedNode(ends[0]), same if is_same else close, NamedNode(ends[1]))
    for side in ("left", "right"):
        named = links.select(side, f"{side}_name").drop_nulls().unique(maintain_order=True)
        for name, text in named.rows():
            yield Triple(NamedNode(namespaces.entity(side, name)), label, Literal(text))
