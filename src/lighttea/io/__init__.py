"""Files to facts, links and runs, and back."""
