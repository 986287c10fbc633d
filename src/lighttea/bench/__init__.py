"""Benchmarks on dataset folders, in the field's protocol and in a harder one."""
