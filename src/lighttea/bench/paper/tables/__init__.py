"""Given measured figures and dataset folders, hands on the tables of the report, one a function."""
