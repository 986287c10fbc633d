"""Candidates to links (sections 4.4 and 4.5)."""
