"""The settings of an alignment, each declared once: type, bounds, help text, value by preset."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from types import MappingProxyType
from typing import Any, TypeVar

from lighttea.config.choices import DEFAULT_PRESET, Adaptable, Search, choices_of
from lighttea.config.declaration import (
    declared_settings,
    option,
    problems_of,
    shown_value,
    words_of,
)
from lighttea.config.names import refuse_unknown
from lighttea.display import Displayed, html_table, shorten
from lighttea.errors import ConfigError

ADAPTABLE = choices_of(Adaptable)
_C = TypeVar("_C")


def _per_preset(help_text: str, *, best: Any, paper: Any, **bounds: Any) -> Any:
    """Return a field with a value for each preset; the default preset's is the default."""
    presets = {"best": best, "paper": paper}
    return option(presets[DEFAULT_PRESET], help_text, presets=presets, **bounds)


def _checked_init(config: type[_C]) -> type[_C]:
    """Return the class with an `__init__` that takes numpy's numbers and names unknown settings.

    A setting that is given by name, without `adapt`, is one that the data do not choose.
    """
    made: Any = config  # mypy lets nobody replace an __init__
    plain_init = made.__init__

    @wraps(plain_init)
    def checked_init(self: Any, **given: Any) -> None:
        refuse_unknown(given, declared_settings(made))
        plain = {n: v.item() if hasattr(v, "item") else v for n, v in given.items()}
        plain_init(self, **{"adapt": adapt_without(made.adapt, plain), **plain})

    made.__init__ = checked_init
    return config


