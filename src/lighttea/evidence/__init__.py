"""Links so far to evidence for others: who shares linked neighbours, relations and times."""
