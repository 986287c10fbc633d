"""Literals as evidence: words, pieces of words, whole values and numbers that both sides have.

A word counts whatever attribute it stands in: a name may be in one attribute on one side and in two
on the other. Where the links so far tell which attributes say the same, it counts once more with
its attribute, and close numbers count too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.attribute_checks import JudgedAttributes
from lighttea.evidence.attributes import AttributeMatches, match_attributes
from lighttea.evidence.conflicts import ValueConflict, find_conflicts
from lighttea.evidence.evidence import PlainTokens
from lighttea.evidence.tokens import TokenKind, make_tokens
from lighttea.graph.pair import Links
from lighttea.literals.lists import Lists
from lighttea.literals.table import LiteralTable
from lighttea.types import Bools, Doubles, Ints

WHOLE = TokenKind(False, False, "whole value", 8.0)
WORDS = TokenKind(False, False, "words", 8.0)
PIECES = TokenKind(False, False, "pieces", 8.0)
MATCHED = TokenKind(False, True, "words", 8.0)
NUMBERS = TokenKind(False, True, "numbers", 2.0)
LITERAL_KINDS = (WHOLE, WORDS, PIECES, MATCHED, NUMBERS)
FEWEST = 10  # links from which it is told which attributes say the same
SAME_LINKS = 0.02  # share of the links that may change before attributes are matched anew
_FAR = 100_000  # keeps places of the smallest numbers above 0
_STEPS = (0.01, 0.1)  # widths of number tokens, as shares of a number


@dataclass(frozen=True)
class LiteralEvidence:
    """The tokens of literals, as far as the links so far tell what they are worth."""

    table: LiteralTable
    judged: JudgedAttributes
    usable: Bools  # (n_attributes,) attributes that count now
    tokens: Sequence[PlainTokens]
    matches: AttributeMatches | None = None
    find_conflicts: Callable[[], Sequence[ValueConflict]] = tuple
    links: Links = field(default_factory=Links.none)  # that tell it

    @cached_property
    def conflicts(self) -> Sequence[ValueConflict]:
        """What it counts that values differ; found when it is first asked for."""
        return self.find_conflicts()

    @classmethod
    def of(cls, table: LiteralTable, judged: JudgedAttributes) -> LiteralEvidence:
        """Return what is known before there is any link."""
        tokens = list(literal_tokens(table, judged.trusted, None))
        return cls(table, judged, judged.trusted, tokens)

    def silent(self) -> LiteralEvidence:
        """Return the same where no literal counts until links speak for it."""
        none = np.zeros_like(self.usable)
        return LiteralEvidence(self.table, self.judged, none, ())

    def without_doubt(self) -> LiteralEvidence:
        """Return the same where doubtful attributes are trusted: without them nothing begins."""
        return LiteralEvidence.of(self.table, self.judged.without_doubt())

    def fitted(self, links: Links) -> LiteralEvidence:
        """Return the same as these links tell it."""
        if len(links) < FEWEST or links.agrees_with(self.links, SAME_LINKS):
            return self
        matches, told = match_attributes(self.table, links)
        proved = np.zeros(self.table.n_attributes, bool)
        for side in (matches.left, matches.right):
            proved[side[matches.are_proved]] = True
        usable = (self.judged.trusted & told) | (self.judged.unproved & proved)
        matches = matches.take(np.flatnonzero(usable[matches.left] & usable[matches.right]))
        tokens = list(literal_tokens(self.table, usable, matches))
        conflicts = partial(find_conflicts, self.table.of_attributes(usable), matches, links)
        return LiteralEvidence(self.table, self.judged, usable, tokens, matches, conflicts, links)


def literal_tokens(
    table: LiteralTable, usable: Bools, matches: AttributeMatches | None
) -> Iterator[PlainTokens]:
    """Yield the tokens of every kind that both sides have some of.

    `usable` says which attributes count. `matches` are the attributes that say the same, where that
    is known.
    """
    table = table.of_attributes(usable)
    words = table.vocabulary
    for kind, lists in ((WHOLE, words.whole), (WORDS, words.words), (PIECES, words.pieces)):
        yield from _shared(table, kind, *_expand(table, lists))
    if matches is None:
        return
    classes = matches.classes()
    place, word = words.words.take(table.value)
    own = classes[table.attribute[place]]
    known = own >= 0
    yield from _shared(table, MATCHED, table.node[place[known]], own[known], word[known])
    yield from _shared(table, NUMBERS, *_number_tokens(table, classes, matches.log_scale()))


def _expand(table: LiteralTable, lists: Lists) -> tuple[Ints, Ints]:
    place, item = lists.take(table.value)
    return table.node[place], item


def _number_tokens(table: LiteralTable, classes: Ints, log_scale: Doubles) -> tuple[Ints, ...]:
    """Return node, class and place on a scale of logarithms: close numbers share a place."""
    number = table.vocabulary.number[table.value]
    class_of_row = classes[table.attribute]
    known = np.flatnonzero(
        (class_of_row >= 0)
        & np.isfinite(number)
        & (number != 0)
        & np.isfinite(log_scale[table.attribute])
    )
    number, own = number[known], class_of_row[known]
    size = np.log(np.abs(number)) + log_scale[table.attribute[known]]
    columns = []
    for step_number, step in enumerate(_STEPS):
        for near in (0, 1):
            place = np.floor(size / step).astype(np.int64) + near
            sign = 2 * step_number + (number < 0)
            columns.append(np.stack([table.node[known], own, sign, place + _FAR]))
    order = np.argsort(np.tile(known, len(columns)), kind="stable")  # literal by literal
    node, own, sign, place = np.concatenate(columns, axis=1)[:, order]
    return node, own, sign, place


def _shared(
    table: LiteralTable, kind: TokenKind, node: Ints, *parts: Ints
) -> Iterator[PlainTokens]:
    """Yield the tokens, unless one side has none."""
    n_entities = table.n_nodes - table.n_decoys
    is_left, is_right = node < table.n_left, (node >= table.n_left) & (node < n_entities)
    if is_left.any() and is_right.any():
        columns = [part.astype(np.int64) for part in parts]
        yield (
            kind,
            make_tokens(
                PLAIN, table.n_nodes, node.astype(np.int32), *columns, n_decoys=table.n_decoys
            ),
        )
