"""Is `lighttea synth` like real graphs? Its default beside every dataset folder in LIGHTTEA_DATA.

    LIGHTTEA_DATA=folder python benchmarks/synth_comparison.py [--entities 20000] [--random-seed 0]

Prints the Markdown table of docs/synth.md: a column for each set, left / right where sides differ.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair
from lighttea.graph.profile import Profile, profile
from lighttea.graph.timeline import UNKNOWN, Timeline
from lighttea.io.benchmark import Dataset, read_dataset
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from lighttea.types import Doubles, Ints

SEED_SHARE = 0.02  # of the pairs in the folder's order: what synth gives away by default
TAIL_FROM = 10  # degrees from here on are taken for the tail


def main() -> None:
    """Measure every set and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=SynthConfig.entities)
    parser.add_argument("--random-seed", type=int, default=SynthConfig.random_seed)
    options = parser.parse_args()
    config = SynthConfig(entities=options.entities, random_seed=options.random_seed)
    print_table([Sides(dataset) for dataset in (*real_sets(), made_up(config))])


def real_sets() -> Iterator[Dataset]:
    """Every dataset folder in LIGHTTEA_DATA."""
    data = os.environ.get("LIGHTTEA_DATA")
    if not data:
        sys.stderr.write("LIGHTTEA_DATA names no folder of datasets: nothing to compare with\n")
        return
    for folder in sorted(Path(data).iterdir()):
        if (folder / "triples_1").is_file():
            yield read_dataset(folder)


def made_up(config: SynthConfig) -> Dataset:
    """What synth writes."""
    with tempfile.TemporaryDirectory() as scratch:
        write_synth(Path(scratch) / "synth", config)
        return read_dataset(Path(scratch) / "synth")


class Sides:
    """A dataset in numbers: both graphs, and who is whose counterpart."""

    def __init__(self, dataset: Dataset) -> None:
        self.name, self.fixed_split = dataset.name, dataset.fixed_split
        self.left, self.right = Side(dataset.left), Side(dataset.right)
        left_ids, right_ids = dataset.left.entity_ids, dataset.right.entity_ids
        self.pair_left = np.array([left_ids[name] for name in dataset.pairs["left"]])
        self.pair_right = np.array([right_ids[name] for name in dataset.pairs["right"]])

    def partners(self) -> Ints:
        """The right counterpart of each left entity, or -1."""
        return partner_of(self.left.n_entities, self.pair_left, self.pair_right)

    def turned(self) -> Ints:
        """The left counterpart of each right entity, or -1."""
        return partner_of(self.right.n_entities, self.pair_right, self.pair_left)

    @cached_property
    def ticks(self) -> tuple[Ints, Ints]:
        """Couples of a right entity and a tick that it has: as the left says, as the right says."""
        pair = Pair.of(self.left.graph, self.right.graph)
        timed = pair.tick != UNKNOWN
        head, tick = pair.head[timed].astype(np.int64), pair.tick[timed]
        is_left = head < pair.n_left
        of_left = self.partners()[head[is_left]]
        paired = of_left >= 0
        said_left = of_left[paired] * pair.n_ticks + tick[is_left][paired]
        said_right = (head[~is_left] - pair.n_left) * pair.n_ticks + tick[~is_left]
        return np.unique(said_left), np.unique(said_right)

    @property
    def n_ticks(self) -> int:
        """Ticks of both sides together."""
        return len(Timeline.of(self.left.graph.instants, self.right.graph.instants).ticks)


@dataclass(frozen=True)
class Side:
    """One graph, its profile and its degrees."""

    graph: Graph

    @property
    def n_entities(self) -> int:
        """Entities, with facts or without."""
        return len(self.graph.entities)

    @cached_property
    def profile(self) -> Profile:
        """Counts."""
        return profile(self.graph)

    @cached_property
    def degree(self) -> Ints:
        """Of each entity, as head and as tail."""
        facts = self.graph.facts
        ends = np.concatenate([facts.head, facts.tail])
        return np.bincount(ends, minlength=self.n_entities)

    def edges(self) -> Ints:
        """Who is head of a fact about whom, as one number, distinct."""
        head, tail = self.graph.facts.head.astype(np.int64), self.graph.facts.tail
        return np.unique(head * self.n_entities + tail)


