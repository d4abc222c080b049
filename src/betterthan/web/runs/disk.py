"""A full disk: how it is recognized, wherever it happens, and what the user reads."""

from __future__ import annotations

import errno

FULL = "There is no space left on the disk. Delete runs that are no longer needed, then try again."
# EFBIG is what a limit on the size of files gives (ulimit -f).
_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
# How libraries say it that do not raise OSError; how SQLite does; and tempfile, which tries to write everywhere.
_IN_WORDS = (
    "No space left on device",
    "Disk quota exceeded",
    "File too large",
    "disk is full",
    "No usable temporary directory",
)
_SQLITE = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_FSYNC")


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error, or what caused it, is that nothing more can be written.

    Examples
    --------
    >>> is_disk_full(OSError(errno.ENOSPC, "No space left on device")), is_disk_full(ValueError("no"))
    (True, False)
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in _DISK_FULL:
            return True
        if getattr(error, "sqlite_errorname", "") in _SQLITE or any(
            words in str(error) for words in _IN_WORDS
        ):
            return True
        error = error.__cause__ or error.__context__
    return False


def failure_reason(error: BaseException) -> str:
    """Return why a run could not be carried out, for its page."""
    if is_disk_full(error):
        return FULL
    if isinstance(error, OSError) and error.strerror:
        return f"The worker could not be started ({error.strerror}). Try again in a while."
    return f"The worker could not be started ({type(error).__name__}: {error}). Try again in a while."
