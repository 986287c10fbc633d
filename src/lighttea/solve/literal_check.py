"""Whether an attribute can be trusted, told by everything else: row numbers may look like ids.

Pairs of entities that alone have the same value of an attribute are taken for links, and each pair
is compared with a chance pair: the same left entity and the partner of another one that is as well
known. Where the value means something, facts, times and other attributes of the two agree better
than those of chance pairs; where it does not, one is as often better as the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from lighttea.config import Config
from lighttea.engines.base import Blocks, Ops
from lighttea.evidence.attributes import join
from lighttea.evidence.literals import LiteralEvidence, literal_tokens
from lighttea.graph.pair import Links, Pair
from lighttea.literals.lists import Lists
from lighttea.literals.table import LiteralTable
from lighttea.solve.problem import Problem
from lighttea.solve.workspace import Workspace
from lighttea.types import NO_CANDIDATE, A, Bools, Ints, LeftIds, RightIds

LEAST = 0.3  # of the pairs with an equal value that have to be the same, for it to count
LEAST_PROVED = 0.8  # likewise for ids and row numbers, which mean nothing unless they prove it
FEWEST = 20  # pairs of which other evidence tells something
MOST_CHECKED = 12  # couples of attributes, those with most pairs
MOST_PAIRS = 5000  # of a couple that are looked at
MOSTLY = 0.9  # of an attribute's values that have a whole number, for it to count through them
DENSE = 0.5  # share of the whole numbers in a range that row numbers fill
DEPENDENT = 0.5  # share of the entities where one attribute repeats another


@dataclass(frozen=True)
class AttributeCheck:
    """How often pairs with an equal value agree better in all else than chance pairs, and worse."""

    left: int  # attributes
    right: int
    n_pairs: int  # that alone have a value in common
    n_better: int
    n_worse: int
    is_proof_needed: bool

    @property
    def is_told(self) -> bool:
        """Whether other evidence says anything of these pairs."""
        return self.n_better + self.n_worse >= FEWEST

    @property
    def share_right(self) -> float:
        """The share of the pairs that are the same: a wrong one is as often better as worse."""
        return max(0.0, (self.n_better - self.n_worse) / max(1, self.n_better + self.n_worse))

    @property
    def is_trusted(self) -> bool:
        """Whether the attributes may count."""
        if self.is_proof_needed:
            return self.is_told and self.share_right >= LEAST_PROVED
        return not self.is_told or self.share_right >= LEAST

    def warning(self, table: LiteralTable) -> str | None:
        """What to tell the user where equal values are not believed; None where they are."""
        if self.is_trusted or not self.is_told or table.is_id[[self.left, self.right]].any():
            return None
        left, right = table.names[self.left], table.names[self.right]
        return (
            f"literals: {left} (left) and {right} (right) are left out: {self.n_pairs:,} pairs of "
            "entities alone have the same value, but all else agrees better than for chance pairs "
            f"{self.n_better:,} times and worse {self.n_worse:,} times; about "
            f"{self.share_right:.0%} of them can be right"
        )


def start_literals(work: Workspace[A], config: Config) -> None:
    """Give the workspace what its literals say; warn of attributes that cannot be trusted."""
    problem = work.problem
    if problem.literals is None:
        return
    with work.progress.stage("literals"):
        table = problem.literals.table(problem.pair)
        checks = list(check_attributes(work, table, config))
        for check in checks:
            if warning := check.warning(table):
                work.progress.warn(warning)
        work.literals = LiteralEvidence.of(table, trusted_attributes(table, checks))


def trusted_attributes(table: LiteralTable, checks: Sequence[AttributeCheck]) -> Bools:
    """Return which attributes count: by the partner that each has most values in common with.

    Ids count where that is proved, all others unless it is disproved.
    """
    trusted = ~table.is_id
    judged = np.zeros(table.n_attributes, bool)
    for check in checks:  # those with most pairs first
        couple = np.array([check.left, check.right])
        with_id = table.is_id[couple].any()
        own = couple[table.is_id[couple]] if with_id else couple[~judged[couple]]
        trusted[own] = trusted[own] & check.is_trusted if not with_id else check.is_trusted
        judged[own] |= not with_id
    return trusted


def check_attributes(
    work: Workspace[A], table: LiteralTable, config: Config
) -> Iterator[AttributeCheck]:
    """Yield a check of each couple of attributes whose equal values would make many links."""
    namesakes = Namesakes.of(table, work.problem)
    counting = _are_row_numbers(table)
    for left, right, links in namesakes.couples():
        needs_proof = bool(table.is_id[[left, right]].any() or counting[[left, right]].all())
        if len(links) < FEWEST:
            better, worse = 0, 0
        else:
            others = ~(_repeats(table, left) | _repeats(table, right) | table.is_id)
            better, worse = _compare(work, table, links, others, config)
        yield AttributeCheck(left, right, len(links), better, worse, needs_proof)


def _compare(
    work: Workspace[A], table: LiteralTable, links: Links, others: Bools, config: Config
) -> tuple[int, int]:
    """Return how often all else is better for pairs than for chance pairs, and worse."""
    problem, engine = work.problem, work.engine
    tokens = list(literal_tokens(table, others, None))
    evidence = work.evidence.gather(problem.known.extended(links), config, tokens)
    index = _places(problem, links)
    blocks = Blocks(engine.place(engine.hold(index[rows])) for rows in engine.layout.left)
    consensus = work.evidence.consensus(evidence, cast("Blocks[A]", blocks))
    counts = [engine.fetch(part) for part in engine.map(better_and_worse, consensus)]
    return sum(b for b, _ in counts), sum(w for _, w in counts)


@dataclass(frozen=True)
class Namesakes:
    """A left and a right entity that alone have a value, or a word, of a couple of attributes."""

    couple: Ints  # left attribute * n_attributes + right attribute, rising
    left: Ints
    right: Ints
    n_attributes: int

    @classmethod
    def of(cls, table: LiteralTable, problem: Problem) -> Namesakes:
        """Return all of them, among the entities of the problem.

        Where few entities share a whole value of a couple of attributes, those that share a word
        count: `left 17` and `right 17` are no namesakes by their values.
        """
        by_value = cls._sharing(table, problem, table.vocabulary.whole)
        by_word = cls._sharing(table, problem, table.vocabulary.words)
        distinct, count = np.unique(by_value.couple, return_counts=True)
        many = distinct[count >= FEWEST]
        parts = (
            by_value.where(np.isin(by_value.couple, many)),
            by_word.where(~np.isin(by_word.couple, many)),
        )
        columns = zip(*((own.couple, own.left, own.right) for own in parts), strict=True)
        couple, left, right = (np.concatenate(column) for column in columns)
        order = np.argsort(couple, kind="stable")
        return cls(couple[order], left[order], right[order], table.n_attributes)

    @classmethod
    def _sharing(cls, table: LiteralTable, problem: Problem, parts: Lists) -> Namesakes:
        """Return the entities that alone have one of these parts of a value."""
        pair = problem.pair
        targets = RightIds(problem.right[: problem.n_targets])
        left, right = (
            _alone(table.where(np.isin(table.node, nodes)), parts)
            for nodes in (pair.left_nodes(problem.left), pair.right_nodes(targets))
        )
        own, other = join(left[0], right[0])  # distinct parts are rising
        couple = left[1][own] * np.int64(table.n_attributes) + right[1][other]
        nodes = left[2][own], right[2][other] - pair.n_left
        return cls(couple, *nodes, table.n_attributes)

    def where(self, kept: Bools) -> Namesakes:
        """Return some of them."""
        columns = self.couple[kept], self.left[kept], self.right[kept]
        return Namesakes(*columns, self.n_attributes)

    def couples(self) -> Iterator[tuple[int, int, Links]]:
        """Yield the couples of attributes with most namesakes, and these."""
        distinct, start, count = np.unique(self.couple, return_index=True, return_counts=True)
        for place in np.argsort(-count, kind="stable")[:MOST_CHECKED]:
            step = -(-int(count[place]) // MOST_PAIRS)
            rows = np.arange(start[place], start[place] + count[place], step)
            left, right = divmod(int(distinct[place]), self.n_attributes)
            _, kept = np.unique(self.left[rows], return_index=True)
            rows = rows[kept]
            _, kept = np.unique(self.right[rows], return_index=True)
            rows = rows[kept]
            own, other = self.left[rows].astype(np.int32), self.right[rows].astype(np.int32)
            yield left, right, Links(LeftIds(own), RightIds(other))


def _alone(table: LiteralTable, parts: Lists) -> tuple[Ints, Ints, Ints]:
    """Return part, attribute and node where no other node has that part in that attribute."""
    place, token = parts.take(table.value)
    key = token.astype(np.int64) * table.n_attributes + table.attribute[place]
    distinct, first, count = np.unique(key, return_index=True, return_counts=True)
    alone = count == 1
    return (
        distinct[alone] // table.n_attributes,
        distinct[alone] % table.n_attributes,
        table.node[place[first[alone]]],
    )


def _are_row_numbers(table: LiteralTable) -> Bools:
    """Return which attributes count through whole numbers, nearly one after the other."""
    are_counting = np.zeros(table.n_attributes, bool)
    number = table.vocabulary.counter[table.value]
    whole = np.isfinite(number)
    for attribute in range(table.n_attributes):
        here = (table.attribute == attribute) & table.is_real
        distinct = np.unique(number[here & whole])
        if len(distinct) >= FEWEST and whole[here].mean() > MOSTLY:
            are_counting[attribute] = len(distinct) > DENSE * (distinct[-1] - distinct[0] + 1)
    return are_counting


def _repeats(table: LiteralTable, attribute: int) -> Bools:
    """Return the attributes that repeat this one, or that it repeats; it is one of them.

    A number that is also the end of an address says the same twice.
    """
    is_left = attribute < table.n_left_attributes
    same_side = np.arange(table.n_attributes) < table.n_left_attributes
    own = table.where((table.attribute == attribute) & table.is_real)
    is_other = (table.is_left == is_left) & table.is_real & (table.attribute != attribute)
    others = table.where(is_other)
    place, word = own.vocabulary.words.take(own.value)
    width = np.int64(int(table.vocabulary.words.item.max(initial=0)) + 1)
    said = np.unique(own.node[place] * width + word)
    place, word = others.vocabulary.words.take(others.value)
    is_said = np.isin(others.node[place] * width + word, said)
    known = np.isin(others.node, own.node)
    repeated = np.zeros(len(others), bool)
    repeated[place[is_said]] = True
    n_known = np.bincount(others.attribute[known], minlength=table.n_attributes)
    n_repeated = np.bincount(others.attribute[repeated], minlength=table.n_attributes)
    result = (n_repeated > DEPENDENT * n_known) & (same_side == is_left)
    result[attribute] = True
    return np.asarray(result)


def _places(problem: Problem, links: Links) -> Ints:
    """Return the places of each left entity's partner and of another's, (n_left, 2)."""
    others = _as_well_known(problem.pair, links.right)
    index = np.full((len(problem.left), 2), NO_CANDIDATE, np.int32)
    row = np.searchsorted(problem.left, links.left)
    for column, right in enumerate((links.right, others)):
        index[row, column] = np.searchsorted(problem.right, right)
    return index


def _as_well_known(pair: Pair, right: RightIds) -> RightIds:
    """Return for each of these right entities the next one by number of facts."""
    degree = np.bincount(pair.head, minlength=pair.n_nodes)[pair.right_nodes(right)]
    order = np.argsort(degree, kind="stable")
    others = np.empty_like(right)
    others[order] = np.roll(right[order], 1)
    return RightIds(others)


# ----------------------------------------------------------------------------- of one block


def better_and_worse(ops: Ops[A], consensus: A) -> tuple[int, int]:
    """Return how many rows have more in the first column than in the second, and how many less."""
    better: Bools = ops.to_numpy(consensus[:, 0] > consensus[:, 1])
    worse: Bools = ops.to_numpy(consensus[:, 0] < consensus[:, 1])
    return int(better.sum()), int(worse.sum())
