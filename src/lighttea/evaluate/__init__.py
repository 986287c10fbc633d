"""Given a run and the true links; hands on figures, which never enter `align`."""
