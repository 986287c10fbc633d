"""The terms of a score split into parts that name the facts they come from.

- `time` (eq. 8) is a multiset overlap: each common tick adds the same amount, exactly.
- `consensus` is a weighted mean of cosines of rare evidence: each common token adds its weight over
  the two lengths, exactly. Tokens of literals go to the couple of literals that has them.
- `likelihood` adds up log-odds: each fact adds what it says that the other side has a fact with the
  same neighbour, or has none, exactly. Where facts say nothing it is one, for all candidates alike.
- `contradiction` adds up what each fact that can be true only once, and is told differently, counts
  against the pair, and what literals count that may not differ; such a fact counts for nothing
  else.
- `relational` and `temporal` compare labels, which summarise a neighbourhood several hops deep.
  Matched facts get the share that they would have in a cosine of the two sets of facts, the rest of
  the neighbourhood gets the remainder: an estimate, and marked as such.

Parts are scaled to add up to the term in the run; where that changes them by more than rounding,
they are marked as estimates too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.keys import known_rows
from lighttea.engines.tables import TokenLists
from lighttea.evidence.contradictions import MOST
from lighttea.evidence.facts import (
    FactColumns,
    PlainFacts,
    facts_of_head,
    first_year,
    times_of,
    years_through,
)
from lighttea.evidence.likelihood import UNIT, LikelihoodPart, PlainRarities
from lighttea.evidence.literals import LITERAL_KINDS
from lighttea.evidence.tokens import TokenKind, token_columns
from lighttea.explain.explanation import ScorePart
from lighttea.explain.literals import ComparedLiterals
from lighttea.explain.matching import Match
from lighttea.explain.source import Neighbourhood, Source
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import Bools, Ints, NumpyArray

_ROUNDING = 1e-4  # of what is added up; scores are float32


@dataclass(frozen=True)
class CandidatePair:
    """Two entities, the matches of their facts and the couples of their literals."""

    left: Neighbourhood
    right: Neighbourhood
    matches: Sequence[Match]
    left_node: int
    right_node: int
    literals: ComparedLiterals


def split_terms(
    source: Source, candidate: CandidatePair, terms: Mapping[str, float]
) -> list[ScorePart]:
    """Return the parts of every term of a candidate's score; their values add up to it."""
    parts: list[ScorePart] = []
    for term, value in terms.items():
        split = _SPLITTERS.get(term)
        term_parts = list(split(source, candidate)) if split else []
        parts += _scale_parts(term, value, _merge_parts(term_parts))
    return parts


def _merge_parts(parts: Sequence[ScorePart]) -> list[ScorePart]:
    """Return the parts with those of the same match, or else the same words, added up."""
    sums: dict[tuple[int | None, int | None, str], ScorePart] = {}
    for part in parts:
        key = part.match, part.literal, part.words
        value = part.value + (sums[key].value if key in sums else 0.0)
        sums[key] = replace(part, value=value)
    return list(sums.values())


def _scale_parts(term: str, value: float, parts: Sequence[ScorePart]) -> list[ScorePart]:
    """Return the parts scaled to the value of the term; a term without parts is one part."""
    if term in _LABEL_TERMS:
        shares = [replace(part, value=part.value * value) for part in parts]
        rest = value - sum(part.value for part in shares)
        return [*shares, ScorePart(term, _LABEL_TERMS[term], rest, exact=False)]
    total = sum(part.value for part in parts)
    if not parts or total * value <= 0:
        return [ScorePart(term, _WORDS.get(term, term), value, exact=True)] if value else []
    factor = value / total
    in_scales = term == "contradiction"  # whose unit is the run's own
    added = sum(abs(part.value) for part in parts)
    exact = total > -MOST if in_scales else abs(total - value) < _ROUNDING * added
    return [replace(part, value=part.value * factor, exact=exact) for part in parts]


