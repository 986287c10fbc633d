"""The compiled loops of the CPU engine, and what they work on.

Each has a slow reference in the tests. All take plain arrays and fill or return plain arrays; none
knows of sides, graphs or equations.
"""
