"""The papers' experiments, written with the verbs and kernels: one study a module, by name in `catalogue`.

Rule of the package: a study is a function from a request to a Study; long work goes through the engine in blocks.
"""
