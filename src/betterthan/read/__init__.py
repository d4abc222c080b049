"""Files and frames become tables: one small module a format, plus ``sniff``.

Rule of the room: readers compute no statistics, guess nothing silently and count aloud whatever they drop.
"""
