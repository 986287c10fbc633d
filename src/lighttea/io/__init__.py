"""Given files, frames or rows; hands on graphs, links and types, and writes files safely."""
