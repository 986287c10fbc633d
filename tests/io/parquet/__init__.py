"""Parquet files are looked at before they are decoded."""
