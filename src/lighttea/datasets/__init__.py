"""The field's public datasets: what they are, where they are, and how to have them here."""
