"""Matrices and seeds to labels (section 4.1)."""
