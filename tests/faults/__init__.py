"""Killed and starved processes: a clear error or none, nothing lost, and the next try works."""
