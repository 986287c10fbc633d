"""The Dask engine: the stages of a round as tasks of Dask, block by block."""
