"""Right and wrong tags of words."""
