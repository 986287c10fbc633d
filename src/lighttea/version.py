"""The version of the package, for every module to import: it loads nothing else."""

__version__ = "0.1.0"
