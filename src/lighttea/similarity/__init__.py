"""Given labels and times; hands on a few scored candidates of each left entity (4.2, 4.3)."""
