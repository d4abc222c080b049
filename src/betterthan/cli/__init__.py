"""The command line: one file a command, shared options, errors become one line.

Rule of the package: modules import only click at the top; whatever costs time is imported inside the command.
"""
