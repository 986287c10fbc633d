"""The terms of a score split into parts that name the facts they come from.

- `time` (eq. 8) is a multiset overlap: each tick that both have adds the same amount, exactly.
- `consensus` is a weighted mean of cosines of rare evidence: each shared token adds its weight over
  the two lengths, exactly.
- `relational` and `temporal` compare labels, which hold a neighbourhood several hops deep. Facts
  that match up get the share that they would have in a cosine of the two sets of facts, the rest of
  the neighbourhood gets what is left: a fair share, not a measurement, and marked as such.

Parts are scaled to add up to the term as the run has it; where that changes them by more than
rounding does, they are marked as estimates too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lighttea.evidence.tokens import (
    Kind,
    Rows,
    Tokens,
    first_year,
    times_of,
    token_parts,
    years_through,
)
from lighttea.explain.explanation import ScorePart
from lighttea.explain.matching import Match
from lighttea.explain.source import Neighbourhood, Source
from lighttea.graph.timeline import UNKNOWN

_ROUNDING = 1e-4  # relative; scores are float32


@dataclass(frozen=True)
class Couple:
    """Two entities with their facts matched up."""

    left: Neighbourhood
    right: Neighbourhood
    matches: Sequence[Match]
    left_node: int
    right_node: int


def split_terms(source: Source, couple: Couple, terms: Mapping[str, float]) -> list[ScorePart]:
    """Every term of a candidate's score in parts; their values add up to it."""
    parts: list[ScorePart] = []
    for term, value in terms.items():
        split = _SPLITS.get(term)
        found = list(split(source, couple)) if split else []
        parts += _scaled(term, value, _merged(found))
    return parts


def _merged(found: Sequence[ScorePart]) -> list[ScorePart]:
    """One part for what has the same facts or, where there are none, the same words."""
    sums: dict[tuple[int | None, str], ScorePart] = {}
    for part in found:
        key = part.match, part.words
        value = part.value + (sums[key].value if key in sums else 0.0)
        sums[key] = replace(part, value=value)
    return list(sums.values())


def _scaled(term: str, value: float, found: Sequence[ScorePart]) -> list[ScorePart]:
    """The parts so that they add up to the term; what has no parts is one itself."""
    if term in _LABEL_TERMS:
        shares = [replace(part, value=part.value * value) for part in found]
        rest = value - sum(part.value for part in shares)
        return [*shares, ScorePart(term, _LABEL_TERMS[term], rest, exact=False)]
    total = sum(part.value for part in found)
    if not found or total <= 0:
        return [ScorePart(term, _WORDS.get(term, term), value, exact=True)] if value else []
    factor = value / total
    exact = abs(factor - 1) < _ROUNDING
    return [replace(part, value=part.value * factor, exact=exact) for part in found]


_LABEL_TERMS = {
    "relational": "similar neighbourhood beyond the matched facts (labels, by relation)",
    "temporal": "similar neighbourhood beyond the matched facts (labels, by time)",
}
_WORDS = {"time": "times in common", "consensus": "evidence in common", "names": "similar names"}


# ------------------------------------------------------------------------------------ labels


def _relational(source: Source, couple: Couple) -> Iterator[ScorePart]:
    """What the couples (neighbour, relation) in common are in a cosine of all of them."""
    n = [len({*zip(s.neighbour.tolist(), s.relation.tolist(), strict=True)}) for s in _both(couple)]
    agreeing = [
        (number, (int(couple.left.neighbour[one.left]), int(couple.left.relation[one.left])))
        for number, one in enumerate(couple.matches)
        if one.same_neighbour and one.same_relation
    ]
    yield from _shares("relational", agreeing, n)


