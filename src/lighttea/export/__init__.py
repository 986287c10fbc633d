"""What a run found, in formats of other tools: tables, RDF, SSSOM, one fused graph."""
