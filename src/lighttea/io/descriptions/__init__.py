"""Given a description of a graph that lies in tables, JSON or databases; hands on the graph."""
