"""What the last run knew, in the numbers of the graphs as they are now."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.progress import Progress
from lighttea.results.run import Run
from lighttea.types import Bools, Floats, Ints, LeftIds, RightIds

SURE = 0.9  # confidence from which a link stands while only its surroundings change
RIVALS = 3  # best candidates of an entity that others may hold
NOBODY = -1
PAIR = ["left", "right"]


@dataclass(frozen=True)
class LastLinks:
    """The links of a run and its best candidates; entities that are gone have none."""

    partner: Ints  # (n_left,) right entity of the link, -1 without
    confidence: Floats  # (n_left,) of the link, 0 without
    candidates: Links  # the best candidates of left entities
    n_right: int

    @classmethod
    def of(cls, run: Run, left: Graph, right: Graph) -> LastLinks:
        """Return what a run knew of the entities that its graphs still have."""
        table = run.best_links.select(*PAIR, "confidence")
        links, places = ids_of_pairs(table, left, right)
        partner = np.full(len(left.entities), NOBODY, np.int32)
        confidence = np.zeros(len(left.entities), np.float32)
        partner[links.left] = links.right
        confidence[links.left] = table["confidence"].to_numpy()[places]
        best = run.candidates.lazy().filter(pl.col("rank") <= RIVALS).select(PAIR).collect()
        return cls(partner, confidence, ids_of_pairs(best, left, right)[0], len(right.entities))

    @property
    def links(self) -> Links:
        """The links, by left entity."""
        left = np.flatnonzero(self.partner != NOBODY).astype(np.int32)
        return Links(LeftIds(left), RightIds(self.partner[left]))

    @property
    def holder(self) -> Ints:
        """The left entity that each right one is linked to, (n_right,), -1 without."""
        links, holder = self.links, np.full(self.n_right, NOBODY, np.int32)
        holder[links.right] = links.left
        return holder

    @property
    def is_sure(self) -> Bools:
        """Which left entities have a link that is nearly certain."""
        return np.asarray(self.confidence >= SURE)

    def flag_partners(self, left: Bools) -> Bools:
        """Return the right entities that some left ones are linked to, (n_right,)."""
        flags, partner = np.zeros(self.n_right, bool), self.partner[left]
        flags[partner[partner != NOBODY]] = True
        return flags

    def without(self, gone: Bools) -> LastLinks:
        """Return the same without the links of some left entities."""
        return LastLinks(
            np.where(gone, NOBODY, self.partner).astype(np.int32),
            np.where(gone, 0.0, self.confidence).astype(np.float32),
            self.candidates,
            self.n_right,
        )


def ids_of_pairs(pairs: pl.DataFrame, left: Graph, right: Graph) -> tuple[Links, Ints]:
    """Return pairs as ids and their places; those whose entities are gone are left out."""
    ids = [_ids_of(pairs[side], graph) for side, graph in zip(PAIR, (left, right), strict=True)]
    places = np.flatnonzero((ids[0] != NOBODY) & (ids[1] != NOBODY))
    return Links(LeftIds(ids[0][places]), RightIds(ids[1][places])), places


def _ids_of(names: pl.Series, graph: Graph) -> Ints:
    """Return the entity of each name, -1 where the graph has none."""
    known = pl.Series("name", graph.entities, dtype=pl.String).to_frame().with_row_index("id")
    found = names.alias("name").to_frame().join(known, on="name", how="left", maintain_order="left")
    return found["id"].cast(pl.Int32).fill_null(NOBODY).to_numpy()


def flag_entities(names: pl.Series, graph: Graph) -> Bools:
    """Return which entities of a graph have one of these names, (n_entities,)."""
    numbers = [graph.entity_ids[name] for name in names if name in graph.entity_ids]
    flags = np.zeros(len(graph.entities), bool)
    flags[numbers] = True
    return flags


def keep_present(
    pairs: pl.DataFrame, noun: str, left: Graph, right: Graph, progress: Progress
) -> pl.DataFrame:
    """Return the pairs whose entities the graphs still have; warn of the others."""
    _, places = ids_of_pairs(pairs, left, right)
    if len(places) < len(pairs):
        progress.warn(f"{len(pairs) - len(places):,} {noun} left out: their entities are gone")
    return pairs[places]
