"""Correct and incorrect word tags."""
