"""The bundled example: two small graphs of real, dated facts in two vocabularies."""

from __future__ import annotations

from pathlib import Path


def example_file(name: str) -> Path:
    """The path of left.tsv, right.csv, seeds.tsv or truth.tsv."""
    return Path(__file__).with_name(name)
