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
from lighttea.export.links import SEED, is_sure
from lighttea.export.options import ExportOptions

# how a pair came to be: by the facts of both graphs, by names too, or given without a word on it
_BY_FACTS, _BY_NAMES_TOO = "semapv:StructuralMatching", "semapv:CompositeMatching"
_GIVEN = "semapv:UnspecifiedMatching"


def write_sssom(
    links: pl.DataFrame, path: Path, options: ExportOptions, info: dict[str, Any]
) -> None:
    """The mapping set of a run's links."""
    curies = Curies(Namespaces(options.left_namespace, options.right_namespace))
    found = _BY_NAMES_TOO if info.get("config", {}).get("names") else _BY_FACTS
    mappings = _mappings(links, curies, options, found)
    table = mappings.write_csv(separator="\t", quote_style="necessary")
    version = info["versions"]["lighttea"]
    metadata = {
        "mapping_set_id": options.mapping_set_id or _made_up_id(table),
        "mapping_set_description": f"Links by lighttea; owl:sameAs from confidence "
        f"{options.sure_confidence:g} on, skos:closeMatch from "
        f"{options.lowest_confidence('sssom'):g} on",
        "license": options.license,
        "mapping_tool": "lighttea",
        "mapping_tool_version": version,
        "curie_map": {prefix: curies.used[prefix] for prefix in sorted(curies.used)},
    }
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"#{line}\n" for line in _yaml(metadata))
        file.write(table)


def _mappings(
    links: pl.DataFrame, curies: Curies, options: ExportOptions, found: str
) -> pl.DataFrame:
    namespaces = Namespaces(options.left_namespace, options.right_namespace)
    sure = is_sure(links, options.sure_confidence)
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
        .then(pl.lit(_GIVEN))
        .otherwise(pl.lit(found)),
        confidence=pl.col("confidence").cast(pl.Float64).round(6),
    )


def _made_up_id(table: str) -> str:
    """The same links have the same id, other links another one.

    In the namespace that sssom-py uses for sets without an id: it takes urn:uuid: for a CURIE.
    """
    digest = hashlib.sha256(table.encode()).hexdigest()
    return f"https://w3id.org/sssom/mappings/{uuid.uuid5(uuid.NAMESPACE_OID, digest)}"


def _yaml(metadata: dict[str, Any]) -> list[str]:
    """YAML, whose strings may be written as in JSON."""
    lines = []
    for key, value in metadata.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {name}: {json.dumps(text)}" for name, text in value.items()]
        else:
            lines.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return lines
