"""Outputs that would overwrite what a command reads."""

from __future__ import annotations

import glob
from pathlib import Path

import click

from betterthan.errors import BetterThanError

_WRITTEN = ("output", "scores_to", "matches_to")


def refuse_overwriting(output: str) -> None:
    """Refuse to write over a file that the command reads: a slip of the hand must not cost data.

    Raises
    ------
    BetterThanError
        When a parameter of the running command, with or without ``NAME=`` before it, is the file `output` or a pattern
        that it fits.
    """
    context = click.get_current_context(silent=True)
    if context is None or not Path(output).is_file():
        return
    given = [value for name, value in context.params.items() if name not in _WRITTEN]
    words = [word for value in given for word in (value if isinstance(value, tuple | list) else [value])]
    paths = [path for word in words if isinstance(word, str) for path in (word, word.partition("=")[2])]
    if any(_is_same(path, output) for path in paths):
        raise BetterThanError(
            f"{output} is one of the files that are read; it would be lost. Choose another name for the output."
        )


def _is_same(path: str, output: str) -> bool:
    try:
        return bool(path) and Path(path).samefile(output)
    except (OSError, ValueError):  # not there, or nothing that could be a path
        return _fits(path, output)


def _fits(path: str, output: str) -> bool:
    """Whether a path is a pattern and `output` one of its files."""
    try:
        found = glob.glob(path, recursive=True) if glob.has_magic(path) else []  # noqa: PTH207  (absolute patterns too)
        return any(Path(each).samefile(output) for each in found)
    except (OSError, ValueError):
        return False
