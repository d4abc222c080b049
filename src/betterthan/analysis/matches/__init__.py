"""Battles and other matches: fits, units, covariates, rankings and comparisons."""
