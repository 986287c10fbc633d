"""What comes out of an alignment: a run, its tables, and the folder that holds them."""