def partner_of(n_entities: int, mine: Ints, theirs: Ints) -> Ints:
    """The counterpart of each entity of one side, or -1."""
    partner = np.full(n_entities, -1)
    partner[mine] = theirs
    return partner


# ---- figures of one side ----------------------------------------------------------------------


def facts_an_entity(side: Side) -> float:
    """Facts by entities."""
    return side.profile.facts / side.n_entities


def repeated(side: Side) -> float:
    """Facts that repeat another one in everything."""
    return side.profile.duplicate_facts / side.profile.facts


def gini(side: Side) -> float:
    """0: all degrees are equal; 1: one entity is in every fact."""
    degree = np.sort(side.degree).astype(float)
    place = np.arange(1, len(degree) + 1)
    return float(2 * (place @ degree) / (len(degree) * degree.sum()) - 1 - 1 / len(degree))


def tail_exponent(side: Side) -> float:
    """The maximum-likelihood exponent of a power law from TAIL_FROM up."""
    tail = side.degree[side.degree >= TAIL_FROM]
    return float(1 + len(tail) / np.log(tail / (TAIL_FROM - 0.5)).sum()) if len(tail) else np.nan


def largest(side: Side) -> float:
    """The facts of the entity with most of them."""
    return float(side.degree.max() / side.profile.facts)


def never_tail(side: Side) -> float:
    """Entities that are never a tail."""
    return 1 - len(np.unique(side.graph.facts.tail)) / side.n_entities


def top_relation(side: Side) -> float:
    """Facts of the most frequent relation."""
    return side.profile.top_relations[0][1] / side.profile.facts


def dated(side: Side) -> float:
    """Facts with a known time."""
    return 1 - side.profile.kinds["unknown"] / side.profile.facts


def lasting(side: Side) -> float:
    """Facts with an interval, open or closed."""
    kinds = side.profile.kinds
    return (kinds["interval"] + kinds["open_end"] + kinds["open_begin"]) / side.profile.facts


def without_facts(side: Side) -> float:
    """Entities that no fact names."""
    return side.profile.entities_without_facts / side.n_entities


def quantile(share: float) -> Callable[[Side], float]:
    """A quantile of the degrees."""
    return lambda side: float(np.quantile(side.degree, share))


# ---- figures of both --------------------------------------------------------------------------


def dangling(sides: Sides) -> tuple[float, float]:
    """Entities without a counterpart."""
    n_pairs = len(sides.pair_left)
    return 1 - n_pairs / sides.left.n_entities, 1 - n_pairs / sides.right.n_entities


def fact_overlap(sides: Sides) -> tuple[float, float]:
    """Facts between paired entities whose counterparts have a fact too, in the same direction."""
    return (
        overlap(sides.left, sides.right, sides.partners()),
        overlap(sides.right, sides.left, sides.turned()),
    )


def overlap(mine: Side, theirs: Side, partner: Ints) -> float:
    """One side of the above."""
    head, tail = partner[mine.graph.facts.head], partner[mine.graph.facts.tail]
    known = np.isin(head * theirs.n_entities + tail, theirs.edges())
    return float((known & (head >= 0) & (tail >= 0)).mean())


