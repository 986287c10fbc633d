"""Tables by a user, of seeds, constraints and types, checked and turned into ids."""