def _temporal(source: Source, couple: Couple) -> Iterator[ScorePart]:
    """The same with (neighbour, tick)."""
    seen = [_neighbour_ticks(side) for side in _both(couple)]
    agreeing = []
    for number, one in enumerate(couple.matches):
        ticks = couple.left.ticks_of(one.left) & couple.right.ticks_of(one.right)
        node = int(couple.left.neighbour[one.left])
        agreeing += [(number, (node, tick)) for tick in ticks if one.same_neighbour]
    yield from _shares("temporal", agreeing, [len(one) for one in seen])


def _shares(
    term: str, agreeing: Sequence[tuple[int, Hashable]], sizes: Sequence[int]
) -> Iterator[ScorePart]:
    """Each distinct thing in common has 1 / sqrt(n m) of the cosine, divided among its matches."""
    if not agreeing:
        return
    often = Counter(what for _, what in agreeing)
    each = 1 / np.sqrt(max(sizes[0], len(often)) * max(sizes[1], len(often)))
    by_match: defaultdict[int, float] = defaultdict(float)
    for number, what in agreeing:
        by_match[number] += each / often[what]
    for number, share in by_match.items():
        yield ScorePart(term, "", float(share), exact=False, match=number)


def _neighbour_ticks(side: Neighbourhood) -> set[tuple[int, int]]:
    fact, tick = side.ticks()
    known = tick != UNKNOWN
    return {*zip(side.neighbour[fact[known]].tolist(), tick[known].tolist(), strict=True)}


def _both(couple: Couple) -> tuple[Neighbourhood, Neighbourhood]:
    return couple.left, couple.right


# -------------------------------------------------------------------------------------- time


def _time(source: Source, couple: Couple) -> Iterator[ScorePart]:
    """2v / (k + q) tick by tick: each tick in common adds 2 / (k + q), the weights aside."""
    counts = [_tick_counts(side) for side in _both(couple)]
    total = sum(counts[0].values()) + sum(counts[1].values())
    if not total:
        return
    config = source.config
    each = 2 * config.time_weight * (1 - config.consensus) / total
    left_over = counts[0] & counts[1]  # as often as both have it
    for number, one in enumerate(couple.matches):
        for tick in couple.left.ticks_of(one.left) & couple.right.ticks_of(one.right):
            if one.same_neighbour and left_over[tick] > 0:
                left_over[tick] -= 1
                yield ScorePart("time", "", each, exact=True, match=number)
    for tick, often in sorted((+left_over).items()):
        words = f"facts of both at {source.tick_names[tick]}" + (f" ({often})" if often > 1 else "")
        yield ScorePart("time", words, each * often, exact=True)


def _tick_counts(side: Neighbourhood) -> Counter[int]:
    """The multiset of ticks: a fact said twice at one tick counts once."""
    fact, tick = side.ticks()
    columns = (side.relation[fact].tolist(), side.neighbour[fact].tolist(), tick.tolist())
    return Counter(tick for _, _, tick in {*zip(*columns, strict=True)} if tick != UNKNOWN)


# --------------------------------------------------------------------------------- consensus


def _consensus(source: Source, couple: Couple) -> Iterator[ScorePart]:
    """Kind by kind, token by token; a token goes to the matches that show it."""
    total = sum(kind.weight for kind, _ in source.tokens)
    shown = _rows_by_fact(couple)
    for kind, tokens in source.tokens:
        share = source.config.consensus * kind.weight / total
        length = tokens.length[couple.left_node] * tokens.length[couple.right_node]
        if kind.time == "name":
            yield from _name_part(tokens, couple, share, length)
            continue
        left, right = (
            _local_tokens(source, kind, tokens, side, node)
            for side, node in (
                (couple.left, couple.left_node),
                (couple.right, couple.right_node),
            )
        )
        for token in left.keys() & right.keys() if length > 0 else ():
            value = float(share * tokens.weight[token] / length)
            matches = [
                shown[fact] for fact in left[token].facts if fact in shown
            ]  # matches of the left facts that have the token ...
            matches = [one for one in matches if couple.matches[one].right in right[token].facts]
            for number in matches:
                yield ScorePart("consensus", "", value / len(matches), exact=True, match=number)
            if not matches:
                yield ScorePart(
                    "consensus", _told(source, kind, left[token].key), value, exact=True
                )


