"""The commands, one family of questions in a file."""
