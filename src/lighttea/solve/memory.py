"""How much memory a run will need, said before the work starts, and the blocks that keep to it.

The prediction adds up the arrays that stand in memory together in each stage; what the process
holds already (graphs, views, libraries) is measured, not guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lighttea.config import Config
from lighttea.errors import ConfigError
from lighttea.graph.pair import Pair
from lighttea.kernels.process import free_bytes, resident_bytes
from lighttea.kernels.rows import BLOCK_ROWS
from lighttea.progress import Progress
from lighttea.propagate.evened import evening_bytes
from lighttea.similarity.approximate import approximate_bytes
from lighttea.similarity.search import is_approximate
from lighttea.similarity.settled import STAY
from lighttea.similarity.sources import MERGED_ROWS

GIB = 1 << 30
FREE_SHARE = 0.8  # of the memory that is free, unless told otherwise
_KEPT, _MOST_KEPT = 50, 50_000_000  # candidates of each left entity, and of all, in a run's table
_WRITTEN_BYTES = 120  # of a candidate as it is written
_TOKEN_BYTES = 13 * 40  # of a fact, by what its kinds of tokens and their numbering take
_CHOICES = (  # labels in eight bits, left rows and right rows of a search block
    (False, 4096, 2048),
    (False, 512, 2048),
    (True, 4096, 2048),
    (True, 256, 2048),
)


@dataclass(frozen=True)
class Blocks:
    """How much is done at a time, and whether labels are rounded to eight bits to take less.

    The number of rows changes no result; rounding changes scores by about .001.
    """

    compact: bool = _CHOICES[0][0]
    left_rows: int = _CHOICES[0][1]
    right_rows: int = _CHOICES[0][2]


@dataclass(frozen=True)
class Plan:
    """The blocks to use and the memory to expect, by stage and at most, in bytes."""

    blocks: Blocks
    held: int
    stages: Mapping[str, int]
    is_short: bool = False  # memory decided that labels take eight bits

    @property
    def peak(self) -> int:
        """The most that is expected at any time."""
        return self.held + max(self.stages.values())

    def tell(self, progress: Progress) -> None:
        """Say what memory to expect, and when labels have to be rounded to stay within it."""
        progress.planned(self.peak)
        if self.is_short:
            progress.warn(
                "memory is short, so labels are rounded to eight bits and a few links may differ "
                "from those of a run with more; raise --max-memory or free some memory"
            )


def make_plan(
    pair: Pair, n_left: int, n_right: int, config: Config, *, compact: bool | None = None
) -> Plan:
    """The largest blocks whose peak stays within the allowance; an error where none does.

    `compact` says how a run that goes on has held its labels so far.
    """
    held = resident_bytes()
    allowed = allowance(config.max_memory, held)
    many = is_approximate(config.search, n_left, n_right)
    for choice in _CHOICES:
        blocks = Blocks(*choice)
        if many and not blocks.compact:
            continue  # eight bits are faster too where rows come from memory one by one
        if compact is not None and blocks.compact != compact:
            continue
        needed = stage_bytes(pair, n_left, n_right, config, blocks)
        plan = Plan(blocks, held, needed, is_short=blocks.compact and not many)
        if plan.peak <= allowed:
            return plan
    raise ConfigError(
        f"about {plan.peak / GIB:.2f} GiB of memory are needed, {allowed / GIB:.2f} GiB are "
        f"allowed; lower --dim ({config.dim}), --sketch-factor ({config.sketch_factor}) or --top-k "
        f"({config.top_k}), or raise --max-memory"
    )


def kept_candidates(n_left: int) -> int:
    """How many candidates of each left entity a run keeps: fewer where entities are many."""
    return max(1, min(_KEPT, _MOST_KEPT // max(1, n_left)))


def written_bytes(n_left: int) -> int:
    """What the table of kept candidates takes while it is written."""
    return _WRITTEN_BYTES * n_left * kept_candidates(n_left)


def allowance(max_memory: float, held: int) -> float:
    """What the process may hold: the limit given, or 80 % of what is free beside what it has."""
    return max_memory * GIB if max_memory else held + FREE_SHARE * free_bytes()


def stage_bytes(
    pair: Pair, n_left: int, n_right: int, config: Config, blocks: Blocks
) -> dict[str, int]:
    """The bytes that each stage adds to what is held when it starts."""
    n_aspects = sum(w > 0 for w in (1 - config.temporal_weight, config.temporal_weight))
    held_as = 1 if blocks.compact else 4  # bytes of a value of a label
    width = config.dim * config.sketch_factor
    k = max(1, min(config.top_k, n_right))
    labels = held_as * (n_left + n_right) * width * n_aspects
    evening = evening_bytes(n_left, n_right, width, n_aspects) if config.evened else 0
    n_seeds = min(pair.n_left, pair.n_right)  # at most, when every pair has joined them
    hops = held_as * config.dim * (config.depth * pair.n_nodes + n_seeds)
    made = 4 * min(BLOCK_ROWS, pair.n_nodes) * width  # rows made at a time
    n_others = max(pair.n_relations, pair.n_ticks)
    n_places = max(config.sketch_factor, config.depth + 1)
    others = 4 * n_others * config.dim * (2 * config.depth + n_places)
    wide = k + (2 * config.suggestions + STAY if config.consensus else 0)
    table, kept = n_left * wide, n_left * min(wide, kept_candidates(n_left))
    left_rows, right_rows = min(blocks.left_rows, n_left), min(blocks.right_rows, n_right)
    scores = 4 * left_rows * right_rows + 8 * left_rows * (2 * k + 16)
    copies = 4 * (2 * left_rows + right_rows) * width * n_aspects
    found = 8 * n_left * k + (
        approximate_bytes(n_left, n_right, k)
        if is_approximate(config.search, n_left, n_right)
        else scores + copies
    )
    merging = 40 * min(n_left, MERGED_ROWS) * wide
    evidence = 30 * table + merging + len(pair.head) * _TOKEN_BYTES if config.consensus else 0
    return {
        "propagate": labels + max(hops + others + made, evening),
        "search": labels + found,
        "consensus": labels + 8 * n_left * k + evidence,
        "time_similarity": labels + 22 * table,
        "sinkhorn": labels + (58 if config.calibrated else 30) * table,
        "links": labels + 50 * table + 50 * kept,
    }
