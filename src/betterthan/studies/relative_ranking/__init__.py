"""Experiments of the paper on relative rankings."""