def common_neighbour(sides: Sides) -> float:
    """True pairs with a neighbour in common, under the truth."""
    facts, partner, n = sides.left.graph.facts, sides.partners(), sides.right.n_entities
    head, tail = partner[facts.head], partner[facts.tail]
    both = (head >= 0) & (tail >= 0)
    said_left = both_ways(head[both], tail[both], n)
    said_right = both_ways(*np.divmod(sides.right.edges(), n), n)
    return len(np.unique(np.intersect1d(said_left, said_right) // n)) / len(sides.pair_left)


def both_ways(head: Ints, tail: Ints, n: int) -> Ints:
    """Couples of neighbours in either direction, as one number each."""
    return np.concatenate([head * n + tail, tail * n + head])


def times_overlap(sides: Sides) -> float:
    """True pairs that share a tick."""
    shared = np.intersect1d(*sides.ticks, assume_unique=True)
    return entities_of(shared, sides) / len(sides.pair_left)


def times_on_both(sides: Sides) -> float:
    """True pairs with a known time on each side."""
    n_ticks = max(sides.n_ticks, 1)
    left, right = (np.unique(said // n_ticks) for said in sides.ticks)
    return len(np.intersect1d(left, right)) / len(sides.pair_left)


def entities_of(ticks: Ints, sides: Sides) -> int:
    """How many entities these couples of an entity and a tick are about."""
    return len(np.unique(ticks // max(sides.n_ticks, 1)))


def degree_correlation(sides: Sides) -> float:
    """Of the logarithms over the true pairs."""
    left, right = (
        log_degrees(sides.left, sides.pair_left),
        log_degrees(sides.right, sides.pair_right),
    )
    return float(np.corrcoef(left, right)[0, 1])


def log_degrees(side: Side, entities: Ints) -> Doubles:
    """log(1 + degree)."""
    return np.log1p(side.degree[entities])


def seed_degree(sides: Sides) -> float:
    """The seeds' mean left degree as a multiple of all pairs'; nothing where no seeds are named."""
    if not sides.fixed_split:
        return float("nan")
    degree = sides.left.degree[sides.pair_left]
    return float(degree[: round(SEED_SHARE * len(degree))].mean() / degree.mean())


# ---- the table --------------------------------------------------------------------------------

Cell = Callable[[Sides], str]


def number(value: float) -> str:
    """A count."""
    return f"{value:,.0f}"


def share(value: float) -> str:
    """Two digits after the point, without the nought."""
    return "-" if np.isnan(value) else f"{value:.2f}".removeprefix("0") if value else "0"


def small_share(value: float) -> str:
    """Three digits after the point."""
    return f"{value:.3f}".removeprefix("0") if value else "0"


def multiple(value: float) -> str:
    """Two digits."""
    return "-" if np.isnan(value) else f"{value:.1f}"


def by_side(figure: Callable[[Side], float], shown: Callable[[float], str]) -> Cell:
    """left / right."""
    return lambda sides: f"{shown(figure(sides.left))} / {shown(figure(sides.right))}"


def two(figure: Callable[[Sides], tuple[float, float]]) -> Cell:
    """left / right of a figure that needs both."""
    return lambda sides: " / ".join(map(share, figure(sides)))


def one(figure: Callable[[Sides], float], shown: Callable[[float], str] = share) -> Cell:
    """A figure of both together."""
    return lambda sides: shown(figure(sides))


ROWS: tuple[tuple[str, Cell], ...] = (
    ("entities", by_side(lambda side: side.n_entities, number)),
    ("relations", by_side(lambda side: side.profile.relations, number)),
    ("facts an entity", by_side(facts_an_entity, multiple)),
    ("repeated facts", by_side(repeated, small_share)),
    ("degree, median", by_side(quantile(0.5), number)),
    ("degree, 90 %", by_side(quantile(0.9), number)),
    ("degree, 99 %", by_side(quantile(0.99), number)),
    ("largest degree, share of the facts", by_side(largest, small_share)),
    ("Gini coefficient of degrees", by_side(gini, share)),
    (f"power-law exponent of degrees from {TAIL_FROM} up", by_side(tail_exponent, share)),
    ("entities that are never a tail", by_side(never_tail, share)),
    ("most frequent relation, share of the facts", by_side(top_relation, share)),
    ("facts with a counterpart", two(fact_overlap)),
    ("facts with a known time", by_side(dated, share)),
    ("facts with an interval, open or closed", by_side(lasting, share)),
    ("distinct times", by_side(lambda side: side.profile.ticks, number)),
    ("distinct times of both together", one(lambda sides: sides.n_ticks, number)),
    ("true pairs", one(lambda sides: len(sides.pair_left), number)),
    ("true pairs that share a tick", one(times_overlap)),
    ("true pairs with times on both sides", one(times_on_both)),
    ("true pairs with a common neighbour", one(common_neighbour)),
    ("dangling entities", two(dangling)),
    ("entities without facts", by_side(without_facts, share)),
    ("correlation of log degree over the true pairs", one(degree_correlation)),
    (
        f"degree of the first {SEED_SHARE:.0%} of pairs, multiple of all pairs'",
        one(seed_degree, multiple),
    ),
)


def print_table(sets: list[Sides]) -> None:
    """Markdown: a row for each figure, a column for each set."""
    print(f"| | {' | '.join(sides.name for sides in sets)} |\n|{'---|' * (len(sets) + 1)}")
    for name, cell in ROWS:
        print(f"| {name} | {' | '.join(cell(sides) for sides in sets)} |")


if __name__ == "__main__":
    main()
