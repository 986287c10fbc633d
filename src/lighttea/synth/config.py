"""The settings of `lighttea synth`: every size and rate with its default, bounds and help text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lighttea.config import option, problems_of
from lighttea.errors import ConfigError

_FACTS_AN_ENTITY = 5
_SEED_SHARE = 0.02


def _rate(default: float, help_text: str) -> Any:
    return option(default, help_text, low=0, high=1)


@dataclass(frozen=True, kw_only=True)
class SynthConfig:
    """Sizes and rates of made-up graphs of one world; None is computed from the others.

    The first graph is the left one, the second the right one; further ones are like the right one.
    """

    entities: int = option(20_000, "entities on each side", low=10)
    graphs: int = option(
        2, "number of graphs; a third and later ones are like the right one", low=2, high=20
    )
    left_entities: int | None = option(None, "entities of the left graph, if different", low=10)
    right_entities: int | None = option(None, "entities of the right graph, if different", low=10)
    facts: int | None = option(
        None, f"facts of both graphs together; by default {_FACTS_AN_ENTITY} per entity", low=2
    )
    left_share: float = option(0.5, "share of the facts in the left graph", above=0, high=0.99)
    shared_rate: float = _rate(
        0.75, "facts that both graphs have, as a share of the smaller graph's facts"
    )
    common_facts: float | None = option(
        None,
        "share of the smaller graph's facts that both graphs have, in place of shared_rate; "
        "unlike a lower shared_rate, both graphs stay about the same entities",
        low=0,
        high=1,
    )
    dangling_rate: float = _rate(
        0.05, "entities without a counterpart, as a share of the smaller side's entities"
    )
    seeds: int | None = option(
        None, f"seeds among the true pairs; by default {_SEED_SHARE:.0%}", low=1
    )
    seed_skew: float = option(
        1.0, "how strongly seeds favour well-known entities; 0: not at all", low=0, high=5
    )
    ticks: int = option(250, "years that the facts span, ending in 2020", low=1)
    exponent: float = option(
        2.0, "exponent of the power law of tails: smaller means larger hubs", above=1, high=10
    )
    relations: int = option(120, "relations before splitting and merging", low=1)
    private_relation_rate: float = _rate(
        0.3, "share of the rarer three quarters of relations that only one graph has"
    )
    split_rate: float = _rate(0.1, "relations that one graph splits in two")
    merge_rate: float = _rate(0.2, "relations that one graph merges with another")
    rename_rate: float = _rate(0.8, "relations with a different name in each graph")
    types: int = option(12, "types of entities; a relation joins one type to one type", low=1)
    community: int = option(200, "mean number of entities of a community", low=1)
    locality: float = _rate(0.6, "facts whose tail is in the head's community")
    tail_rate: float = option(
        0.45, "entities that can be tails; the others are heads alone", above=0, high=1
    )
    active: int = option(20, "years in which an entity's facts begin", low=1)
    interval_rate: float = _rate(0.6, "facts that last; the others are points in time")
    interval_length: int = option(5, "mean years that a fact lasts", low=1)
    open_rate: float = _rate(0.15, "lasting facts whose end is unknown")
    missing_left: float = _rate(0.35, "left facts whose time is missing, by head entity")
    missing_right: float = _rate(0.3, "right facts whose time is missing, by head entity")
    coarse_rate: float = _rate(0.1, "dated right facts known to the decade only")
    wrong_rate: float = _rate(0.1, "dated right facts that are some years off")
    wrong_by: int = option(2, "how many years off at most", low=1)
    literals: bool = option(
        False,
        "give entities names, phone numbers and birth years, spelled differently in each graph",
    )
    typo_rate: float = _rate(0.05, "with literals: right family names that lack a letter")
    absent_rate: float = _rate(
        0.1, "with three or more graphs: shared entities that a graph does not have"
    )
    untold_rate: float = _rate(
        0.2, "with three or more graphs: shared facts that a graph does not tell"
    )
    duplicates: float = _rate(
        0.0, "entities of each graph that are there twice, under two ids, their facts divided"
    )
    duplicate_overlap: float = _rate(
        0.3, "facts of an entity that is there twice that both of its ids have"
    )
    random_seed: int = option(0, "number that starts the random generator", low=0)

    def __post_init__(self) -> None:
        if problems := problems_of(self) or list(self._contradictions()):
            raise ConfigError("\n".join(problems))

    @property
    def n_left(self) -> int:
        """Number of left entities."""
        return self.left_entities or self.entities

    @property
    def n_right(self) -> int:
        """Number of right entities."""
        return self.right_entities or self.entities

    def n_entities(self, side: int) -> int:
        """Return the number of entities of a graph; graphs are numbered from 1."""
        return self.n_left if side == 1 else self.n_right

    def n_facts(self, side: int) -> int:
        """Return the number of facts of a graph, before some are left out or told twice."""
        return self.n_facts_left if side == 1 else self.n_facts_right

    @property
    def n_pairs(self) -> int:
        """Number of entities that both sides have."""
        return max(2, round((1 - self.dangling_rate) * min(self.n_left, self.n_right)))

    @property
    def n_seeds(self) -> int:
        """Number of true pairs that are seeds."""
        return self.seeds or max(1, round(_SEED_SHARE * self.n_pairs))

    @property
    def n_facts_left(self) -> int:
        """Number of left facts, shared and private."""
        return max(1, round(self.left_share * self._n_facts))

    @property
    def n_facts_right(self) -> int:
        """Number of right facts, shared and private."""
        return max(1, self._n_facts - self.n_facts_left)

    @property
    def n_facts_shared(self) -> int:
        """Number of facts on each side that are about what both sides know best."""
        return max(
            round(self.shared_rate * min(self.n_facts_left, self.n_facts_right)),
            self._n_facts_asked_for or 0,
        )

    @property
    def n_facts_common(self) -> int:
        """Number of shared facts that both sides tell."""
        asked_for = self._n_facts_asked_for
        return self.n_facts_shared if asked_for is None else asked_for

    @property
    def _n_facts_asked_for(self) -> int | None:
        if self.common_facts is None:
            return None
        return round(self.common_facts * min(self.n_facts_left, self.n_facts_right))

    @property
    def _n_facts(self) -> int:
        return self.facts or _FACTS_AN_ENTITY * (self.n_left + self.n_right)

    def _contradictions(self) -> Iterator[str]:
        if self.n_seeds >= self.n_pairs:
            yield (
                f"seeds must be fewer than the {self.n_pairs:,} true pairs; got {self.n_seeds:,}"
            )
