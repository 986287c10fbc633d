"""Given a run and what its graphs gained and lost; hands on a run of the graphs as they are now."""
