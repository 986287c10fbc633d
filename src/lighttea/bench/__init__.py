"""Given dataset folders, runs alignments whose truth is known and hands on their figures."""
