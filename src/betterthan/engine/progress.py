"""Progress display: on standard error, after half a second, removed at the end."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

UNSEEN = 0.5  # seconds without a bar
ENOUGH = 0.2  # share of this run's work before a remaining time is shown
LINE_EVERY = 10.0  # seconds between lines without a terminal


class Progress(Protocol):
    """Receiver of progress reports. All calls come from the thread that started the run."""

    def start(self, total: int, label: str, *, done: int = 0) -> None:
        """Start a run of `total` blocks; some may have been done by an earlier one."""

    def advance(self, n: int = 1) -> None:
        """Report finished blocks."""

    def finish(self) -> None:
        """End the run, successful or not."""


class Silence:
    """No progress display: the default of the library."""

    def start(self, total: int, label: str, *, done: int = 0) -> None:
        """Do nothing."""

    def advance(self, n: int = 1) -> None:
        """Do nothing."""

    def finish(self) -> None:
        """Do nothing."""


def in_words(done: int, total: int, *, fresh: int, seconds: float) -> str:
    """Text with the completed share, and the remaining time once it can be estimated.

    The first parts of a run are often slower than the rest: they read, compile and warm caches. No time is shown
    before a fifth of the work is done.

    Parameters
    ----------
    done, total : int
        Parts of the work done, and in all.
    fresh : int
        How many of those done were done in the last `seconds`, the others being from an earlier run.
    seconds : float
        Since the run began.

    Examples
    --------
    >>> in_words(45, 100, fresh=25, seconds=10)
    '45%, 0:22 left'
    >>> in_words(20, 100, fresh=0, seconds=3), in_words(5, 100, fresh=5, seconds=3)
    ('20%', '5%')
    """
    percent = f"{100 * done // max(total, 1)}%"
    if seconds <= 0 or fresh <= 0 or fresh < ENOUGH * (total - done + fresh):
        return percent
    minutes, rest = divmod(round((total - done) * seconds / fresh), 60)
    hours, minutes = divmod(minutes, 60)
    left = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"{percent}, {left} left"


def terminal_progress(stream: TextIO | None = None) -> Progress:
    """Return the progress display for a stream, by default standard error.

    On a terminal that is :class:`Bar`; elsewhere, or on a dumb terminal, :class:`ProgressLines`.

    Examples
    --------
    >>> import io
    >>> type(terminal_progress(io.StringIO())).__name__
    'ProgressLines'
    """
    stream = sys.stderr if stream is None else stream
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        return Bar(stream)
    return ProgressLines(stream)


class _Tally:
    """Common state of both displays."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock

    def start(self, total: int, label: str, *, done: int = 0) -> None:
        """Begin to count."""
        self._total, self._label, self._done, self._earlier = total, label, done, done
        self._started = self._clock()

    def _words(self) -> str:
        fresh = self._done - self._earlier
        return in_words(self._done, self._total, fresh=fresh, seconds=self._clock() - self._started)


class ProgressLines(_Tally):
    """A plain line every ten seconds at most, and none for a run shorter than that.

    Parameters
    ----------
    stream : text file
        Where to write.
    clock : callable, default time.monotonic
        Returns the time in seconds.
    """

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(stream, clock)

    def start(self, total: int, label: str, *, done: int = 0) -> None:
        """Begin to count."""
        super().start(total, label, done=done)
        self._due = self._started + LINE_EVERY

    def advance(self, n: int = 1) -> None:
        """Count, and write a line if one is due."""
        self._done += n
        if self._clock() >= self._due:
            self._due = self._clock() + LINE_EVERY
            self._stream.write(f"{self._label}: {self._words()}\n")
            self._stream.flush()

    def finish(self) -> None:
        """Do nothing."""


class Bar(_Tally):
    """A bar with percentage and time left; it appears after half a second and vanishes at the end.

    Color follows ``NO_COLOR``.

    Parameters
    ----------
    stream : text file
        A terminal.
    delay : float, default 0.5
        Seconds after which the bar appears.
    """

    def __init__(self, stream: TextIO, *, delay: float = UNSEEN) -> None:
        super().__init__(stream, time.monotonic)
        self._delay = delay
        self._lock = threading.Lock()
        self._bar: RichProgress | None = None

    def start(self, total: int, label: str, *, done: int = 0) -> None:
        """Begin to count, and have the bar appear later, even if no block is done by then."""
        super().start(total, label, done=done)
        self._is_running = True
        self._timer = threading.Timer(self._delay, self._appear)
        self._timer.daemon = True
        self._timer.start()

    def advance(self, n: int = 1) -> None:
        """Count, and move the bar."""
        with self._lock:
            self._done += n
            self._draw()

    def finish(self) -> None:
        """Take the bar away."""
        self._timer.cancel()
        with self._lock:
            self._is_running = False
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def _appear(self) -> None:
        with self._lock:
            if self._is_running:
                self._bar = _rich_bar(self._stream)
                self._bar.add_task(self._label, total=self._total, words="")
                self._draw()
                self._bar.start()

    def _draw(self) -> None:
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done, words=self._words())


def _rich_bar(stream: TextIO) -> RichProgress:
    from rich.console import Console  # noqa: PLC0415  (most runs never show a bar)
    from rich.progress import BarColumn, TextColumn  # noqa: PLC0415
    from rich.progress import Progress as RichProgress  # noqa: PLC0415

    return RichProgress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[words]}", markup=False),
        console=Console(file=stream),
        transient=True,
        redirect_stdout=False,  # standard output may be a pipe and is not ours
    )