_LABEL_TERMS = {
    "relational": "similar neighbourhood beyond the matched facts (labels, by relation)",
    "temporal": "similar neighbourhood beyond the matched facts (labels, by time)",
}
_WORDS = {
    "time": "times in common",
    "consensus": "evidence in common",
    "likelihood": "facts in common, and expected ones that are missing",
    "contradiction": "facts and literals that contradict",
    "names": "similar names",
}
_ALIKE = "the same for all candidates, so that no score is below 0"
_SCATTERED = "words and pieces in common, scattered over the literals"


# ------------------------------------------------------------------------------------ labels


def _split_relational(source: Source, candidate: CandidatePair) -> Iterator[ScorePart]:
    """Yield the share of each match in a cosine of all (neighbour, relation) couples."""
    left = candidate.left
    sizes = [
        len({*zip(side.neighbour.tolist(), side.relation.tolist(), strict=True)})
        for side in _sides(candidate)
    ]
    agreeing = [
        (number, (int(left.neighbour[match.left]), int(left.relation[match.left])))
        for number, match in enumerate(candidate.matches)
        if match.same_neighbour and match.same_relation and not match.contradicts
    ]
    yield from _share_parts("relational", agreeing, sizes)


def _split_temporal(source: Source, candidate: CandidatePair) -> Iterator[ScorePart]:
    """Yield the share of each match in a cosine of all (neighbour, tick) couples."""
    sizes = [len(_neighbour_ticks(side)) for side in _sides(candidate)]
    agreeing = []
    for number, match in enumerate(candidate.matches):
        ticks = candidate.left.ticks_of(match.left) & candidate.right.ticks_of(match.right)
        node = int(candidate.left.neighbour[match.left])
        agreeing += [(number, (node, tick)) for tick in ticks if match.same_neighbour]
    yield from _share_parts("temporal", agreeing, sizes)


def _share_parts(
    term: str, agreeing: Sequence[tuple[int, Hashable]], sizes: Sequence[int]
) -> Iterator[ScorePart]:
    """Yield the share of each match: a common item has 1 / sqrt(n m), split among its matches."""
    if not agreeing:
        return
    n_matches = Counter(item for _, item in agreeing)
    item_share = 1 / np.sqrt(max(sizes[0], len(n_matches)) * max(sizes[1], len(n_matches)))
    by_match: defaultdict[int, float] = defaultdict(float)
    for number, item in agreeing:
        by_match[number] += item_share / n_matches[item]
    for number, share in by_match.items():
        yield ScorePart(term, "", float(share), exact=False, match=number)


def _neighbour_ticks(side: Neighbourhood) -> set[tuple[int, int]]:
    fact, tick = side.ticks()
    known = tick != UNKNOWN
    return {*zip(side.neighbour[fact[known]].tolist(), tick[known].tolist(), strict=True)}


def _sides(candidate: CandidatePair) -> tuple[Neighbourhood, Neighbourhood]:
    return candidate.left, candidate.right


# -------------------------------------------------------------------------------------- time


def _split_time(source: Source, candidate: CandidatePair) -> Iterator[ScorePart]:
    """Yield the parts of 2v / (k + q): each common tick adds 2 / (k + q), times the weights."""
    counts = [_tick_counts(side) for side in _sides(candidate)]
    total = sum(counts[0].values()) + sum(counts[1].values())
    if not total:
        return
    config = source.config
    tick_value = 2 * config.time_weight * (1 - config.consensus) / total
    shared = counts[0] & counts[1]  # as often as both have it
    for number, match in enumerate(candidate.matches):
        for tick in candidate.left.ticks_of(match.left) & candidate.right.ticks_of(match.right):
            if match.same_neighbour and shared[tick] > 0:
                shared[tick] -= 1
                yield ScorePart("time", "", tick_value, exact=True, match=number)
    for tick, count in sorted((+shared).items()):
        times = f" ({count} times)" if count > 1 else ""
        words = f"both have facts at {source.tick_names[tick]}{times}"
        yield ScorePart("time", words, tick_value * count, exact=True)


