"""Folders and submissions of the WMT metrics task."""