@_checked_init
@dataclass(frozen=True, kw_only=True, repr=False)
class Config(Displayed):
    """The settings of one alignment. `Config()` has those that `align` uses by default."""

    alpha: float = option(
        0.5, "weight of the temporal aspect against the relational one (eq. 7)", low=0, high=1
    )
    beta: float = _per_preset(
        "weight of the time similarity against the label similarity (eq. 9)",
        best=0.17,
        paper=0.4,
        low=0,
        high=1,
    )
    dim: int = _per_preset(
        "width of a label, the paper's d", best=256, paper=512, low=1, high=65536
    )
    depth: int = option(2, "rounds of label propagation, the paper's n (eq. 1-6)", low=1, high=16)
    sketch_factor: int = option(
        2, "width of the last hop's sketch per aspect, in multiples of dim", low=1, high=64
    )
    top_k: int = _per_preset(
        "candidates searched for each left entity, the paper's k", best=100, paper=500, low=1
    )
    search: Search = option(
        "auto",
        "how to search candidates: exact, approximate, or auto (exact up to 50,000 x 50,000)",
    )
    temperature: float = _per_preset(
        "temperature t of the Sinkhorn operator (eq. 12)", best=0.017, paper=0.05, above=0
    )
    iterations: int = option(15, "iterations m of the Sinkhorn operator (eq. 11)", low=1)
    threshold: float = option(
        0.8, "a best candidate with a value above this becomes a seed", low=0, high=1
    )
    whitening: bool = _per_preset(
        "even out the principal directions of the labels before comparing them",
        best=True,
        paper=False,
    )
    consensus: float = _per_preset(
        "weight of the evidence from the links so far, against labels and times",
        best=0.6,
        paper=0.0,
        low=0,
        high=1,
    )
    likelihood: float = _per_preset(
        "weight of how likely facts make a pair, by the links so far; 0: not looked at",
        best=0.3,
        paper=0.0,
        low=0,
        high=10,
    )
    consensus_passes: int = _per_preset(
        "how often a round computes consensus", best=3, paper=1, low=1
    )
    suggestions: int = _per_preset(
        "candidates of each left entity proposed by rare evidence in common",
        best=50,
        paper=0,
        low=0,
    )
    relation_evidence: bool = option(True, "consensus compares relations that mean the same")
    joint_evidence: bool = option(True, "consensus compares neighbours together with their time")
    time_evidence: bool = option(True, "consensus compares times without a neighbour")
    contradictions: bool = _per_preset(
        "facts that can hold only once and differ between two entities count against the pair",
        best=True,
        paper=False,
    )
    mixed_granularity: bool = _per_preset(
        "a day also matches its month and its year where the other side is no more exact",
        best=True,
        paper=False,
    )
    bootstrap: bool = _per_preset(
        "find sure pairs by evidence alone and start from them too, beside the seeds",
        best=True,
        paper=False,
    )
    literals: bool = _per_preset(
        "use literals of entities (names, codes, numbers, dates) as evidence, with consensus",
        best=True,
        paper=False,
    )
    revise_promotions: bool = _per_preset(
        "choose the promoted pairs anew in every round", best=True, paper=False
    )
    cross_fit: bool = _per_preset(
        "compare an entity by labels that its own promoted pair did not influence",
        best=True,
        paper=False,
    )
    convergence: float = _per_preset(
        "stop when less than this share of the promoted pairs changes; 0: never stop early",
        best=0.01,
        paper=0.0,
        low=0,
        high=1,
    )
    calibrated: bool = _per_preset(
        "estimate the probability of each link, and that an entity has no counterpart",
        best=True,
        paper=False,
    )
    decoys: int = _per_preset(
        "most decoys (made-up right entities) to compete with real ones; how often they win "
        "shows how often links are wrong; 0: none",
        best=5000,
        paper=0,
        low=0,
    )
    adapt: str = _per_preset(
        f"settings to choose from the data: {', '.join(ADAPTABLE)}, separated by commas; a "
        "setting that you give yourself is kept",
        best=", ".join(ADAPTABLE),
        paper="",
        several=ADAPTABLE,
    )
    min_confidence: float = _per_preset(
        "leave out links below this confidence; with top_n the default is 0",
        best=0.5,
        paper=0.0,
        low=0,
        high=1,
    )
    max_fdr: float = option(
        1.0,
        "keep the surest links up to this expected share of wrong ones; 1: keep all; less than 1 "
        "needs calibrated confidence",
        low=0,
        high=1,
    )
    mutual: bool = option(False, "leave out links whose right entity prefers another left entity")
    rounds: int = _per_preset(
        "most rounds of temporal iterative learning; 1: supervised", best=4, paper=3, low=1
    )
    temporal_propagation: bool = option(True, "propagate labels along time (the paper's TLP)")
    temporal_constraint: bool = option(True, "blend in the time similarity (the paper's TC)")
    sinkhorn: bool = option(True, "assign with the Sinkhorn operator (the paper's SO)")
    random_seed: int = option(0, "number that starts the random generator", low=0)
    threads: int = option(0, "threads to use; 0: one for each idle core", low=0)
    max_memory: float = option(0.0, "memory limit in GiB; 0: 80 % of what is free", low=0)

    def __post_init__(self) -> None:
        problems = problems_of(self)
        if not problems and self.max_fdr < 1 and not (self.calibrated and self.sinkhorn):
            problems = ["`max_fdr` needs `calibrated` and `sinkhorn`; use the preset best"]
        if problems:
            raise ConfigError("\n".join(problems))

    def _summary(self) -> str:
        settings = declared_settings(Config).values()
        changed = [(s.name, v) for s in settings if (v := getattr(self, s.name)) != s.default]
        return shorten(", ".join(f"{name}={value!r}" for name, value in changed), 250)

    def _tables(self) -> list[str]:
        settings = declared_settings(Config).values()
        rows = [(s.name, shown_value(getattr(self, s.name)), s.help) for s in settings]
        return [html_table(("setting", "value", "meaning"), rows)]

    def without_time(self) -> Config:
        """Return the same settings with the temporal aspect and the time similarity off."""
        return replace(self, temporal_propagation=False, temporal_constraint=False)

    @property
    def adapted(self) -> frozenset[str]:
        """The settings that the data choose."""
        return frozenset(words_of(self.adapt))

    @property
    def uses_literals(self) -> bool:
        """Whether literals count: they are a part of consensus, which may have no weight."""
        return self.literals and self.consensus > 0

    @property
    def uses_likelihood(self) -> bool:
        """Whether the likelihood of facts counts: it needs links, as consensus does."""
        return self.likelihood > 0 and self.consensus > 0

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


FIELD_TYPES: Mapping[str, type] = MappingProxyType(
    {name: setting.kind for name, setting in declared_settings(Config).items()}
)


@dataclass(frozen=True, kw_only=True)
class LinkRules:
    """How many links an entity may have, and which are left out."""

    many_to_one: bool = option(False, "link several left entities to the same right entity")
    top_n: int = option(0, "link each left entity to its best N candidates; 0: one-to-one", low=0)
    no_alarmed: bool = option(False, "leave out links whose times raise an alarm")

    def __post_init__(self) -> None:
        if problems := problems_of(self):
            raise ConfigError("\n".join(problems))


def adapt_without(adapt: str, names: Collection[str]) -> str:
    """Return the list of settings that the data choose without those that were given by name."""
    return ", ".join(word for word in words_of(adapt) if word not in names)
