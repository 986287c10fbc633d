"""Given the name of a public dataset or a folder, says what it is and fetches it as a folder."""
