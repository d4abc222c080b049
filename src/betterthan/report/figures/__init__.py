"""Figures drawn as SVG, without a charting library."""
