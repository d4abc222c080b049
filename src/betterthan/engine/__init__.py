"""Execution of work: pure blocks on any executor, with random streams, checkpoints and progress.

Rule of this package: no statistics and no tables. What it returns
never depends on the number of workers.
"""
