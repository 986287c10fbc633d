"""Given the facts of two graphs; hands on ids, ticks and sparse matrices (sections 3 and 4.1)."""
