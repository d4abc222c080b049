"""The paired permutation test of all pairs: exact, inverted, certified or drawn."""
