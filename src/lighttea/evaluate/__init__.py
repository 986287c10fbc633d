"""Given a run and the true links; hands on figures. Nothing here enters `align`."""
