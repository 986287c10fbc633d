"""The configuration: every default lives here once, with its bounds and its help text.

Command-line options, `align`'s keywords and the documentation are generated from, or checked
against, the fields of `Config`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from lighttea.display import Displayed, html_table, shorten
from lighttea.errors import ConfigError
from lighttea.settings import field_types, option, problems_of, words_of

ADAPTABLE = ("alpha", "beta", "consensus", "dim", "temperature", "threshold")


@dataclass(frozen=True, kw_only=True, repr=False)
class Config(Displayed):
    """One alignment's settings; the defaults are the paper's text (`preset="paper"`)."""

    alpha: float = option(
        0.5, "weight of the temporal aspect against the relational one (eq. 7)", low=0, high=1
    )
    beta: float = option(
        0.4, "weight of the time similarity against the label similarity (eq. 9)", low=0, high=1
    )
    dim: int = option(512, "width of a label, the paper's d", low=1, high=65536)
    depth: int = option(2, "rounds of label propagation, the paper's n (eq. 1-6)", low=1, high=16)
    sketch_factor: int = option(
        2, "width of the last hop's sketch per aspect, in multiples of dim", low=1, high=64
    )
    top_k: int = option(500, "candidates searched for each left entity", low=1)
    search: str = option(
        "auto",
        "how candidates are searched: exact, approximate, or auto: exact up to 50,000 x 50,000",
        choices=("auto", "exact", "approximate"),
    )
    temperature: float = option(0.05, "temperature t of the Sinkhorn operator (eq. 12)", above=0)
    iterations: int = option(15, "iterations m of the Sinkhorn operator (eq. 11)", low=1)
    threshold: float = option(
        0.8, "a best candidate with a value above this joins the seeds", low=0, high=1
    )
    evened: bool = option(
        False, "even out the principal directions of the labels before they are compared"
    )
    consensus: float = option(
        0.0, "weight of what the links so far say, against labels and times", low=0, high=1
    )
    passes: int = option(1, "times that consensus is taken in a round", low=1)
    suggestions: int = option(
        0, "candidates of each left entity that shared rare evidence suggests", low=0
    )
    relation_evidence: bool = option(True, "consensus looks at relations that say the same")
    joint_evidence: bool = option(True, "consensus looks at neighbours together with their time")
    time_evidence: bool = option(True, "consensus looks at times without a neighbour")
    grains: bool = option(False, "a day also counts as its month and its year where that helps")
    bootstrap: bool = option(
        False, "begin with pairs that evidence alone makes sure, beside the seeds"
    )
    names: bool = option(False, "names of entities count as evidence too (with consensus)")
    rebuild: bool = option(False, "choose the pairs that join the seeds anew in every round")
    convergence: float = option(
        0.0, "stop when a smaller share of the joined pairs changes; 0 never stops", low=0, high=1
    )
    calibrated: bool = option(
        False, "estimate how likely each link is right, and that an entity has no counterpart"
    )
    adapt: str = option(
        "",
        "settings that the data choose: alpha, beta, consensus, dim, temperature, threshold, with "
        "commas; one that you set yourself stays as you set it",
        choices=ADAPTABLE,
        several=True,
    )
    min_confidence: float = option(
        0.0, "leave out links with less confidence than this", low=0, high=1
    )
    rounds: int = option(3, "rounds of temporal iterative learning; 1 is supervised", low=1)
    temporal_propagation: bool = option(True, "propagate labels along time (the paper's TLP)")
    temporal_constraint: bool = option(True, "blend in the time similarity (the paper's TC)")
    sinkhorn: bool = option(True, "assign with the Sinkhorn operator (the paper's SO)")
    random_seed: int = option(0, "number that starts the random generator", low=0)
    threads: int = option(0, "threads to use; 0 means all cores", low=0)
    max_memory: float = option(
        0.0, "GiB of memory to stay within; 0 means 80 % of what is free", low=0
    )

    def __post_init__(self) -> None:
        problems = problems_of(self)
        if not problems and self.names and not self.consensus:
            problems = ["names are a part of consensus, whose weight is 0; use the preset best"]
        if problems:
            raise ConfigError("\n".join(problems))

    def _summary(self) -> str:
        changed = {
            f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default
        }
        return shorten(", ".join(f"{name}={value!r}" for name, value in changed.items()), 250)

    def _tables(self) -> list[str]:
        rows = [(f.name, repr(getattr(self, f.name)), f.metadata["help"]) for f in fields(self)]
        return [html_table(("setting", "value", "meaning"), rows)]

    def without_time(self) -> Config:
        """The same settings with the temporal aspect and the time similarity off."""
        return replace(self, temporal_propagation=False, temporal_constraint=False)

    @property
    def adapted(self) -> frozenset[str]:
        """The settings that the data choose."""
        return frozenset(words_of(self.adapt))

    @property
    def temporal_weight(self) -> float:
        """alpha, or 0 where temporal propagation is switched off."""
        return self.alpha if self.temporal_propagation else 0.0

    @property
    def uses_time(self) -> bool:
        """Whether any part of the method looks at time."""
        return self.temporal_weight > 0 or self.time_weight > 0

    @property
    def time_weight(self) -> float:
        """beta, or 0 where the temporal constraint is switched off."""
        return self.beta if self.temporal_constraint else 0.0


@dataclass(frozen=True, kw_only=True)
class LinkRules:
    """How many links an entity may have, and how sure they have to be."""

    many_to_one: bool = option(False, "several left entities may link to one right entity")
    top_n: int = option(
        0, "link each left entity to its best N candidates; 0: to one, which is then taken", low=0
    )

    def __post_init__(self) -> None:
        if problems := problems_of(self):
            raise ConfigError("\n".join(problems))


PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "paper": {},
        "best": {  # docs/decisions/accuracy.md
            "beta": 0.17,
            "top_k": 100,
            "temperature": 0.017,
            "grains": True,
            "evened": True,
            "consensus": 0.6,
            "passes": 3,
            "suggestions": 50,
            "bootstrap": True,
            "rebuild": True,
            "convergence": 0.01,
            "rounds": 4,
            "calibrated": True,
            "adapt": ", ".join(ADAPTABLE),
            "min_confidence": 0.5,
        },
    }
)
DEFAULT_PRESET = "best"

# LightEA knows no time and was published with its own settings; the paper's LightEA rows come
# from that code, so the method is run as its authors did.
METHODS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "lighttea": {},
        "lightea": {
            "alpha": 0.0,
            "beta": 0.0,
            "dim": 1024,
            "sketch_factor": 8,
            "temperature": 0.02,
            "threshold": 0.5,
        },
    }
)

FIELD_TYPES = field_types(Config)


def make_config(
    preset: str = DEFAULT_PRESET, *, method: str = "lighttea", **overrides: Any
) -> Config:
    """A preset, then a method, then the overrides (None means: not set)."""
    given = dict(_known(METHODS, "method", method))
    for name, value in overrides.items():
        if value is not None:
            given[name] = value.item() if hasattr(value, "item") else value  # numpy's numbers
    settings = {**_known(PRESETS, "preset", preset), **given}
    for name in settings.keys() - FIELD_TYPES.keys():
        raise ConfigError(f"there is no option {name!r}{did_you_mean(name, FIELD_TYPES)}")
    found = Config(**settings)
    if "adapt" in given or not found.adapted & given.keys():
        return found
    left = found.adapted - given.keys()
    return replace(found, adapt=", ".join(name for name in ADAPTABLE if name in left))


def make_rules(**given: Any) -> LinkRules:
    """The rules; None leaves one as it is."""
    return LinkRules(**{name: value for name, value in given.items() if value is not None})


def _known(table: Mapping[str, Mapping[str, Any]], what: str, name: str) -> Mapping[str, Any]:
    if name not in table:
        known = ", ".join(sorted(table))
        raise ConfigError(f"there is no {what} {name!r}{did_you_mean(name, table)}; known: {known}")
    return table[name]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the known one that it resembles."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
