"""What literals say, as words and pieces of words that both sides share."""
