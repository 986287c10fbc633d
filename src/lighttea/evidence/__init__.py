"""Given facts and the links so far; hands on tokens that speak for candidates, or propose some."""
