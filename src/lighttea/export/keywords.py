"""The fields of `ExportOptions` as keywords. Made by `make keywords`."""

from __future__ import annotations

from typing import TypedDict


class ExportSettings(TypedDict, total=False):
    """The fields of `ExportOptions`; left out or None: the default."""

    min_confidence: float | None
    """Leave out links below this; without it tables hold all links, and sameas, sssom and fused
    those from 0.5 on"""
    max_fdr: float | None
    """Keep the surest links, up to this expected share of wrong ones; 1 keeps all [default: 1]"""
    sure_confidence: float | None
    """A link from here on is owl:sameAs, one below skos:closeMatch [default: 0.9]"""
    links_only: bool | None
    """Leave out the seeds, which count as links of confidence 1 [default: off]"""
    left_namespace: str | None
    """Put before ids of the left graph that are no IRIs [default: https://example.org/left/]"""
    right_namespace: str | None
    """Put before ids of the right graph that are no IRIs [default: https://example.org/right/]"""
    fused_namespace: str | None
    """Of the graphs and statements of a fused graph in N-Quads [default:
    https://example.org/fused/]"""
    license: str | None
    """Licence of an SSSOM mapping set, an IRI [default:
    https://w3id.org/sssom/license/unspecified]"""
    mapping_set_id: str | None
    """IRI of an SSSOM mapping set; without it one is made from its content"""
