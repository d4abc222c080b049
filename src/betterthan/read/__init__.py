"""Readers from files and data frames to tables: one small module per format, plus ``sniff``.

Rule of this package: readers compute no statistics, guess nothing silently and report whatever they drop.
"""
