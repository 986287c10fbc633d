"""Given sizes and rates, hands on a made-up pair of graphs with known truth as a dataset folder."""
