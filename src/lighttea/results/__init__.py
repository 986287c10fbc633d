"""Given the last round of an alignment; hands on a run: its tables, and the folder they lie in."""
