"""Given a graph or a run; hands on matches for the rows of other tools (Reconciliation API)."""
