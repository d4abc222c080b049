"""Frozen tables, validated on construction. Rule of this package:

a table only reshapes itself into another table. It computes no statistic, reads no file
and prints nothing; it imports only NumPy, :mod:`betterthan.arrays` and :mod:`betterthan.errors`.
"""
