"""A small run made by hand: ids of every kind, names, matched and turned relations, times."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lighttea.assign.fdr import false_discovery_rates
from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from tests.worlds import fact_frame

EINSTEIN = "http://www.wikidata.org/entity/Q937"
SIZES = {"entities": 5, "relations": 3, "facts": 5}
INFO: dict[str, Any] = {
    "format": 1,
    "versions": {"lighttea": "0.1.0"},
    "seeds": 1,
    "input": {
        "left": {"source": "left.ttl", "digest": "sha256:1", **SIZES},
        "right": {"source": "right.csv", "digest": "", **SIZES},
    },
    "preset": "best",
    "config": {},
    "links": 3,
    "warnings": [],
    "rounds": [
        {"seeds": 1, "left_with_candidates": 3, "promoted": 0, "sinkhorn_marginal_gap": 0.0}
    ],
    "seconds": {},
    "peak_mb": {},
    "peak_rss_mb": 1.0,
}


def links_frame(*rows: tuple[str, str, float]) -> pl.DataFrame:
    schema = {"left": pl.String, "right": pl.String, "confidence": pl.Float32}
    return pl.DataFrame(list(rows), schema=schema, orient="row").select(
        "left",
        "right",
        pl.lit(0.5, pl.Float32).alias("score"),
        "confidence",
        pl.lit(0.25, pl.Float32).alias("margin"),
        pl.Series("fdr", false_discovery_rates(np.array([row[2] for row in rows], np.float32))),
    )


def made_run(*links: tuple[str, str, float]) -> Run:
    """Left speaks in IRIs, a blank node and a name with odd characters; right in plain ids."""
    names = dict.fromkeys(("kind", "id", "name"), pl.String)
    return Run(
        links=links_frame(
            *(
                links
                or (
                    (EINSTEIN, "a 1", 0.95),
                    ("_:b0", "2", 0.6),
                    ('Ballon d"Or\\<é>', "3", 0.3),
                )
            )
        ),
        candidates=empty_table("candidates"),
        relations=pl.DataFrame(
            {
                "left": ["won", "memberOf", "won"],
                "right": ["award received", "has member", "nominated for"],
                "inverse": [False, True, False],
                "shared": [9, 5, 4],
                "agreement": [0.9, 0.8, 0.4],
            }
        ),
        evidence_links=pl.DataFrame({"left": ["prize"], "right": ["1"]}),
        seeds=pl.DataFrame({"left": ["prize"], "right": ["1"]}),
        facts_left=fact_frame(
            (EINSTEIN, "won", "prize", "1921", "1921"),
            (EINSTEIN, "won", "_:b0", "1925", "1925"),
            (EINSTEIN, "memberOf", "_:b0", "1913-11-12", None),
            ('Ballon d"Or\\<é>', "won", "prize", None, None),
        ),
        facts_right=fact_frame(
            ("a 1", "award received", "1", "1922", "1922"),
            ("a 1", "award received", "2", "1925-11-30", "1925-11-30"),
            ("2", "has member", "a 1", "1913", "1933"),
            ("a 1", "nominated for", "1", "1910", "1910"),
            ("3", "award received", "1", "1999", "1999"),
        ),
        info=INFO,
        names_left=pl.DataFrame(
            [("entity", EINSTEIN, "Albert\tEinstein"), ("relation", "won", "has won")],
            schema=names,
            orient="row",
        ),
        names_right=pl.DataFrame(
            [("entity", "a 1", 'Einstein, "A."'), ("entity", "1", "Nobel Prize")],
            schema=names,
            orient="row",
        ),
    )
