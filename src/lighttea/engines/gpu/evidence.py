"""What the links so far say of each candidate, on the device. See `evidence.tokens`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from lighttea.config import Config
from lighttea.engines.gpu.device import Device, blocks_by_load, host
from lighttea.engines.gpu.ragged import MOST_ENTRIES, Lists, overlaps, run_sums, spread
from lighttea.evidence.consensus import MOST_HOLDERS
from lighttea.evidence.relations import MIN_AGREEMENT, MIN_SHARED, RelationMatches
from lighttea.evidence.tokens import Kind, Tokens, rows_of, used_kinds
from lighttea.graph.pair import Links
from lighttea.kernels.sets import GAIN_STEPS, LAST_PLACE, PLACE_BITS
from lighttea.solve.problem import Problem

NONE = -1


@dataclass(frozen=True)
class DeviceTokens:
    """As `evidence.tokens.Tokens`: each node's distinct tokens with their weights, and lengths."""

    lists: Lists
    length: torch.Tensor  # (n_nodes,)

    @classmethod
    def of(cls, n_nodes: int, node: torch.Tensor, parts: Sequence[torch.Tensor]) -> DeviceTokens:
        """Tokens made of one or more numbers each, beside the nodes that have them."""
        distinct, token = torch.unique(_packed(parts), return_inverse=True)
        n_tokens = max(1, len(distinct))
        both = torch.unique(node.long() * n_tokens + token)
        node, token = both // n_tokens, both % n_tokens
        holders = torch.bincount(token, minlength=n_tokens)
        weight = torch.log(n_nodes / holders.clamp_min(1).double()).to(torch.float32) ** 2
        count = torch.bincount(node, minlength=n_nodes)
        return cls._made(token, weight[token], count, n_tokens)

    @classmethod
    def put(cls, tokens: Tokens, device: Device) -> DeviceTokens:
        """Tokens that were made elsewhere."""
        token = device.put(tokens.token, torch.int64)
        weight = device.put(tokens.weight)[token]
        count = device.put(np.diff(tokens.start), torch.int64)
        return cls._made(token, weight, count, max(1, tokens.n_tokens))

    @classmethod
    def _made(
        cls, token: torch.Tensor, value: torch.Tensor, count: torch.Tensor, n_tokens: int
    ) -> DeviceTokens:
        start = torch.nn.functional.pad(torch.cumsum(count, 0), (1, 0))
        length = run_sums(value, count).clamp_min(0).sqrt().to(torch.float32)
        return cls(Lists(start, token, value, n_tokens), length)


@dataclass(frozen=True)
class _Facts:
    """Facts as one kind of time sees them, on the device."""

    head: torch.Tensor
    relation: torch.Tensor
    tail: torch.Tensor
    time: torch.Tensor


