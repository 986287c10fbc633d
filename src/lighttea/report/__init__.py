"""Given a run and, optionally, the truth; hands on one self-contained HTML page."""
