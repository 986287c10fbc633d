"""Given a user's tables of seeds, constraints and types; hands on known links and allowed pairs."""
