"""A small web app in which people decide on doubtful links; decisions become seeds."""
