"""Child processes: start a Python interpreter, talk to it in messages, bound what it may use, end it for certain.

Both ends are here. The parent holds a :class:`Child`. The child calls :func:`private_channels`, may :func:`limit`
itself, and ends when its parent does (:func:`end_with_parent`), so that no orphan keeps computing. A message is
its length in eight bytes, then its content. Both ends are the same program of the same user.

Every child has a session of its own: Ctrl-C is for the parent alone, and a child is killed with its children.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO, cast


def send(channel: BinaryIO, message: bytes) -> None:
    """Write one message."""
    channel.write(len(message).to_bytes(8, "little"))
    channel.write(message)
    channel.flush()


def receive(channel: BinaryIO) -> bytes:
    """Read one message.

    Raises
    ------
    EOFError
        If the other end was closed before the message was complete.

    Examples
    --------
    >>> import io
    >>> channel = io.BytesIO()
    >>> send(channel, b"block 7")
    >>> receive(io.BytesIO(channel.getvalue()))
    b'block 7'
    """
    size = int.from_bytes(_exactly(channel, 8), "little")
    return _exactly(channel, size)


def _exactly(channel: BinaryIO, size: int) -> bytes:
    data = channel.read(size)
    if len(data) < size:
        raise EOFError
    return data


class Child:
    """A fresh Python interpreter that this process started and leads.

    Parameters
    ----------
    arguments : sequence of str
        Arguments of Python, such as ``("-m", "package.module")``.
    environment : mapping of str to str, optional
        The environment variables; ours if absent.
    is_quiet : bool, default False
        Whether what the child writes to standard error is dropped.

    Attributes
    ----------
    process : subprocess.Popen
    requests, answers : binary files
        Messages to the child and from it.
    is_late : bool
        Whether it was killed because its time was up.

    Examples
    --------
    >>> program = "from betterthan.engine.child import *; i, o = private_channels(); send(o, receive(i).upper())"
    >>> child = Child(["-c", program])
    >>> child.send(b"block 7")
    >>> child.receive()
    b'BLOCK 7'
    >>> child.end(grace=20)
    0
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        is_quiet: bool = False,
    ) -> None:
        self.is_late = False
        self.process = subprocess.Popen(  # noqa: S603  (our own interpreter and program)
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if is_quiet else None,
            env=None if environment is None else dict(environment),
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self.requests = cast("BinaryIO", self.process.stdin)
        self.answers = cast("BinaryIO", self.process.stdout)

    def send(self, message: bytes) -> None:
        """Send one message.

        Raises
        ------
        OSError
            If the child is gone. The channel is then closed, because it would try to write what it holds back
            whenever it is closed later.
        """
        try:
            send(self.requests, message)
        except OSError:
            self.close_requests()
            raise

    def receive(self) -> bytes:
        """Wait for one message.

        Raises
        ------
        EOFError
            If the child ended before its message was complete.
        """
        return receive(self.answers)

    def close_requests(self) -> None:
        """Let the child know that nothing more will come."""
        with suppress(OSError):  # what a dead process has not read cannot be flushed
            self.requests.close()

    def kill(self) -> None:
        """Kill the child and its children at once; without effect on one that has ended."""
        if self.process.poll() is not None:
            return
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()

    def end(self, *, grace: float) -> int:
        """Let the child end within this number of seconds, else kill it; return its exit status."""
        if grace > 0:
            self.close_requests()
        try:
            status = self.process.wait(timeout=grace)
        except subprocess.TimeoutExpired:
            self.kill()
            status = self.process.wait()
        self.close_requests()
        self.answers.close()
        return status

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Kill the child if the block takes longer than this number of seconds of wall time; it then `is_late`."""
        clock = threading.Timer(seconds, self._time_is_up, [turn := threading.Lock()])
        clock.daemon = True
        clock.start()
        try:
            yield
        finally:
            clock.cancel()
            turn.acquire()  # never given back: from now on the clock may not strike

    def _time_is_up(self, turn: threading.Lock) -> None:
        if turn.acquire(blocking=False):
            self.is_late = True
            self.kill()
            turn.release()


def private_channels() -> tuple[BinaryIO, BinaryIO]:
    """Take the conversation off standard input and output, where other code may read or print; for the child.

    Returns
    -------
    requests, answers : binary files
        What is printed from now on goes to standard error.
    """
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return requests, answers


def end_with_parent(
    requests: BinaryIO, receiver: Callable[[bytes], None] | None = None, *, status: int = 0
) -> None:
    """End this process at once when the parent closes its channel or is gone, whatever other threads do.

    Parameters
    ----------
    requests : binary file
        As :func:`private_channels` returns it.
    receiver : callable, optional
        Called with every further message.
    status : int, default 0
        Exit status.
    """

    def listen() -> None:
        try:
            while True:
                message = receive(requests)
                if receiver is not None:
                    receiver(message)
        except EOFError:
            os._exit(status)

    threading.Thread(target=listen, daemon=True).start()


def limit(memory_bytes: int, cpu_seconds: int) -> None:
    """Bound the memory, processor time and file size of this process; for the child.

    Where the platform has no such limits, the parent's clock is what remains.
    """
    try:
        import resource  # noqa: PLC0415  (not on Windows)
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, memory_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        # What the user allows the parent (ulimit), its children do not exceed.
        allowed = (bound for bound in resource.getrlimit(kind) if bound != resource.RLIM_INFINITY)
        bound = min((most, *allowed))
        with suppress(ValueError, OSError):  # macOS knows RLIMIT_AS and refuses it
            resource.setrlimit(kind, (bound, bound))
