"""The CPU engine: numpy arrays, compiled loops and the matrix library, all in this process."""
