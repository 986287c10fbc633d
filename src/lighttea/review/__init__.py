"""Given a run; hands on decisions about doubtful links, made in a web app, and a new run."""
