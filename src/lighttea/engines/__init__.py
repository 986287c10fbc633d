"""Where the work runs. Stages call kernels by name and do not know what is behind them."""
