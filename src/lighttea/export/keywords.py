"""The fields of `ExportOptions` as keywords. Made by `make keywords`."""

from __future__ import annotations

from typing import TypedDict


class ExportSettings(TypedDict, total=False):
    """The fields of `ExportOptions`; left out or None: the default."""

    min_confidence: float | None
    """Leave out links below this confidence; by default tables hold all links, and sameas, sssom
    and fused those from 0.5 on"""
    max_fdr: float | None
    """Keep the surest links up to this expected share of wrong ones; 1: keep all [default: 1]"""
    sure_confidence: float | None
    """Links from this confidence on are owl:sameAs, others skos:closeMatch [default: 0.9]"""
    links_only: bool | None
    """Leave out the seeds, which are otherwise links of confidence 1 [default: off]"""
    spreadsheet_safe: bool | None
    """For tsv that is opened as a spreadsheet: put an apostrophe before texts that would be
    formulas; without it ids are exact [default: off]"""
    left_namespace: str | None
    """Prefix of left ids that are not IRIs [default: https://example.org/left/]"""
    right_namespace: str | None
    """Prefix of right ids that are not IRIs [default: https://example.org/right/]"""
    namespace: str | None
    """For clusters: prefix of ids that are not IRIs; the graph's name follows [default:
    https://example.org/]"""
    fused_namespace: str | None
    """Prefix of the graphs and statements of a fused graph in N-Quads [default:
    https://example.org/fused/]"""
    license: str | None
    """Licence of an SSSOM mapping set, an IRI [default:
    https://w3id.org/sssom/license/unspecified]"""
    mapping_set_id: str | None
    """IRI of an SSSOM mapping set; by default made from its content"""
