"""RDF to facts: N-Triples, N-Quads, Turtle, TriG and RDF/XML, with the ways RDF says time."""
