"""The version of the package, stated here alone: it loads nothing else."""

__version__ = "0.2.0"
