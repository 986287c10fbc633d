"""Given exports of a Neo4j database, CSV or JSON; hands on a graph, read row by row."""
