"""What a candidate's score is made of."""

from __future__ import annotations

import numpy as np

from lighttea.config import Config
from lighttea.similarity.topk import Candidates
from lighttea.types import Floats, Ints


def score_terms(
    candidates: Candidates, row: Ints, column: Ints, relational: Floats, config: Config
) -> dict[str, Floats]:
    """The terms whose plain sum is the score; `relational` is that share of the label term."""
    label, time = candidates.label[row, column], candidates.time[row, column]
    unknown = np.isnan(time)
    weight = np.where(unknown, 1.0, 1.0 - config.time_weight).astype(np.float32)
    by_relation = weight * relational
    by_time = np.float32(config.time_weight) * np.where(unknown, 0, time).astype(np.float32)
    terms = {"relational": by_relation, "temporal": weight * label - by_relation, "time": by_time}
    if candidates.consensus is None:
        return terms
    rest, share = np.float32(1 - config.consensus), np.float32(config.consensus)
    return {
        **{name: rest * term for name, term in terms.items()},
        "consensus": share * candidates.consensus[row, column],
    }
