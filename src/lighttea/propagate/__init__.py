"""Given the views of two graphs and seeds; hands on the labels of both sides (section 4.1)."""
