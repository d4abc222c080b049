"""What goes in and out beside an answer: notes on stderr, a closed pipe, and files that must not be overwritten."""

from __future__ import annotations

import glob
import logging
import os
import select
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from betterthan.cli.wording import as_typed
from betterthan.errors import BetterThanError
from betterthan.present.printable import printable

if TYPE_CHECKING:
    from betterthan.engine.progress import Progress

QUIET = "betterthan.quiet"
"""Key of the context under which ``--quiet`` is kept."""
_WRITTEN = ("output", "scores_to", "matches_to", "junit")


def say(sentence: str, *, label: str = "") -> None:
    """Say a sentence that may hold names of files, metrics or systems, unless ``--quiet`` is given."""
    if not is_quiet():
        click.echo(f"{label}{printable(as_typed(sentence))}", err=True)


def say_notes(notes: Iterable[str]) -> None:
    """Say each note on a line of its own."""
    for note in notes:
        say(note, label="note: ")


def progress_display() -> Progress | None:
    """Return the display of the progress on standard error, or None with ``--quiet``."""
    from betterthan.engine.progress import terminal_progress

    return None if is_quiet() else terminal_progress()


def is_quiet() -> bool:
    """Whether ``--quiet`` was given to the running command."""
    context = click.get_current_context(silent=True)
    return context is not None and QUIET in context.meta


def log_to_stderr(context: click.Context) -> None:
    """Write what the package logs to standard error, until the command ends."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(relativeCreated)6d ms  %(message)s"))
    log = logging.getLogger("betterthan")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    context.call_on_close(lambda: log.removeHandler(handler))
    context.call_on_close(lambda: log.setLevel(logging.NOTSET))


def refuse_overwriting(output: str) -> None:
    """Refuse to write over a file that the command reads: a typo must not cost data.

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


def is_reader_gone() -> bool:
    """Return whether the reader of our output has seen enough, as ``head`` has, and be silent from now on if so.

    A pipe to a worker may break too, and that is an error; only standard output counts here.
    """
    if sys.stdout is None or not _is_broken(sys.stdout.fileno()):
        return False
    silence_stdout()
    return True


def _is_broken(descriptor: int) -> bool:
    if not hasattr(select, "poll"):  # on Windows
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def silence_stdout() -> None:
    """Send what is still waiting nowhere: Python must not complain again when it flushes at exit."""
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
