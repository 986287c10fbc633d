"""Given a run; hands on files for other tools: tables, RDF, SSSOM, or one fused graph."""
