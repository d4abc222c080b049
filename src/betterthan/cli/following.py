"""Input that grows: a file that is being written, or standard input, read again whenever it has new lines."""

from __future__ import annotations

import contextlib
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Generic, TypeVar

from betterthan import scratch
from betterthan.cli.streams import is_quiet
from betterthan.errors import BetterThanError, ReadError

if TYPE_CHECKING:
    from betterthan.present.table import Table

Found = TypeVar("Found")
STANDARD_INPUT = "-"
_PAUSE = 0.2
_SHARE = 0.2
"""Share of the time that may be spent on looks."""
_FEW_LINES = 10
"""Lines before which a file may still be impossible to read."""
_CHUNK = 1 << 16


class Followed(Generic[Found]):
    """Looks at a growing input until one is the last.

    Parameters
    ----------
    file : str
        A text file of lines, or ``-`` for standard input, which ends the looks when it ends.
    look : callable
        From the path of a copy of the whole lines so far to what is found.
    is_last : callable
        Whether nothing more is needed.
    table : callable
        The table to show on a terminal after each look.
    """

    def __init__(
        self,
        file: str,
        look: Callable[[str], Found],
        *,
        is_last: Callable[[Found], bool],
        table: Callable[[Found], Table],
    ) -> None:
        self._file, self._look, self._is_last, self._table = file, look, is_last, table
        self._lines, self._over = 0, False

    def last(self) -> Found:
        """Look whenever there is more, and return the last finding; an interruption ends the looks.

        Raises
        ------
        ReadError
            When the lines cannot be read.
        """
        found: Found | None = None
        with tempfile.TemporaryDirectory(prefix="follow-", dir=scratch.folder()) as folder:
            copy = Path(folder) / (Path(self._file).name if self._file != STANDARD_INPUT else "stdin")
            with _shown() as show, contextlib.suppress(KeyboardInterrupt):
                for _ in self._grown(copy):
                    seen = self._seen(copy)
                    if seen is None:
                        continue
                    found = seen
                    show(self._table(found))
                    if self._is_last(found):
                        break
            if found is None:
                copy.touch()
                return self._look(str(copy))
        return found

    def _seen(self, copy: Path) -> Found | None:
        """Return what is found, or None where the first lines are not enough to read them."""
        try:
            return self._look(str(copy))
        except BetterThanError:
            if self._over or self._lines >= _FEW_LINES:
                raise
            return None

    def _grown(self, copy: Path) -> Iterator[None]:
        """Append new whole lines to the copy, and yield when it is time for a look."""
        rest, spent = b"", 0.0
        looked = time.monotonic()
        is_new = False
        with copy.open("ab") as target:
            for part in self._parts():
                rest += part
                whole, newline, rest = rest.rpartition(b"\n")
                if newline or (self._over and rest):
                    target.write(whole + newline + (rest if self._over else b""))
                    target.flush()
                    self._lines += whole.count(b"\n") + 1
                    is_new = True
                if is_new and (self._over or time.monotonic() - looked >= spent / _SHARE):
                    is_new, began = False, time.monotonic()
                    yield
                    looked = time.monotonic()
                    spent = looked - began

    def _parts(self) -> Iterator[bytes]:
        """Yield what is new, or nothing after a pause; sets that it is over before the last part."""
        if self._file == STANDARD_INPUT:
            yield from self._piped()
            return
        try:
            stream = Path(self._file).open("rb")  # noqa: SIM115  (closed below)
        except OSError as error:
            raise ReadError(
                f"It cannot be read ({error.strerror}).", path=self._file, code="BT001"
            ) from error
        with stream:
            while True:
                part = stream.read(_CHUNK)
                yield part
                if not part:
                    time.sleep(_PAUSE)

    def _piped(self) -> Iterator[bytes]:
        parts: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        reader = threading.Thread(target=_read_all, args=(sys.stdin.buffer, parts), daemon=True)
        reader.start()
        while True:
            try:
                part = parts.get(timeout=_PAUSE)
            except queue.Empty:
                yield b""
                continue
            if not part:
                self._over = True
                yield b""
                return
            yield part


def _read_all(stream: IO[bytes], parts: queue.SimpleQueue[bytes]) -> None:
    """Pass on each line as it comes, and an empty one at the end."""
    for line in stream:
        parts.put(line)
    parts.put(b"")


@contextlib.contextmanager
def _shown() -> Iterator[Callable[[Table], None]]:
    """Yield what shows a table in place of the one before, on a terminal; elsewhere nothing is shown."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from betterthan.cli.wording import typed_option
    from betterthan.present.renderers.text import render_text

    console = Console(stderr=True)
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield lambda table: live.update(
            Text.from_ansi(render_text(table, width=console.width, color=True, spelling=typed_option())),
            refresh=True,
        )
