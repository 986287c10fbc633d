"""Given one graph, hands on pairs of its entities that may be one, and the chance that they are."""
