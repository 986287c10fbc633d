"""Parquet files, which are looked at before a library decodes them."""
