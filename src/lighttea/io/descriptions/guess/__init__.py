"""Given files that hold tables; hands on a first description of the graph in them."""
