"""Each result as a table with its words."""