def _name_part(tokens: Tokens, couple: Couple, share: float, length: float) -> Iterator[ScorePart]:
    """All that two names have in common, in one part."""
    left, right = (
        set(tokens.token[tokens.start[node] : tokens.start[node + 1]].tolist())
        for node in (couple.left_node, couple.right_node)
    )
    if left & right:
        value = share * float(tokens.weight[list(left & right)].sum()) / length
        yield ScorePart("consensus", _WORDS["names"], float(value), exact=True)


@dataclass(frozen=True)
class _Shown:
    """A token of an entity: what it is made of, and the facts that have it."""

    key: tuple[int, ...]
    facts: set[int]


def _rows_by_fact(couple: Couple) -> dict[int, int]:
    return {one.left: number for number, one in enumerate(couple.matches)}


def _local_tokens(
    source: Source, kind: Kind, tokens: Tokens, side: Neighbourhood, node: int
) -> dict[int, _Shown]:
    """The tokens of one entity by their numbers.

    An entity's tokens are listed in the order of its facts, each once.
    """
    row = tokens.token[tokens.start[node] : tokens.start[node + 1]]
    if not len(row):
        return {}
    facts: defaultdict[tuple[int, ...], set[int]] = defaultdict(set)
    for key, fact in zip(*_keys(source, kind, _seen_facts(source, kind, side)), strict=True):
        facts[key].add(fact)
    own, _ = _keys(source, kind, source.rows(kind.time).of_head(node))
    return {
        int(token): _Shown(key, facts[key])
        for token, key in zip(row, dict.fromkeys(own), strict=True)
    }


def _seen_facts(source: Source, kind: Kind, side: Neighbourhood) -> Rows:
    """The facts of a neighbourhood as a kind sees them; their numbers stand for the heads."""
    fact, tick = side.ticks()
    if kind.time == "during":
        fact = np.flatnonzero((side.begin != UNKNOWN) & (side.end > side.begin))
        place, seen = years_through(source.pair.ticks, side.begin[fact], side.end[fact])
    else:
        place, seen = times_of(source.pair.ticks, tick, kind.time)
    number = fact[place]
    return Rows(number, side.relation[number], side.neighbour[number], seen)


def _keys(source: Source, kind: Kind, rows: Rows) -> tuple[list[tuple[int, ...]], list[int]]:
    """What the tokens of these rows are made of, and the heads of those that give one."""
    has, parts = token_parts(rows, kind, source.evidence, source.evidence_relation)
    columns = [part[has].tolist() for part in parts]
    return list(zip(*columns, strict=True)), rows.head[has].tolist()


def _told(source: Source, kind: Kind, key: tuple[int, ...]) -> str:
    """A token in words."""
    values = list(key)
    said = []
    if kind.neighbour:
        said.append(f"with {source.entity_name(values.pop(0))}")
    if kind.relation:
        said.append(f"by {_relation_of_class(source, values.pop(0))}")
    if kind.time == "tick":
        said.append(f"at {source.tick_names[values.pop(0)]}")
    elif kind.time == "near":
        said.append("at nearly the same time")
    elif kind.time:
        year = 1970 + first_year(source.pair.ticks) + values.pop(0)
        said.append(f"{'in' if kind.time == 'year' else 'during'} the year {year}")
    return "facts of both " + " ".join(said)


def _relation_of_class(source: Source, number: int) -> str:
    """The first relation of a class, as its name."""
    name, is_inverse = source.relation_name(int(np.argmax(source.evidence_relation == number)))
    return f"{name}, turned round" if is_inverse else name


_SPLITS = {
    "relational": _relational,
    "temporal": _temporal,
    "time": _time,
    "consensus": _consensus,
}
