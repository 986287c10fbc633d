"""The Dask engine: numpy arrays in the memory of many workers, tasks over blocks of them."""
