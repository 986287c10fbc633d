"""Given scored candidates; hands on values, probabilities and matches (sections 4.4, 4.5)."""
