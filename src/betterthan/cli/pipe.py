"""Standard output that nobody reads any more, or that cannot be written."""

from __future__ import annotations

import os
import select
import sys


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
