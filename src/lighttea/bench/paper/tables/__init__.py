"""Figures to tables: each function makes one table of the report."""