def _tick_counts(side: Neighbourhood) -> Counter[int]:
    """Return the multiset of ticks; repeated facts at one tick count once."""
    fact, tick = side.ticks()
    columns = (side.relation[fact].tolist(), side.neighbour[fact].tolist(), tick.tolist())
    return Counter(tick for _, _, tick in {*zip(*columns, strict=True)} if tick != UNKNOWN)


# --------------------------------------------------------------------------------- consensus


def _split_consensus(source: Source, candidate: CandidatePair) -> Iterator[ScorePart]:
    """Yield the value of each common token, split among the matches whose facts have it."""
    total = sum(kind.weight for kind, _ in source.tokens)
    for couple, value in candidate.literals.consensus:
        words = _SCATTERED if couple is None else ""
        in_scores = source.config.consensus * value / total
        yield ScorePart("consensus", words, in_scores, exact=True, literal=couple)
    match_of_fact = _match_of_left_fact(candidate)
    for kind, tokens in source.tokens:
        if kind in LITERAL_KINDS:
            continue
        share = source.config.consensus * kind.weight / total
        length = tokens.length[candidate.left_node] * tokens.length[candidate.right_node]
        left, right = (
            _local_tokens(source, kind, tokens, side, node)
            for side, node in (
                (candidate.left, candidate.left_node),
                (candidate.right, candidate.right_node),
            )
        )
        for token in left.keys() & right.keys() if length > 0 else ():
            value = float(share * tokens.weight[token] / length)
            numbers = [match_of_fact[fact] for fact in left[token].facts if fact in match_of_fact]
            numbers = [n for n in numbers if candidate.matches[n].right in right[token].facts]
            for number in numbers:
                yield ScorePart("consensus", "", value / len(numbers), exact=True, match=number)
            if not numbers:
                words = _describe_token(source, kind, left[token].key)
                yield ScorePart("consensus", words, value, exact=True)


def _split_likelihood(source: Source, candidate: CandidatePair) -> Iterator[ScorePart]:
    """Yield what each fact adds: with the match of both facts, or else with the neighbour."""
    if source.likelihood is None:
        return
    facts, weight = source.likelihood.facts, source.config.likelihood
    numbers = {
        (_fact_key(candidate.left, match.left), _fact_key(candidate.right, match.right)): number
        for number, match in enumerate(candidate.matches)
    }
    yield ScorePart("likelihood", _ALIKE, weight, exact=True)
    for part in source.likelihood.parts(candidate.left_node, candidate.right_node):
        both = sorted((part.fact, part.best))  # left facts come first
        keys = [(int(facts.relation[fact]), int(facts.tail[fact])) for fact in both if fact >= 0]
        number = numbers.get((keys[0], keys[1])) if part.best >= 0 else None
        words = "" if number is not None else _describe_part(source, part, facts)
        value = weight * part.log_odds / UNIT
        yield ScorePart("likelihood", words, value, exact=True, match=number)


def _fact_key(side: Neighbourhood, place: int) -> tuple[int, int]:
    return int(side.relation[place]), int(side.neighbour[place])


def _describe_part(source: Source, part: LikelihoodPart, facts: PlainRarities) -> str:
    """Return in words what a fact adds that belongs to no match."""
    if part.best >= 0:
        return (
            f"facts of both with {source.entity(int(facts.tail[min(part.fact, part.best)])).text}"
        )
    side = "right" if facts.head[part.fact] < facts.n_left else "left"
    return f"linked neighbours that the {side} entity does not have"


def _split_contradiction(source: Source, candidate: CandidatePair) -> Iterator[ScorePart]:
    """Yield what each contradiction counts, in scales."""
    for number, match in enumerate(candidate.matches):
        if match.contradicts:
            yield ScorePart("contradiction", "", match.contradiction, exact=True, match=number)
    for couple, scales in candidate.literals.contradictions:
        yield ScorePart("contradiction", "", scales, exact=True, literal=couple)


