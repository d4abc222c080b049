"""Experiments of the paper on tags of words."""
