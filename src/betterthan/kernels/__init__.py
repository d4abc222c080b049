"""The mathematics: arrays in, arrays out.

Rule of the room: NumPy and SciPy only; pure functions without names of systems, files or printing. Every
random kernel takes a required ``numpy.random.Generator``.
"""
