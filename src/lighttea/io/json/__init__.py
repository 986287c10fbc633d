"""Given files of JSON in layouts that people have; hands on graphs, read item by item."""
