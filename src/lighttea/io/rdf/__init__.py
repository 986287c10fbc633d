"""Given N-Triples, N-Quads, Turtle, TriG or RDF/XML; hands on a graph whose facts have times."""
