"""Influence of single segments and weights, and outliers."""
