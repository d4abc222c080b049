"""Battles and relative rankings."""
