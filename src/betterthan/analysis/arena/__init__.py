"""Boards of battles by category, and how firmly a board stands."""
