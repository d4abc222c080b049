"""The verbs: tables and kernels become results, one question a file.

Rule of the room: branch on what a method declares it needs, never on its name.
"""
