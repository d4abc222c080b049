"""The mathematics: arrays in, arrays out.

Rule of this package: NumPy and SciPy only; pure functions without names of systems, files or printing. Every
random kernel takes a required ``numpy.random.Generator``.
"""
