"""Figures against a truth, read after the links are written. Nothing here enters `align`."""
