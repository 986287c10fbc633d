"""Given plain arrays; fills or returns plain arrays, by compiled loops and the matrix library.

Each has a slow reference in the tests. All take plain arrays and fill or return plain arrays; none
knows of sides, graphs or equations.
"""
