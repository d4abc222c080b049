"""Tiny data made by ourselves, for the demo, the documentation and the tests."""
