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
from lighttea.export.links import SEED, mark_identities
from lighttea.export.options import ExportOptions

# justification of a mapping: by facts, by facts and literals, or given as a seed
_STRUCTURAL, _COMPOSITE = "semapv:StructuralMatching", "semapv:CompositeMatching"
_UNSPECIFIED = "semapv:UnspecifiedMatching"


def write_sssom(
    links: pl.DataFrame, path: Path, options: ExportOptions, info: dict[str, Any]
) -> None:
    """Write the mapping set of a run's links."""
    curies = Curies(Namespaces(options.left_namespace, options.right_namespace))
    justification = _COMPOSITE if info.get("config", {}).get("literals") else _STRUCTURAL
    mappings = _mappings(links, curies, options, justification)
    table = mappings.write_csv(separator="\t", quote_style="necessary")
    version = info["versions"]["lighttea"]
    metadata = {
        "mapping_set_id": options.mapping_set_id or _content_id(table),
        "mapping_set_description": f"Links by lighttea; owl:sameAs from confidence "
        f"{options.sure_confidence:g} on, skos:closeMatch from "
        f"{options.lowest_confidence('sssom'):g} on",
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
    sure = mark_identities(links, options.sure_confidence)
    same, close = curies.of((OWL_SAME_AS, SKOS_CLOSE_MATCH))
    curies.of(namespace + "x" for namespace, name in PREFIXES.items() if name == "semapv")
    ids = {
        side: curies.of(namespaces.entity(side, name) for name in links[side])
        for side in ("left", "right")
    }
    return links.select(
        subject_id=pl.Series(ids["left"], dtype=pl.String),
        subject_label="left_name",
        predicate_id=pl.when(sure).then(pl.lit(same)).otherwise(pl.lit(close)),
        object_id=pl.Series(ids["right"], dtype=pl.String),
        object_label="right_name",
        mapping_justification=pl.when(pl.col("origin") == SEED)
        .then(pl.lit(_UNSPECIFIED))
        .otherwise(pl.lit(justification)),
        confidence=pl.col("confidence").cast(pl.Float64).round(6),
        other=pl.format("fdr: {}", pl.col("fdr").cast(pl.Float64).round(6)),
    )


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
