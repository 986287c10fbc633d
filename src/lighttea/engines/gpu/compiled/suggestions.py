"""The right rows that share most rare tokens with each left row, in one launch."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from lighttea.engines.gpu.device import Device
from lighttea.engines.gpu.ragged import segment_sums
from lighttea.engines.gpu.tokens import in_steps
from lighttea.engines.tables import TokenIndex
from lighttea.kernels.sets import LAST_PLACE, PLACE_BITS, SPARE_BITS

_PROGRAMS = 1056  # eight for each processor of a large GPU
_TOKENS, _HOLDERS = 16, 16  # looked at together
_KEYS = 256
_KEY_BITS = 62


def suggest_by_tokens(tokens: TokenIndex[torch.Tensor], k: int, device: Device) -> torch.Tensor:
    """Return the right rows that share most with each left row, (n, k); -1 where there are fewer.

    As `tokens.suggest_by_tokens` beside this folder, which says what values are. In no order.
    """
    n_left, n_right = len(tokens.start) - 1, tokens.n_right
    index = torch.full((n_left, k), -1, dtype=torch.int32, device=tokens.start.device)
    if not (n_left and n_right and k and len(tokens.token)):
        return index
    held = tokens.holder_start[1:] - tokens.holder_start[:-1]
    here = slice(int(tokens.start[0]), int(tokens.start[-1]))
    load = segment_sums(held[tokens.token[here]].double(), tokens.start[1:] - tokens.start[:-1])
    most = max(1, min(int(load.max()), n_right))
    n_programs = device.rows(8.0 * (n_right + most), min(_PROGRAMS, n_left))
    scores = torch.zeros((n_programs, n_right), dtype=torch.int64, device=index.device)
    keys = torch.empty((n_programs, most), dtype=torch.int64, device=index.device)
    _suggest[(n_programs,)](
        tokens.start, tokens.token, in_steps(tokens.value),
        tokens.holder_start, tokens.holder, in_steps(tokens.holder_value),
        scores, keys, index, n_left, n_right, most, k, n_programs,
        SPARE_BITS, PLACE_BITS, LAST_PLACE, _KEY_BITS, _TOKENS, _HOLDERS, _KEYS,
    )  # fmt: skip
    return index


@triton.jit(do_not_specialize=["n_left", "n_right", "most", "k", "n_programs"])
def _suggest(
    start,
    token,
    value,
    holder_start,
    holder,
    holder_value,
    scores,
    keys,
    index,
    n_left,
    n_right,
    most,
    k,
    n_programs,
    spare_bits: tl.constexpr,
    place_bits: tl.constexpr,
    last_place: tl.constexpr,
    key_bits: tl.constexpr,
    n_tokens: tl.constexpr,
    n_holders: tl.constexpr,
    n_keys: tl.constexpr,
):
    """Some rows, one after the other: scores are added up, listed and cleared, the best kept."""
    program = tl.program_id(0).to(tl.int64)
    scores += program * n_right
    keys += program * most
    row = program
    while row < n_left:
        begin = tl.load(start + row).to(tl.int64)
        end = tl.load(start + row + 1).to(tl.int64)
        count = begin * 0
        for is_listed in tl.static_range(2):  # add them up, then list the holders
            tl.debug_barrier()
            position = begin
            while position < end:
                at = position + tl.arange(0, n_tokens)
                own = tl.load(token + at, mask=at < end, other=0).to(tl.int64)
                first = tl.load(holder_start + own, mask=at < end, other=0).to(tl.int64)
                last = tl.load(holder_start + own + 1, mask=at < end, other=0).to(tl.int64)
                weight = tl.load(value + at, mask=at < end, other=0)
                longest = tl.max(last - first)
                offset = longest * 0
                while offset < longest:
                    place = first[:, None] + offset + tl.arange(0, n_holders)[None, :]
                    is_entry = place < last[:, None]
                    other = tl.load(holder + place, mask=is_entry, other=0).to(tl.int64)
                    if is_listed:
                        score = tl.atomic_xchg(scores + other, 0, mask=is_entry)
                        score = tl.where(is_entry, score, 0)
                        key = ((score >> spare_bits) << place_bits) | (last_place - other)
                        is_new = tl.reshape((score >> spare_bits) > 0, (n_tokens * n_holders,))
                        to = count + tl.cumsum(is_new.to(tl.int32), 0) - 1
                        key = tl.reshape(key, (n_tokens * n_holders,))
                        tl.store(keys + to, key, mask=is_new)
                        count += tl.sum(is_new.to(tl.int64))
                    else:
                        theirs = tl.load(holder_value + place, mask=is_entry, other=0)
                        tl.atomic_add(scores + other, weight[:, None] * theirs, mask=is_entry)
                    offset += n_holders
                position += n_tokens
        tl.debug_barrier()
        least = begin * 0  # the smallest key that is kept
        if count > k:
            bit = key_bits
            while bit >= 0:
                trial = least | (tl.full((), 1, tl.int64) << bit)
                n_larger = begin * 0
                position = begin * 0
                while position < count:
                    at = position + tl.arange(0, n_keys)
                    key = tl.load(keys + at, mask=at < count, other=-1)
                    n_larger += tl.sum((key >= trial).to(tl.int64))
                    position += n_keys
                if n_larger >= k:
                    least = trial
                bit -= 1
        n_kept = begin * 0
        position = begin * 0
        while position < count:
            at = position + tl.arange(0, n_keys)
            key = tl.load(keys + at, mask=at < count, other=-1)
            is_kept = (at < count) & (key >= least)
            to = n_kept + tl.cumsum(is_kept.to(tl.int32), 0) - 1
            chosen = (last_place - (key & last_place)).to(tl.int32)
            tl.store(index + row * k + to, chosen, mask=is_kept)
            n_kept += tl.sum(is_kept.to(tl.int64))
            position += n_keys
        tl.debug_barrier()
        row += n_programs