@dataclass(frozen=True)
class _TokenFacts:
    """A token of an entity: its components, and the facts that have it."""

    key: tuple[int, ...]
    facts: set[int]


def _match_of_left_fact(candidate: CandidatePair) -> dict[int, int]:
    matches = enumerate(candidate.matches)
    return {match.left: number for number, match in matches if not match.contradicts}


def _local_tokens(
    source: Source, kind: TokenKind, tokens: TokenLists[NumpyArray], side: Neighbourhood, node: int
) -> dict[int, _TokenFacts]:
    """Return the tokens of one entity by number, with the facts that have them.

    The distinct tokens of an entity are in the order of its facts.
    """
    row = tokens.token[tokens.start[node] : tokens.start[node + 1]]
    if not len(row):
        return {}
    facts: defaultdict[tuple[int, ...], set[int]] = defaultdict(set)
    number, rows = _facts_of_kind(source, kind, side, node)
    keys, has = _token_keys(source, kind, rows)
    for key, fact in zip(keys, number[has].tolist(), strict=True):
        facts[key].add(fact)
    own, _ = _token_keys(source, kind, facts_of_head(source.rows(kind.time), node))
    return {
        int(token): _TokenFacts(key, facts[key])
        for token, key in zip(row, dict.fromkeys(own), strict=True)
    }


def _facts_of_kind(
    source: Source, kind: TokenKind, side: Neighbourhood, node: int
) -> tuple[Ints, PlainFacts]:
    """Return the facts of an entity with the times of a kind, beside their numbers."""
    fact, tick = side.ticks()
    if kind.time == "during":
        fact = np.flatnonzero((side.begin != UNKNOWN) & (side.end > side.begin))
        place, seen = years_through(source.pair.ticks, side.begin[fact], side.end[fact])
    else:
        place, seen = times_of(source.pair.ticks, tick, kind.time)
    number = fact[place]
    head = np.full(len(number), node)
    return number, FactColumns(head, side.relation[number], side.neighbour[number], seen)


def _token_keys(
    source: Source, kind: TokenKind, rows: PlainFacts
) -> tuple[list[tuple[int, ...]], Bools]:
    """Return the components of the tokens of these rows, and which rows have a token."""
    names, classes = source.evidence.known_names(PLAIN), source.evidence_relation
    has, parts = known_rows(PLAIN, token_columns(rows, kind, names, classes))
    columns = [part[has].tolist() for part in parts]
    return list(zip(*columns, strict=True)), has


def _describe_token(source: Source, kind: TokenKind, key: tuple[int, ...]) -> str:
    """Return a token in words: `both have worksAt facts with London at 1966`."""
    values = list(key)
    neighbour = f" with {source.entity(values.pop(0)).text}" if kind.neighbour else ""
    relation = f" {_relation_of_class(source, values.pop(0))}" if kind.relation else ""
    if kind.time == "tick":
        time = f" at {source.tick_names[values.pop(0)]}"
    elif kind.time == "near":
        time = " at nearly the same time"
    elif kind.time:
        year = 1970 + first_year(source.pair.ticks) + values.pop(0)
        time = f" {'in' if kind.time == 'year' else 'during'} the year {year}"
    else:
        time = ""
    return f"both have{relation} facts{neighbour}{time}"


def _relation_of_class(source: Source, number: int) -> str:
    """Return what a person reads for the first relation of a class."""
    named, is_inverse = source.relation(int(np.argmax(source.evidence_relation == number)))
    return f"inverse {named.text}" if is_inverse else named.text


_SPLITTERS = {
    "relational": _split_relational,
    "temporal": _split_temporal,
    "time": _split_time,
    "consensus": _split_consensus,
    "likelihood": _split_likelihood,
    "contradiction": _split_contradiction,
}
