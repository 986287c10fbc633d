"""Whether an attribute can be trusted, told by everything else: row numbers may look like ids.

Pairs of entities that alone have the same value of an attribute are taken for links, and each pair
is compared with a chance pair: the same left entity and the partner of another one that is as well
known. Where the value means something, facts, times and other attributes of the two agree better
than those of chance pairs; where it does not, one is as often better as the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from lighttea.config import Config
from lighttea.engines.base import Blocks
from lighttea.engines.ops import Ops
from lighttea.evidence.attribute_checks import FEWEST, AttributeCheck, judge_attributes
from lighttea.evidence.attributes import join
from lighttea.evidence.literals import LiteralEvidence, literal_tokens
from lighttea.graph.pair import Links, Pair
from lighttea.literals.lists import Lists
from lighttea.literals.table import LiteralTable
from lighttea.solve.problem import Problem
from lighttea.solve.workspace import Workspace
from lighttea.types import NO_CANDIDATE, A, Bools, Ints, LeftIds, RightIds

MOST_CHECKED = 12  # couples of attributes, those with most pairs
MOST_PAIRS = 5000  # of a couple that are looked at
MOSTLY = 0.9  # of an attribute's values that have a whole number, for it to count through them
DENSE = 0.5  # share of the whole numbers in a range that row numbers fill
DEPENDENT = 0.5  # share of the entities where one attribute repeats another


def start_literals(work: Workspace[A], config: Config) -> None:
    """Give the workspace what its literals say; warn of attributes that cannot be trusted."""
    problem = work.problem
    if problem.literals is None:
        return
    with work.progress.stage("literals"):
        table = problem.literals.table(problem.pair)
        checks = list(check_attributes(work, table, config))
        work.literals = LiteralEvidence.of(table, judge_attributes(table, checks))


def warn_of_attributes(work: Workspace[A]) -> None:
    """Tell which attributes that would have made many links are left out."""
    if work.literals is None:
        return
    table, usable = work.literals.table, work.literals.usable
    for check in work.literals.judged.checks:
        couple = [check.left, check.right]
        if not usable[couple].any() and not table.is_id[couple].any():
            work.progress.warn(check.warning(table))


def check_attributes(
    work: Workspace[A], table: LiteralTable, config: Config
) -> Iterator[AttributeCheck]:
    """Yield a check of each couple of attributes whose equal values would make many links."""
    namesakes = Namesakes.of(table, work.problem)
    counting = _are_row_numbers(table)
    is_judged = np.zeros(table.n_attributes, bool)
    for left, right, links in namesakes.couples():
        if is_judged[[left, right]].all():  # by partners with which they share more
            continue
        is_judged[[left, right]] = True
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
