"""How work is carried out: pure blocks over any executor, with streams, checkpoints and progress.

Rule of the room: it knows no statistics and no tables. What it returns
never depends on the number of workers.
"""
