"""Given two graphs as a problem; hands on rounds and, from the last one, the links."""
