"""The papers' experiments, written with the verbs and kernels: one study a module, by name in `catalogue`.

Rule of the room: a study is a function from what was asked to a Study; long work goes through the engine in blocks.
"""
