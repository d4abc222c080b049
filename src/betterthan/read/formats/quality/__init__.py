"""Files of quality estimation: tags of words and scores of sentences."""
