"""Given pairs of entities with the chance that they are the same, hands on clusters of entities."""
