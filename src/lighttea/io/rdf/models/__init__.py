"""Models of time in RDF: how vocabularies and shapes of nodes say when a fact holds."""
