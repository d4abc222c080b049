"""Runs: their folders, the list of them, and the jobs that carry them out."""
