"""Plausibility checks of columns, layouts and directions that could be misread."""
