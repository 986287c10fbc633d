"""How much memory a run takes: one model for all engines, known before the work starts.

The model adds up the arrays that stand in memory together in each stage; what the process holds
already (graphs, libraries) is measured, not guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lighttea.config import Config
from lighttea.kernels.process import free_bytes
from lighttea.kernels.rows import BLOCK_ROWS
from lighttea.propagate.whitening import whitening_bytes
from lighttea.similarity.approximate import approximate_bytes
from lighttea.similarity.candidates import TABLE_ROWS
from lighttea.similarity.carry import CARRIED_BESIDE_SEARCH
from lighttea.similarity.search import is_approximate
from lighttea.solve.problem import Sizes

GIB = 1 << 30
FREE_SHARE = 0.8  # of the memory that is free, unless told otherwise
_KEPT, _MOST_KEPT = 50, 20_000_000  # candidates of each left entity, and of all, in a run's table
_WRITTEN_BYTES = 120  # of a candidate as it is written
_PROPOSING_BYTES = 170  # of a fact, while its tokens of all kinds are made and propose candidates
_TOKEN_BYTES = 50  # of a fact: the tokens of all kinds, while candidates are scored
_KEPT_EVIDENCE_BYTES = 20  # of a fact: three kinds of tokens, beside those that are being made
_EVIDENCE_BYTES = 77  # of a fact, as tokens of all kinds
_RARITY_BYTES = 56  # of a fact: its columns, its ticks, how rare both are
_MODEL_BYTES = 120  # of a fact, while it is estimated what links say of relations
_LITERAL_BYTES = 400  # of a literal, by its text, its words and pieces, and their tokens
_LITERAL_MAKING_BYTES = 500  # of a literal, while these are made
_WORKER_CANDIDATE_BYTES = 60  # of a candidate in a worker, with copies that pass to others
_ALARM_BYTES = 100  # of a fact, in the tables that are joined to find alarms
_KEPT_WHEN_FREED = 48 << 20  # of hops that are done with: the C library gives back the rest
_VIEW_BYTES = 8  # of a fact in a view: a column and a weight; of a node: where its row starts
_VIEW_MAKING_BYTES = 25  # of a fact, while a view is made


def kept_candidates(n_left: int) -> int:
    """Return how many candidates of each left entity a run keeps: fewer where entities are many."""
    return max(1, min(_KEPT, _MOST_KEPT // max(1, n_left)))


def written_bytes(n_left: int) -> int:
    """Return what the table of kept candidates takes while it is written."""
    return _WRITTEN_BYTES * n_left * kept_candidates(n_left)


def allowance(max_memory: float, held: int) -> float:
    """Return what the process may hold: the limit, or 80 % of what is free beside what it has."""
    return max_memory * GIB if max_memory else held + FREE_SHARE * free_bytes()


@dataclass(frozen=True)
class MemoryModel:
    """The bytes that a problem of this size takes with these settings."""

    sizes: Sizes
    config: Config
    compact: bool = False  # labels take eight bits a value

    @property
    def value_bytes(self) -> int:
        """Of one value of a label."""
        return 1 if self.compact else 4

    @cached_property
    def n_aspects(self) -> int:
        """Aspects that labels are made of."""
        weight = self.config.temporal_weight
        return sum(share > 0 for share in (1 - weight, weight))

    @property
    def width(self) -> int:
        """Columns of one aspect of a label."""
        return self.config.dim * self.config.sketch_factor

    @property
    def label_bytes(self) -> int:
        """Of the label of one entity."""
        return self.value_bytes * self.width * self.n_aspects

    @property
    def labels(self) -> int:
        """Of all labels that are searched."""
        return self.label_bytes * (self.sizes.n_left + self.n_right_sets * self.sizes.n_right)

    @property
    def n_right_sets(self) -> int:
        """Labels of each right entity: two halves of the pairs have their own."""
        return 2 if self.config.cross_fit else 1

    @property
    def labels_made(self) -> int:
        """Of all labels that stand side by side while they are made."""
        n_more = self.sizes.n_left // 2 if self.config.cross_fit else 0
        return self.labels + self.label_bytes * n_more

    @property
    def views(self) -> int:
        """Of A^EE with its diagonal, three views of each aspect, and the multisets of ticks.

        At most: facts that share a cell of a view take less.
        """
        n_views = 1 + 3 * self.n_aspects + (self.config.time_weight > 0)
        n_starts = 2 + 2 * self.n_aspects + (self.config.time_weight > 0)
        return _VIEW_BYTES * (n_views * self.sizes.n_facts + n_starts * self.sizes.n_nodes)

    @property
    def hop_column_bytes(self) -> int:
        """Of one column of all nodes' labels: every hop, and one that is being made."""
        return self.value_bytes * self.sizes.n_nodes * (self.config.depth + 2)

    @property
    def n_searched(self) -> int:
        """Candidates that a search finds for one entity."""
        return max(1, min(self.config.top_k, self.sizes.n_right))

    @property
    def n_candidates(self) -> int:
        """Candidates of one entity, those that evidence proposes among them."""
        config = self.config
        proposed = 2 * config.suggestions + CARRIED_BESIDE_SEARCH if config.consensus else 0
        return self.n_searched + proposed

    @property
    def candidate_bytes(self) -> int:
        """Of one candidate while it is assigned."""
        return (
            (58 if self.config.calibrated else 44)
            + self.contradiction_bytes
            + self.likelihood_bytes
        )

    @property
    def contradiction_bytes(self) -> int:
        """Of one candidate: what contradictions add to its score."""
        return 4 if self.config.contradictions else 0

    @property
    def likelihood_bytes(self) -> int:
        """Of one candidate: how likely its facts make it."""
        return 4 if self.config.uses_likelihood else 0

    @property
    def rarities(self) -> int:
        """Of all facts with how rare they are."""
        return _RARITY_BYTES * self.sizes.n_facts if self.config.uses_likelihood else 0

    @property
    def worker_row_bytes(self) -> int:
        """Of the label and the candidates of one left entity in a worker."""
        return self.label_bytes + self.n_candidates * _WORKER_CANDIDATE_BYTES

    @property
    def evidence(self) -> int:
        """Of the tokens of all facts."""
        return _EVIDENCE_BYTES * self.sizes.n_facts if self.config.consensus else 0

    @property
    def kept_evidence(self) -> int:
        """Of tokens without neighbours and what they proposed, kept from pass to pass."""
        if not self.config.consensus:
            return 0
        proposed = 4 * self.config.suggestions * self.sizes.n_left
        return _KEPT_EVIDENCE_BYTES * self.sizes.n_facts + proposed

    @property
    def literals(self) -> int:
        """Of the words, pieces and tokens of all literals."""
        return _LITERAL_BYTES * self.sizes.n_literals

    def stages(self, left_rows: int, right_rows: int) -> dict[str, int]:
        """Return what each stage adds in one process, searching so many rows at a time."""
        sizes, config = self.sizes, self.config
        n_left, k, width = sizes.n_left, self.n_searched, self.width
        table = n_left * self.n_candidates
        kept = n_left * min(self.n_candidates, kept_candidates(n_left))
        merging = 40 * min(n_left, TABLE_ROWS) * self.n_candidates
        scoring = 30 * table + _TOKEN_BYTES * sizes.n_facts
        weighing = 38 * table + _MODEL_BYTES * sizes.n_facts if config.uses_likelihood else 0
        proposing = _PROPOSING_BYTES * sizes.n_facts
        consensus = max(proposing, merging, scoring, weighing) if config.consensus else 0
        base = self.labels + self.views + self.literals + self.kept_evidence + self.rarities
        making = base + self.labels_made - self.labels
        lowered = self.contradiction_bytes + self.likelihood_bytes
        making_literals = _LITERAL_MAKING_BYTES * sizes.n_literals
        return {
            "graph": self.views + _VIEW_MAKING_BYTES * sizes.n_facts,
            "literals": self.views + self.literals + making_literals,
            "propagate": making + max(self._propagation(), self._whitening()),
            "search": base + 8 * n_left * k + self._search(left_rows, right_rows, k, width),
            "consensus": base + 8 * n_left * k + consensus,
            "time_similarity": base + (22 + lowered) * table,
            "sinkhorn": base + ((58 if config.calibrated else 30) + lowered) * table,
            "links": base + (50 + lowered) * table + 50 * kept,
            "alarms": self.views + _ALARM_BYTES * sizes.n_facts,
        }

    @property
    def _hops(self) -> int:
        sizes, config = self.sizes, self.config
        n_seeds = sizes.n_nodes // 2  # at most, when every pair is known or has been promoted
        return self.value_bytes * config.dim * (config.depth * sizes.n_nodes + n_seeds)

    def _propagation(self) -> int:
        sizes, config = self.sizes, self.config
        made = 4 * min(BLOCK_ROWS, sizes.n_nodes) * self.width  # rows made at a time
        n_places = max(config.sketch_factor, config.depth + 1)
        others = 4 * sizes.n_others * config.dim * (2 * config.depth + n_places)
        return self._hops + made + others

    def _whitening(self) -> int:
        if not self.config.whitening:
            return 0
        sizes = self.sizes
        needed = whitening_bytes(sizes.n_left, sizes.n_right, self.width, self.n_aspects)
        return needed + min(self._hops, _KEPT_WHEN_FREED)

    def _search(self, left_rows: int, right_rows: int, k: int, width: int) -> int:
        n_left, n_right = self.sizes.n_left, self.sizes.n_right
        if is_approximate(self.config.search, n_left, n_right):
            return approximate_bytes(n_left, n_right, k)
        left_rows, right_rows = min(left_rows, n_left), min(right_rows, n_right)
        scores = 4 * left_rows * right_rows + 8 * left_rows * (2 * k + 16)
        return scores + 4 * (2 * left_rows + right_rows) * width * self.n_aspects

    def on_device(self) -> int:
        """Return what labels, candidates and weighed facts take on a GPU at most, blocks aside."""
        sizes = self.sizes
        hops = self.config.dim * self.hop_column_bytes
        table = sizes.n_left * self.n_candidates * self.candidate_bytes
        weighing = _MODEL_BYTES * sizes.n_facts if self.config.uses_likelihood else 0
        facts = self.rarities + weighing
        return 2 * self.labels_made + max(hops, table) + facts  # labels are whitened into a copy

    def of_worker(self, n_workers: int) -> int:
        """Return the share of one of several workers: its hops, or its labels and candidates."""
        hops = self.config.dim * self.hop_column_bytes
        right = self.n_right_sets * self.sizes.n_right * self.label_bytes
        rows = self.sizes.n_left * self.worker_row_bytes + right
        return max(hops, rows) // n_workers + self.evidence
