"""Left entities that may be meant by a right one whose facts changed, and that has no sure link.

They need not have changed themselves: a fact that came in on the right may be all that was missing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.types import Bools, Doubles, Ints
from lighttea.update.last import RIVALS, LastLinks

CROWD = 1000  # neighbours of one entity, beyond which being one of them tells nothing
_ENTRIES = 2_000_000  # of a product that is made at once


def find_claimants(
    last: LastLinks, left: Graph, right: Graph, asked: Bools, known: Links, doubtful: Bools
) -> Bools:
    """Return the three doubtful left entities that share most with each right one that is asked.

    What they share are linked neighbours; one with many neighbours counts less.
    """
    around_right, around_left = _neighbours(right), _neighbours(left)
    n_around = np.diff(around_left.indptr)
    tells = (n_around > 0) & (n_around <= CROWD)
    weight = np.where(tells, 1 / np.maximum(n_around, 1), 0.0)
    linked = _weighted_links(last.links.extended(known), weight, last.n_right)
    columns = np.flatnonzero(doubtful)
    shares = around_left[np.flatnonzero(tells)][:, columns]
    found = np.zeros(len(doubtful), bool)
    n_entries = around_right @ (sp.csr_array(linked > 0) @ n_around)
    for rows in split_rows(np.flatnonzero(asked), n_entries):
        shared = (around_right[rows] @ linked)[:, np.flatnonzero(tells)] @ shares
        found[columns[_best_columns(sp.csr_array(shared))]] = True
    return found


def _neighbours(graph: Graph) -> sp.csr_array:
    """Return who shares a fact with whom, (n, n), each pair once."""
    facts, n = graph.facts, len(graph.entities)
    ends = np.concatenate([facts.head, facts.tail]), np.concatenate([facts.tail, facts.head])
    matrix = sp.csr_array((np.ones(len(ends[0])), ends), shape=(n, n))
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def _weighted_links(links: Links, weight: Doubles, n_right: int) -> sp.csr_array:
    """Return the left entity that each right one is linked to, (n_right, n_left), by its weight."""
    shape = n_right, len(weight)
    return sp.csr_array((weight[links.left], (links.right, links.left)), shape=shape)


def split_rows(places: Ints, n_entries: Doubles) -> Iterator[Ints]:
    """Yield places, as many at a time as do not have too many entries together."""
    number = np.cumsum(n_entries[places]) // _ENTRIES
    for block in np.split(places, np.flatnonzero(np.diff(number)) + 1):
        if len(block):
            yield block


def _best_columns(table: sp.csr_array) -> Ints:
    """Return the columns of the largest values of each row; of equal ones the first."""
    row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    order = np.lexsort((table.indices, -table.data, row))
    rank = np.arange(len(row)) - table.indptr[row]  # rows come one after the other
    return np.asarray(table.indices[order[rank < RIVALS]])
