"""SSSOM: the Simple Standard for Sharing Ontological Mappings, as TSV with a metadata block.

https://mapping-commons.github.io/sssom/
"""

from __future__ import annotations

import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.export.iris import OWL_SAME_AS, PREFIXES, SKOS_CLOSE_MATCH, Curies, Namespaces
from lighttea.export.links import LINK, SEED, mark_identities
from lighttea.export.options import ExportOptions

# justification of a mapping: by facts, by facts and literals, given as a seed, or by a reviewer
_STRUCTURAL, _COMPOSITE = "semapv:StructuralMatching", "semapv:CompositeMatching"
_UNSPECIFIED, _MANUAL = "semapv:UnspecifiedMatching", "semapv:ManualMappingCuration"
_VERSION = "1.1"  # of the standard, the first with a date of review
_REVIEW_SLOTS = (
    *("predicate_modifier", "author_label", "mapping_date", "reviewer_label", "review_date"),
)


def write_sssom(
    links: pl.DataFrame,
    path: Path,
    options: ExportOptions,
    info: dict[str, Any],
    *,
    n_replaced: int = 0,
) -> None:
    """Write the mapping set of a run's links; `n_replaced` were left out after a review."""
    curies = Curies(Namespaces(options.left_namespace, options.right_namespace))
    justification = _COMPOSITE if info.get("config", {}).get("literals") else _STRUCTURAL
    mappings = _mappings(links, curies, options, justification)
    table = mappings.write_csv(separator="\t", quote_style="necessary")
    version = info["versions"]["lighttea"]
    reviewed = {"sssom_version": _VERSION} if _has_reviews(links) else {}
    metadata = {
        **reviewed,
        "mapping_set_id": options.mapping_set_id or _content_id(table),
        "mapping_set_description": f"Links by lighttea; owl:sameAs from confidence "
        f"{options.sure_confidence:g} on, skos:closeMatch from "
        f"{options.lowest_confidence('sssom'):g} on" + _replaced_words(n_replaced),
        "license": options.license,
        "mapping_tool": "lighttea",
        "mapping_tool_version": version,
        "curie_map": {prefix: curies.used[prefix] for prefix in sorted(curies.used)},
    }
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"#{line}\n" for line in _yaml_lines(metadata))
        file.write(table)


def _mappings(
    links: pl.DataFrame, curies: Curies, options: ExportOptions, justification: str
) -> pl.DataFrame:
    namespaces = Namespaces(options.left_namespace, options.right_namespace)
    is_accepted, is_rejected = (
        pl.col("verdict").fill_null("") == word for word in ("accept", "reject")
    )
    is_manual = is_rejected | is_accepted & (pl.col("origin") != LINK)
    confidence = pl.col("confidence").cast(pl.Float64).round(6)
    sure = mark_identities(links, options.sure_confidence) | links["verdict"].is_not_null()
    same, close = curies.of((OWL_SAME_AS, SKOS_CLOSE_MATCH))
    curies.of(namespace + "x" for namespace, name in PREFIXES.items() if name == "semapv")
    ids = {
        side: curies.of(namespaces.entity(side, name) for name in links[side])
        for side in ("left", "right")
    }
    table = links.select(
        subject_id=pl.Series(ids["left"], dtype=pl.String),
        subject_label="left_name",
        predicate_id=pl.when(sure).then(pl.lit(same)).otherwise(pl.lit(close)),
        object_id=pl.Series(ids["right"], dtype=pl.String),
        object_label="right_name",
        mapping_justification=pl.when(is_manual)
        .then(pl.lit(_MANUAL))
        .when(pl.col("origin") == SEED)
        .then(pl.lit(_UNSPECIFIED))
        .otherwise(pl.lit(justification)),
        confidence=pl.when(~is_rejected).then(confidence),
        other=pl.when(~is_rejected).then(
            pl.format("fdr: {}", pl.col("fdr").cast(pl.Float64).round(6))
        ),
        predicate_modifier=pl.when(is_rejected).then(pl.lit("Not")),
        **_review_columns(is_manual),
    )
    return table if _has_reviews(links) else table.drop(_REVIEW_SLOTS)


def _review_columns(is_manual: pl.Expr) -> dict[str, pl.Expr]:
    """Return who asserted a mapping and when, or who reviewed a link of the run and when.

    A date of review is written with a name alone, as the standard asks for.
    """
    name = pl.when(pl.col("reviewer") != "").then(
        pl.col("reviewer").str.replace_all("|", "/", literal=True)  # a bar divides two names
    )
    day = pl.col("reviewed")
    return {
        "author_label": pl.when(is_manual).then(name),
        "mapping_date": pl.when(is_manual).then(day),
        "reviewer_label": pl.when(~is_manual).then(name),
        "review_date": pl.when(~is_manual & name.is_not_null()).then(day),
    }


def _replaced_words(n_replaced: int) -> str:
    """Return how many links of the run are not there because a reviewer chose another pair."""
    return f"; {n_replaced:,} left out, where a reviewer chose another pair" * bool(n_replaced)


def _has_reviews(links: pl.DataFrame) -> bool:
    return links["verdict"].null_count() < len(links)


def _content_id(table: str) -> str:
    """Return an id made of the content: equal links have the same id.

    Its namespace is the one of sssom-py for sets without id, which takes urn:uuid: for a CURIE.
    """
    digest = hashlib.sha256(table.encode()).hexdigest()
    return f"https://w3id.org/sssom/mappings/{uuid.uuid5(uuid.NAMESPACE_OID, digest)}"


def _yaml_lines(metadata: dict[str, Any]) -> list[str]:
    """Return the metadata as lines of YAML; strings are written as in JSON."""
    lines = []
    for key, value in metadata.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {name}: {json.dumps(text)}" for name, text in value.items()]
        else:
            lines.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return lines
