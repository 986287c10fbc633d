"""Facts to ids, ticks and sparse matrices (sections 3 and 4.1 of the paper)."""
