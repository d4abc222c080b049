"""Repeated runs: means and their variance over items and runs, variance components, pass@k."""
