"""A mutator over small good files of every kind: what is made of them is read, or refused."""
