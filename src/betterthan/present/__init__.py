"""Results become something to look at: one ``Table`` description, one renderer a format.

Rule of the package: no statistic is computed here and nothing is printed.
"""
