"""Two graphs as a problem, the pairs to begin with, and rounds that end in links."""
