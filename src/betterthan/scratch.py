"""Temporary files: one folder per process, which is removed with the process.

The folder is called ``betterthan-PID-START-…``, is accessible to its owner only, and contains a locked file as long as
its process lives. It is removed at a normal exit and after an exception; the command line also removes it on a signal
to stop. The folder of a killed process is removed by the next one: a folder of the same user whose lock is free.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NamedTuple, NoReturn

if sys.platform != "win32":
    import fcntl

GRACE = 5.0  # seconds that a process has to stop after a signal
_LOCK = "lock"
_OURS = re.compile(r"betterthan-\d+-\d+-\w+")
_STOPS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class _Folder(NamedTuple):
    path: Path
    process: int
    lock: int


_folder: _Folder | None = None
_lock = threading.Lock()
_is_listening = False


class Stopped(BaseException):
    """The process received a signal to stop; like KeyboardInterrupt, it is not an Exception."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)


def folder() -> Path:
    """Return the folder for temporary files of this process; it is made when it is first needed."""
    global _folder  # noqa: PLW0603  (one for the process)
    with _lock:
        # A forked process must not share, and in the end remove, the folder of its parent.
        if _folder is None or _folder.process != os.getpid() or not _folder.path.is_dir():
            remove_leftovers()
            _folder = _made()
            atexit.register(remove)
        return _folder.path


def _made() -> _Folder:
    place = Path(tempfile.gettempdir()).resolve()  # DuckDB compares paths as they are written
    # Locked before it has its name, so that no other process can mistake it for a leftover.
    new = Path(tempfile.mkdtemp(prefix=".betterthan-new-", dir=place))
    lock = os.open(new / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    if sys.platform != "win32":
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    path = place / f"betterthan-{os.getpid()}-{int(time.time())}-{new.name.rpartition('-')[2]}"
    if sys.platform == "win32":
        os.close(lock)  # Windows renames and removes no folder with an open file
    new.rename(path)
    return _Folder(path, os.getpid(), lock)


def remove() -> None:
    """Remove the folder of this process, if it has one."""
    global _folder  # noqa: PLW0603
    mine = _folder
    if mine is None or mine.process != os.getpid():
        return
    _folder = None
    shutil.rmtree(mine.path, ignore_errors=True)
    if sys.platform != "win32":
        with suppress(OSError):
            os.close(mine.lock)


def remove_leftovers() -> None:
    """Remove folders of dead processes of the same user; nothing where there are no locks."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if _OURS.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_left(entry)


def _remove_if_left(entry: os.DirEntry[str]) -> None:
    if sys.platform == "win32":
        return
    if not entry.is_dir(follow_symlinks=False) or entry.stat(follow_symlinks=False).st_uid != os.getuid():
        return
    lock = os.open(Path(entry.path, _LOCK), os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while its process lives
        shutil.rmtree(entry.path, ignore_errors=True)
    finally:
        os.close(lock)


def stop_cleanly() -> None:
    """Let SIGTERM and SIGHUP end this process like Ctrl-C, with cleanup; for the command line only.

    The signal raises :class:`Stopped` in the main thread. Python handles it only when a call into compiled code
    returns, so a thread ends the process after a timeout.
    """
    global _is_listening  # noqa: PLW0603
    if _is_listening:
        return
    _is_listening = True
    heard, told = os.pipe()
    os.set_blocking(told, False)
    for number in _STOPS:
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP on purpose
            signal.signal(number, _stop)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=_make_sure, args=(heard,), name="betterthan-signals", daemon=True).start()


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    for each in _STOPS:
        signal.signal(each, signal.SIG_IGN)  # a second one must not interrupt the cleanup
    raise Stopped(number)


def _make_sure(heard: int) -> None:
    while number := os.read(heard, 1):
        if number[0] in _STOPS:
            time.sleep(GRACE)
            remove()
            os._exit(128 + number[0])
