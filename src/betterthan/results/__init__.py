"""Frozen results that can be saved as JSON and loaded again. Rule of this package:

no formatting and no mathematics; a result is displayed by :mod:`betterthan.present`, which is imported only when it is
shown.
"""
