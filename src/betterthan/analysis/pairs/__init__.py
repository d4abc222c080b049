"""Tests of pairs of systems: p-values, effects, corrections, and the table of all pairs."""
