"""Tags of words and predicted quality of sentences."""
