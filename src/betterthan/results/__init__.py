"""What we found: frozen results that survive JSON and back.

Rule of the room: no formatting and no mathematics; a result is drawn by :mod:`betterthan.present`, which it
asks only at the moment it is shown.
"""
