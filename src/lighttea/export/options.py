"""The settings of an export, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Unpack, get_args

from lighttea.config import (
    check_choice,
    declared_settings,
    option,
    problems_of,
    refuse_unknown,
)
from lighttea.errors import ConfigError
from lighttea.export.iris import is_iri
from lighttea.export.keywords import ExportSettings

ExportFormat = Literal["tsv", "parquet", "jsonl", "sameas", "sssom", "fused"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

ASSERTED_FROM = 0.5  # formats that assert a link, rather than list it with its confidence
_ASSERTING = ("sameas", "sssom", "fused")


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """Thresholds, namespaces and the metadata of SSSOM."""

    min_confidence: float | None = option(
        None,
        "leave out links below this confidence; by default tables hold all links, and sameas, "
        f"sssom and fused those from {ASSERTED_FROM} on",
        low=0,
        high=1,
    )
    max_fdr: float = option(
        1.0,
        "keep the surest links up to this expected share of wrong ones; 1: keep all",
        low=0,
        high=1,
    )
    sure_confidence: float = option(
        0.9, "links from this confidence on are owl:sameAs, others skos:closeMatch", low=0, high=1
    )
    links_only: bool = option(
        False, "leave out the seeds, which are otherwise links of confidence 1"
    )
    spreadsheet_safe: bool = option(
        False,
        "for tsv that is opened as a spreadsheet: put an apostrophe before texts that would be "
        "formulas; without it ids are exact",
    )
    left_namespace: str = option(
        "https://example.org/left/", "prefix of left ids that are not IRIs"
    )
    right_namespace: str = option(
        "https://example.org/right/", "prefix of right ids that are not IRIs"
    )
    namespace: str = option(
        "https://example.org/",
        "for clusters: prefix of ids that are not IRIs; the graph's name follows",
    )
    fused_namespace: str = option(
        "https://example.org/fused/",
        "prefix of the graphs and statements of a fused graph in N-Quads",
    )
    license: str = option(
        "https://w3id.org/sssom/license/unspecified", "licence of an SSSOM mapping set, an IRI"
    )
    mapping_set_id: str | None = option(
        None, "IRI of an SSSOM mapping set; by default made from its content"
    )

    def __post_init__(self) -> None:
        problems = problems_of(self)
        iris = (
            *("left_namespace", "right_namespace", "namespace", "fused_namespace", "license"),
            "mapping_set_id",
        )
        problems += [
            f"{name} must be an absolute IRI, such as https://example.org/x/; got {value!r}"
            for name in iris
            if isinstance(value := getattr(self, name), str) and not is_iri(value)
        ]
        if not problems and self.left_namespace == self.right_namespace:
            problems = [
                "`left_namespace` and `right_namespace` must differ, or ids of the two "
                "graphs would mix"
            ]
        if problems:
            raise ConfigError("\n".join(problems))

    def check_format(self, form: ExportFormat) -> None:
        """Raise a ConfigError where an option does not go with a format."""
        if self.spreadsheet_safe and form != "tsv":
            raise ConfigError(f"spreadsheet_safe goes with the format tsv alone; got {form}")

    def lowest_confidence(self, form: ExportFormat) -> float:
        """Return the lowest confidence of a link that is exported in this format."""
        if self.min_confidence is not None:
            return self.min_confidence
        return ASSERTED_FROM if form in _ASSERTING else 0.0


def make_export_options(**settings: Unpack[ExportSettings]) -> ExportOptions:
    """Return the options; None leaves one as it is. A misspelt name is an error."""
    refuse_unknown(settings, declared_settings(ExportOptions))
    given: dict[str, Any] = {n: value for n, value in settings.items() if value is not None}
    return ExportOptions(**given)


def refuse_unknown_format(form: str) -> None:
    """Raise a ConfigError that says which formats there are."""
    check_choice("format", form, FORMATS)
