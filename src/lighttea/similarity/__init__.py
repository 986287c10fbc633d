"""Labels to candidates (sections 4.2 and 4.3)."""
