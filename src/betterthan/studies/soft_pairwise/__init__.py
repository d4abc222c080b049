"""Experiments of the paper on soft pairwise accuracy."""
