"""Pairs of graphs with known truth, made up: any size, with the flaws of real ones."""
