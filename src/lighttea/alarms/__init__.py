"""Given two graphs and links between them; hands on contradictions in the times of the links."""