class EvidenceMaker:
    """The facts of a problem on the device, ready to be read with any links."""

    def __init__(self, problem: Problem, device: Device) -> None:
        """Facts go there when they are first needed."""
        self._job, self._device = problem, device
        self._facts: dict[str, _Facts] = {}
        self.left = device.put(problem.pair.left_nodes(problem.left), torch.int64)
        self.right = device.put(problem.pair.right_nodes(problem.right), torch.int64)

    def made(
        self, links: Links, config: Config, more: Sequence[tuple[Kind, Tokens]]
    ) -> DeviceEvidence:
        """The tokens that these links give, kind by kind."""
        sets = [*self._sets(links, config)]
        sets += [(kind, DeviceTokens.put(tokens, self._device)) for kind, tokens in more]
        return DeviceEvidence(sets, self.left, self.right, self._device)

    def _rows(self, time: str) -> _Facts:
        if time not in self._facts:
            rows, put = rows_of(self._job.pair, time), self._device.put
            columns = (rows.head, rows.relation, rows.tail, rows.time)
            self._facts[time] = _Facts(*(put(one, torch.int32) for one in columns))
        return self._facts[time]

    def _sets(self, links: Links, config: Config) -> Iterator[tuple[Kind, DeviceTokens]]:
        pair, put = self._job.pair, self._device.put
        left = put(pair.left_nodes(links.left), torch.int64)
        right = put(pair.right_nodes(links.right), torch.int64)
        name = torch.arange(pair.n_nodes, dtype=torch.int64, device=left.device)
        name[right] = left
        linked = torch.zeros(pair.n_nodes, dtype=torch.bool, device=left.device)
        linked[left] = True
        linked[right] = True
        kinds = used_kinds(config, has_time=pair.has_time)
        classes = torch.full((pair.n_relations,), -1, dtype=torch.int64, device=left.device)
        if any(kind.relation for kind in kinds.values()):
            classes = put(self._matches(name, linked).classes(), torch.int64)
        for kind in kinds.values():
            rows = self._rows(kind.time)
            has = torch.ones(len(rows.head), dtype=torch.bool, device=left.device)
            parts = []
            if kind.neighbour:
                has &= linked[rows.tail]
                parts.append(name[rows.tail])
            if kind.relation:
                relation = classes[rows.relation]
                has &= relation >= 0
                parts.append(relation)
            if kind.time:
                has &= rows.time >= 0
                parts.append(rows.time.long())
            if has.any():
                yield (
                    kind,
                    DeviceTokens.of(pair.n_nodes, rows.head[has], [one[has] for one in parts]),
                )

    def _matches(self, name: torch.Tensor, linked: torch.Tensor) -> RelationMatches:
        """Which relations hold between the same couples of linked entities, and how often."""
        pair, facts = self._job.pair, self._rows("")
        n = pair.n_relations
        between = linked[facts.head] & linked[facts.tail]
        head, tail = facts.head[between], facts.tail[between]
        couples, couple = torch.unique(name[head] * pair.n_nodes + name[tail], return_inverse=True)
        holds, is_left = couple * n + facts.relation[between], head < pair.n_left
        left, right = (torch.unique(holds[side]) for side in (is_left, ~is_left))
        in_right = torch.bincount(right // n, minlength=max(1, len(couples)))
        in_left = torch.bincount(left // n, minlength=max(1, len(couples)))
        first = torch.cumsum(in_right, 0) - in_right
        entry, place = spread(in_right[left // n])  # every right relation of the same couple
        other = right[first[left[entry] // n] + place] % n
        met, shared = torch.unique((left[entry] % n) * n + other, return_counts=True)
        spoken_left = torch.bincount((left % n)[in_right[left // n] > 0], minlength=n)
        spoken_right = torch.bincount((right % n)[in_left[right // n] > 0], minlength=n)
        one, two, count = host(met // n), host(met % n), host(shared)
        said = np.sqrt(host(spoken_left)[one] * host(spoken_right)[two].astype(np.float32))
        agreement = (count / np.maximum(said, 1)).astype(np.float32)
        kept = np.flatnonzero((count >= MIN_SHARED) & (agreement >= MIN_AGREEMENT))
        kept = kept[np.argsort(-agreement[kept], kind="stable")]
        return RelationMatches(
            left=one[kept].astype(np.int32),
            right=two[kept].astype(np.int32),
            shared=count[kept].astype(np.int32),
            agreement=agreement[kept],
            n_relations=n,
        )


class DeviceEvidence:
    """The tokens of every kind, and what they say of two entities."""

    def __init__(
        self,
        sets: Sequence[tuple[Kind, DeviceTokens]],
        left: torch.Tensor,
        right: torch.Tensor,
        device: Device,
    ) -> None:
        """Left and right nodes: who asks, who may answer."""
        self._sets, self._left, self._right, self._device = sets, left, right, device

    def consensus(self, index: torch.Tensor) -> torch.Tensor:
        """(n, k), 0 to 1: the weighted mean over kinds of the cosine of two entities' tokens."""
        out = torch.zeros(index.shape, device=index.device)
        total = sum(kind.weight for kind, _ in self._sets)
        right = self._right[index.clamp_min(0).long()]
        for kind, tokens in self._sets:
            lists = _shared_by_both(tokens.lists, self._left, self._right)
            shared = overlaps(lists, self._left, self._right, index, self._device, smaller=False)
            length = tokens.length[self._left][:, None] * tokens.length[right]
            out += torch.where(
                length > 0, kind.weight / total * shared / length.clamp_min(1e-30), 0
            )
        return out

    def suggested(self, k: int, *, neighbours: bool) -> torch.Tensor:
        """(n, k): the right entities that share most rare tokens; -1 where there are fewer."""
        n_left, n_right = len(self._left), len(self._right)
        index = torch.full((n_left, k), NONE, dtype=torch.int32, device=self._left.device)
        wanted = [one for one in self._sets if one[0].neighbour == neighbours]
        if not wanted or not n_right:
            return index
        asking, answering = _inverted(wanted, self._left, self._right)
        held = answering.counts()
        entry_load = held[asking.item].to(torch.float64)
        load = run_sums(entry_load, asking.counts()).round().long()
        rows = self._device.rows(24.0 * n_right, n_left)
        later = LAST_PLACE - torch.arange(n_right, device=index.device)
        for block in blocks_by_load(load, MOST_ENTRIES, rows):
            nodes = torch.arange(block.start, block.stop, device=index.device)
            row, token, value = asking.of(nodes)
            entry, place = spread(held[token])
            at = answering.start[token][entry] + place
            gain = (value[entry] * answering.value[at]).double() * GAIN_STEPS + 0.5
            scores = torch.zeros(len(nodes) * n_right, dtype=torch.int64, device=index.device)
            scores.scatter_add_(0, row[entry] * n_right + answering.item[at], gain.long())
            keys = (scores.view(-1, n_right) << PLACE_BITS) | later  # the lower place of two equal
            best = keys.topk(min(k, n_right), dim=1, sorted=False).values
            found = torch.where(best > LAST_PLACE, LAST_PLACE - (best & LAST_PLACE), NONE)
            index[block, : found.shape[1]] = found.to(torch.int32)
        return index


def _shared_by_both(lists: Lists, left: torch.Tensor, right: torch.Tensor) -> Lists:
    """Only the items that somebody on each side has, and that weigh anything."""
    kept = lists.value > 0
    for nodes in (left, right):
        _, item, _ = lists.of(nodes)
        held = torch.zeros(lists.n_items, dtype=torch.bool, device=item.device)
        held[item] = True
        kept &= held[lists.item]
    return lists.where(kept)


def _inverted(
    sets: Sequence[tuple[Kind, DeviceTokens]], left: torch.Tensor, right: torch.Tensor
) -> tuple[Lists, Lists]:
    """Left rows with their rare tokens, and each token with the right rows that have it."""
    asked: list[tuple[torch.Tensor, ...]] = []
    answered: list[tuple[torch.Tensor, ...]] = []
    shift = 0
    for kind, tokens in sets:
        sides, rare = [], torch.ones(tokens.lists.n_items, dtype=torch.bool, device=left.device)
        for nodes in (left, right):
            row, item, weight = tokens.lists.of(nodes)
            length = tokens.length[nodes].clamp_min(1e-9)[row]
            sides.append((row, item, (kind.weight * weight).sqrt() / length))
            held = torch.bincount(item, minlength=tokens.lists.n_items)
            rare &= (held > 0) & (held <= MOST_HOLDERS)
        for (row, item, value), into in zip(sides, (asked, answered), strict=True):
            kept = rare[item] & (value > 0)
            into.append((row[kept], item[kept] + shift, value[kept]))
        shift += tokens.lists.n_items
    row, token, value = (torch.cat(column) for column in zip(*asked, strict=True))
    holder, held_token, held_value = (torch.cat(column) for column in zip(*answered, strict=True))
    return (
        _lists(row, token, value, len(left), shift),
        _lists(held_token, holder, held_value, shift, len(right)),
    )


def _lists(
    owner: torch.Tensor, item: torch.Tensor, value: torch.Tensor, n: int, n_items: int
) -> Lists:
    """Entries in any order, by owner."""
    order = torch.argsort(owner, stable=True)
    count = torch.bincount(owner, minlength=n)
    start = torch.nn.functional.pad(torch.cumsum(count, 0), (1, 0))
    return Lists(start, item[order], value[order], n_items)


def _packed(parts: Sequence[torch.Tensor]) -> torch.Tensor:
    """One number for each row of the columns, the same only for the same row."""
    key = parts[0].long()
    for part in parts[1:]:
        width = int(part.max()).bit_length() if len(part) else 0
        if len(key) and int(key.max()).bit_length() + width > 62:
            key = torch.unique(key, return_inverse=True)[1]
        key = (key << width) | part.long()
    return key
