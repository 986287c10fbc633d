"""Given the address of a SPARQL endpoint and a query; hands on a graph or a table of answers."""
