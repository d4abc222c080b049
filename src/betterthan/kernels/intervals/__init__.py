"""Intervals and resampling: means, medians, shares, and data in clusters."""
