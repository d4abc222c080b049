"""Automatic judges and human labels: correction, sampling of labels, audits."""
