"""Which attributes of the two sides say the same, by the links so far.

For each couple of a left and a right attribute: how many links know both, how many of those agree,
and how many chance pairs do. Two values agree where they share half of the words of one of them, or
half of its pieces, by weight, or where they are numbers in the usual ratio. That ratio is found in
the data: one side may count in metres, the other in feet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from lighttea.graph.pair import Links
from lighttea.literals.lists import Lists
from lighttea.literals.table import LiteralTable
from lighttea.types import Bools, Doubles, Ints, RightIds

MIN_KNOWN = 5  # links that know both attributes, for a match
MIN_TOLD = 20  # links that know both attributes, from which it tells that they do not match
MIN_AGREEMENT = 0.3
PROVED = 0.8  # of those links that agree, for attributes that count only where that is proved
DEVIATIONS = 3.0  # how far agreement has to lie above chance
HALF = 0.5  # of the words of a value, by weight
CLOSE = 0.01  # share of an attribute's numbers that may lie between two that agree
CODES = 0.9  # of an attribute's numbers that are rows of as many digits: these are no quantities
SAME_UNIT = 0.02  # ratios that differ from one by less are one
_ROUNDING = 1e-9
ROLLS = 4  # chance pairs for each link
MOST_LINKS = 10_000  # that are looked at
MOST_COUPLES = 1_000_000  # of values that are compared


@dataclass(frozen=True)
class AttributeMatches:
    """Couples of a left and a right attribute that say the same, those that tell most first."""

    left: Ints
    right: Ints
    known: Ints  # links that know both
    agreeing: Ints  # of those
    chance: Doubles  # share of chance pairs that agree
    log_ratio: Doubles  # usual logarithm of left number over right number; NaN: no numbers
    n_attributes: int

    def __len__(self) -> int:
        return len(self.left)

    @property
    def bits(self) -> Doubles:
        """What an agreement is worth: how much likelier it is among links, as a power of two."""
        return np.asarray(np.log2((self.agreeing + 0.5) / (self.known + 1) / self.chance))

    @property
    def gain(self) -> Doubles:
        """What all agreements of a couple are worth together."""
        return np.asarray(self.agreeing * self.bits)

    @property
    def are_proved(self) -> Bools:
        """Which couples enough links know, and nearly all of them agree in."""
        return np.asarray((self.known >= MIN_TOLD) & (self.agreeing >= PROVED * self.known))

    def take(self, places: Ints) -> AttributeMatches:
        """Return some of them."""
        columns = {name: c[places] for name, c in vars(self).items() if name != "n_attributes"}
        return replace(self, **columns)

    def classes(self) -> Ints:
        """Return one number for attributes that say the same, -1 for those without match.

        An attribute joins its best partner, from either side: a name that the other side splits in
        two has both parts for partners.
        """
        best = np.zeros(self.n_attributes)
        np.maximum.at(best, self.left, self.gain)
        np.maximum.at(best, self.right, self.gain)
        is_best = (self.gain >= best[self.left]) | (self.gain >= best[self.right])
        left, right = self.left[is_best], self.right[is_best]
        joined = sp.coo_array((np.ones(len(left)), (left, right)), shape=(self.n_attributes,) * 2)
        _, classes = sp.csgraph.connected_components(joined, directed=False)
        matched = np.zeros(self.n_attributes, bool)
        matched[left], matched[right] = True, True
        return np.where(matched, classes, -1).astype(np.int32)

    def log_scale(self) -> Doubles:
        """Return what is added to the logarithms of an attribute's numbers; NaN: no quantities.

        Left numbers stay as they are, right ones are counted in the unit of their best partner.
        """
        scale = np.full(self.n_attributes, np.nan)
        for place in np.argsort(self.gain, kind="stable"):  # the best one last
            if np.isfinite(self.log_ratio[place]):
                scale[self.left[place]] = 0.0
                scale[self.right[place]] = self.log_ratio[place]
        return scale


def match_attributes(table: LiteralTable, links: Links) -> tuple[AttributeMatches, Bools]:
    """Return the attributes that say the same, and which attributes may count.

    One that enough links know on both sides and that matches none does not count: where its values
    are equal all the same, as row numbers are, they are so by chance.
    """
    links = _some_of(table, links)
    comparison = _Comparison(table)
    own = comparison.count(links)
    chance = comparison.chance(links, own)
    surplus = own.agreeing - own.known * chance
    is_match = (
        (own.known >= MIN_KNOWN)
        & (own.agreeing >= MIN_AGREEMENT * own.known)
        & (surplus > DEVIATIONS * np.sqrt(own.known * chance * (1 - chance)))
    )
    left, right = np.divmod(own.key, table.n_attributes)
    usable = np.ones(table.n_attributes, bool)
    told = own.known >= MIN_TOLD
    usable[left[told]], usable[right[told]] = False, False
    usable[left[is_match]], usable[right[is_match]] = True, True
    columns = left, right, own.known, own.agreeing, chance, own.log_ratio
    matches = AttributeMatches(*columns, n_attributes=table.n_attributes)
    matches = matches.take(np.flatnonzero(is_match))
    return matches.take(np.argsort(-matches.gain, kind="stable")), usable


def _some_of(table: LiteralTable, links: Links) -> Links:
    """Return the links, or every n-th of them where they know too much to compare it all."""
    links = links.take(slice(0, None, max(1, -(-len(links) // MOST_LINKS))))
    count = np.bincount(table.node, minlength=table.n_nodes).astype(np.int64)
    work = int((count[links.left] * count[links.right + table.n_left]).sum())
    return links.take(slice(0, None, max(1, -(-work // MOST_COUPLES))))


@dataclass(frozen=True)
class _Couples:
    """How many pairs of entities know each couple of attributes, and how many agree."""

    key: Ints  # left * n_attributes + right, rising
    known: Ints
    agreeing: Ints
    log_ratio: Doubles

    def places(self, key: Ints) -> tuple[Ints, Bools]:
        """Return where these keys are, and whether they are there."""
        place = np.clip(np.searchsorted(self.key, key), 0, max(0, len(self.key) - 1))
        is_there = self.key[place] == key if len(self.key) else np.zeros(len(key), bool)
        return place, is_there


@dataclass(frozen=True)
class _Parts:
    """Words or pieces of groups of values."""

    weight: Doubles  # (n_groups,) of all that a group has
    group: Ints  # of each of them
    item: Ints


@dataclass(frozen=True)
class _Groups:
    """The values of one attribute of one end of a link, taken together."""

    link: Ints
    attribute: Ints
    parts: Sequence[_Parts]  # words, then pieces
    log_number: Doubles  # of the first of them that is a number


class _Comparison:
    """Compares what the two ends of links say, attribute by attribute."""

    def __init__(self, table: LiteralTable) -> None:
        self._table = table
        self._start = np.searchsorted(table.node, np.arange(table.n_nodes + 1))
        words = table.vocabulary
        self._lists = words.words, words.pieces
        self._weights = [_rarities(table, lists) for lists in self._lists]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.abs(words.number))
        self._log_number = np.where(np.isfinite(logs), logs, np.nan)
        self._is_code = _are_codes(table)

    def count(self, links: Links, ratios: _Couples | None = None) -> _Couples:
        """Return for each couple of attributes how many links know both, and how many agree.

        Numbers agree where their ratio is the usual one of these links, or that of `ratios`.
        """
        left, right = self._groups(links.left), self._groups(links.right + self._table.n_left)
        own, other = join(left.link, right.link)
        key = left.attribute[own] * self._table.n_attributes + right.attribute[other]
        distinct, couple = np.unique(key, return_inverse=True)
        agrees = np.zeros(len(own), bool)
        for number in range(len(self._lists)):
            shared = self._shared_weights(left, right, number, own * len(right.link) + other)
            sides = left.parts[number].weight[own], right.parts[number].weight[other]
            lighter = np.minimum(*sides)
            agrees |= (shared >= HALF * lighter) & (lighter > 0)
        left_log, right_log = left.log_number[own], right.log_number[other]
        usual = _usual_ratios(couple, left_log - right_log, len(distinct))
        if ratios is not None and len(ratios.key):
            place, is_there = ratios.places(distinct)
            usual = np.where(is_there, ratios.log_ratio[place], np.nan)
        agrees |= self._are_close(right.attribute[other], left_log - usual[couple], right_log)
        known = np.bincount(couple, minlength=len(distinct))
        agreeing = np.bincount(couple[agrees], minlength=len(distinct))
        return _Couples(distinct, known, agreeing, usual)

    def _are_close(self, attribute: Ints, one: Doubles, other: Doubles) -> Bools:
        """Return where hardly any number of an attribute lies between two numbers."""
        are_close = np.zeros(len(one), bool)
        known = np.flatnonzero(np.isfinite(one) & np.isfinite(other))
        for number in np.unique(attribute[known]).tolist():
            usual, places = self._sorted_logs(number), known[attribute[known] == number]
            both = np.stack([one[places], other[places]])
            low, high = both.min(axis=0), both.max(axis=0)
            before, behind = (np.searchsorted(usual, ends - _ROUNDING) for ends in (low, high))
            is_same = high - low < _ROUNDING
            are_close[places] = is_same | (behind - before < CLOSE * len(usual))
        return are_close

    def _sorted_logs(self, attribute: int) -> Doubles:
        """Return the logarithms of an attribute's numbers, rising."""
        table = self._table
        rows = (table.attribute == attribute) & table.is_real
        logs = self._log_number[table.value[rows]]
        return np.sort(logs[np.isfinite(logs)])

    def chance(self, links: Links, own: _Couples) -> Doubles:
        """Return the share of chance pairs that agree, couple by couple; never quite 0."""
        known, agreeing = np.zeros((2, len(own.key)))
        for shift in range(1, min(ROLLS, len(links) - 1) + 1):
            right = RightIds(np.roll(links.right, shift))
            counted = self.count(Links(links.left, right), own)
            place, is_there = counted.places(own.key)
            if len(counted.key):
                known += np.where(is_there, counted.known[place], 0)
                agreeing += np.where(is_there, counted.agreeing[place], 0)
        return np.asarray((agreeing + 0.5) / (known + 1))

    def _groups(self, nodes: Ints) -> _Groups:
        """Return what these nodes say, link by link; the link is the place of the node."""
        table = self._table
        begin = self._start[nodes]
        count = self._start[np.asarray(nodes) + 1] - begin
        link = np.repeat(np.arange(len(nodes)), count)
        first = np.cumsum(count) - count
        row = np.arange(len(link)) - np.repeat(first - begin, count)
        key = link * np.int64(table.n_attributes) + table.attribute[row]
        distinct, group = np.unique(key, return_inverse=True)
        numbers = self._log_number[table.value[row]]
        known = np.flatnonzero(np.isfinite(numbers))[::-1]  # the first one last, which stays
        log_number = np.full(len(distinct), np.nan)
        log_number[group[known]] = numbers[known]
        attribute = distinct % table.n_attributes
        log_number[self._is_code[attribute]] = np.nan
        parts = [self._parts(number, group, row) for number in range(len(self._lists))]
        return _Groups(distinct // table.n_attributes, attribute, parts, log_number)

    def _parts(self, number: int, group: Ints, row: Ints) -> _Parts:
        """Return the distinct words, or pieces, of groups of rows."""
        place, item = self._lists[number].take(self._table.value[row])
        own, item = _distinct_couples(group[place], item)
        n_groups = int(group.max(initial=-1)) + 1
        return _Parts(_sums(own, self._weights[number][item], n_groups), own, item)

    def _shared_weights(self, left: _Groups, right: _Groups, number: int, couple: Ints) -> Doubles:
        """Return what two groups share of words, or of pieces; couples of groups are rising."""
        weight = self._weights[number]
        one, two = left.parts[number], right.parts[number]
        left_key, right_key = (
            groups.link[parts.group] * np.int64(len(weight)) + parts.item
            for groups, parts in ((left, one), (right, two))
        )
        order = np.argsort(right_key, kind="stable")
        own, other = join(left_key, right_key[order])
        found = one.group[own] * len(right.link) + two.group[order[other]]
        return _sums(np.searchsorted(couple, found), weight[one.item[own]], len(couple))


def _rarities(table: LiteralTable, lists: Lists) -> Doubles:
    """Return what each item weighs: the fewer entities have it, the more."""
    _, item = lists.take(table.value[table.is_real])
    n_items = int(lists.item.max(initial=-1)) + 1
    holders = np.maximum(np.bincount(item, minlength=n_items), 1)
    return np.log(np.maximum((table.n_nodes - table.n_decoys) / holders, 1.0)) + 1e-9


def join(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Return the places of all couples of equal entries; `right` is rising."""
    begin = np.searchsorted(right, left)
    count = np.searchsorted(right, left, side="right") - begin
    own = np.repeat(np.arange(len(left)), count)
    first = np.cumsum(count) - count
    return own, np.arange(len(own)) - np.repeat(first - begin, count)


def _sums(place: Ints, weight: Doubles, n: int) -> Doubles:
    """Return the summed weights of each of n places."""
    return np.bincount(place, weight, minlength=n).astype(np.float64)


def _distinct_couples(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    width = np.int64(second.max(initial=0) + 1)
    key = np.sort(first.astype(np.int64) * width + second)
    key = key[np.diff(key, prepend=-1) != 0]
    return key // width, key % width


def _are_codes(table: LiteralTable) -> Bools:
    """Return which attributes have rows of as many digits for numbers: codes, not quantities."""
    words = table.vocabulary
    is_number, digits = np.isfinite(words.number)[table.value], words.digits[table.value]
    count = np.bincount(table.attribute[is_number], minlength=table.n_attributes)
    length = np.array([len(text) for text in table.texts], np.int64)[table.value[digits]]
    width = int(length.max(initial=0)) + 1
    key, n_alike = np.unique(table.attribute[digits] * width + length, return_counts=True)
    is_code = np.zeros(table.n_attributes, bool)
    is_code[key[n_alike > CODES * count[key // width]] // width] = True
    return is_code


def _usual_ratios(couple: Ints, log_ratio: Doubles, n_couples: int) -> Doubles:
    """Return the median of the logarithms of the ratios, couple by couple; NaN: mostly no numbers.

    A ratio near one is taken for one.
    """
    known = np.flatnonzero(np.isfinite(log_ratio))
    order = known[np.lexsort([log_ratio[known], couple[known]])]
    start = np.searchsorted(couple[order], np.arange(n_couples + 1))
    count = np.diff(start)
    mostly = count * 2 > np.bincount(couple, minlength=n_couples)
    usual = np.full(n_couples, np.nan)
    usual[mostly] = log_ratio[order[(start[:-1] + count // 2)[mostly]]]
    return np.where(np.abs(usual) < SAME_UNIT, 0.0, usual)
