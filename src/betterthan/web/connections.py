"""Connections: how many there may be, and how long one may keep the server waiting.

Anyone who can reach the port can open connections, signed in or not. One that sends nothing, or half a request, or does
not read its answer, costs a descriptor and nothing else; so there are at most so many, each has a deadline, and when
all are taken the one that has kept the server waiting longest is closed for the next.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 1000
HEAD_SECONDS = 15.0  # in which the head of a request must be there, after connecting or after the last answer
BODY_SECONDS = 60.0  # without a byte of the body, or with an answer that is not being read
_QUEUE = 512  # connections that the system holds until they are accepted
_FEW_FILES = 4096
_LOG_EVERY = 60.0  # seconds between two lines about the same shortage
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 5\r\n"
    b"Connection: close\r\nContent-Length: 42\r\n\r\nThe server is busy. Try again in a moment."
)


class Listener(socket.socket):
    """A listening socket of which one connection is accepted at a time.

    asyncio accepts as many in a row as the system's queue is long, and goes on doing so when the process has no
    descriptor left: it then writes a traceback for every attempt. So it is given a queue of one (`backlog`), and the
    system the queue that a server needs.
    """

    def listen(self, backlog: int = 1) -> None:  # noqa: ARG002  (see above)
        """Listen with the queue of a server."""
        super().listen(_QUEUE)


class Connections:
    """All open connections of a server, and which of them wait for their client."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most or _affordable()
        self.open: set[Connection] = set()

    def free_a_place(self) -> bool:
        """Drop the connection that has kept the server waiting longest if all are taken; False when all work."""
        if len(self.open) < self.most:
            return True
        waiting = [connection for connection in self.open if connection.waiting_since is not None]
        if not waiting:
            return False
        min(waiting, key=lambda connection: connection.waiting_since or 0.0).drop()
        return True

    def protocol(self, **arguments: Any) -> Connection:  # noqa: ANN401  (uvicorn's)
        """Return the protocol of a new connection."""
        return Connection(self, **arguments)


class Connection(H11Protocol):
    """One connection: uvicorn's, with deadlines for what its client has to do."""

    def __init__(self, all_of_them: Connections, **arguments: Any) -> None:  # noqa: ANN401  (uvicorn's)
        super().__init__(**arguments)
        self._all = all_of_them
        self._inner = self.app
        self.app = self._noted
        self._requests = 0  # two for a moment, when the next one was sent before the last answer was out
        self._unsent = 0
        self._clock: asyncio.TimerHandle | None = None
        self.waiting_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or turn it away where every other one works."""
        if not self._all.free_a_place():
            transport.write(_BUSY)
            transport.close()
        super().connection_made(transport)
        self._all.open.add(self)
        self._wait(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._all.open.discard(self)
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; those of a body show that the client goes on, those of a head do not extend its time."""
        if self._requests and self.waiting_since is not None and not self._unsent:
            self._wait(BODY_SECONDS)
        super().data_received(data)

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        self._wait_for_reader()

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._unsent = 0
        self._stop_waiting()
        if not self._requests:
            self._wait(HEAD_SECONDS)

    def drop(self) -> None:
        """Close the connection at once; what was not sent is not sent any more."""
        self._all.open.discard(self)
        self._stop_waiting()
        self.transport.abort()

    async def _noted(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401  (ASGI's)
        """Carry out a request; while its body is awaited, the client has a deadline."""
        is_complete = False

        async def received() -> Any:  # noqa: ANN401  (ASGI's)
            nonlocal is_complete
            if is_complete:  # all there is to come is the end of the connection
                return await receive()
            self._wait(BODY_SECONDS)
            message = await receive()
            self._stop_waiting()
            is_complete = not message.get("more_body", False)
            return message

        self._requests += 1
        self._stop_waiting()
        try:
            await self._inner(scope, received, send)
        finally:
            self._requests -= 1
            if self in self._all.open and not self._requests and not self._unsent:
                self._wait(HEAD_SECONDS)

    def _wait(self, seconds: float) -> None:
        """Begin to wait for the client, and drop it when it takes longer than so many seconds."""
        self._stop_waiting()
        self.waiting_since = self.loop.time()
        self._clock = self.loop.call_later(seconds, self.drop)

    def _wait_for_reader(self) -> None:
        """Wait for a client that reads slowly for as long as it reads at all."""
        before, self._unsent = self._unsent, self.transport.get_write_buffer_size()
        if before and self._unsent >= before:
            self.drop()
            return
        self._stop_waiting()
        self.waiting_since = self.loop.time()
        self._clock = self.loop.call_later(BODY_SECONDS, self._wait_for_reader)

    def _stop_waiting(self) -> None:
        self.waiting_since = None
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None


def quiet_about_descriptors(loop: asyncio.AbstractEventLoop) -> None:
    """Have the loop log one line per minute while no connection can be accepted for lack of file descriptors.

    asyncio tries again every second by itself, and would write a traceback each time.
    """
    logger = logging.getLogger("uvicorn.error")
    last_logged = -_LOG_EVERY

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal last_logged
        if "out of system resource" not in context.get("message", ""):
            loop.default_exception_handler(context)
        elif loop.time() - last_logged >= _LOG_EVERY:
            last_logged = loop.time()
            logger.warning(
                "New connections wait: %s. Raise the limit with ulimit -n.", context.get("exception")
            )

    loop.set_exception_handler(handle)


def _affordable() -> int:
    """Return how many connections there may be: half of the descriptors, as files, workers and SQLite need some too."""
    try:
        import resource  # noqa: PLC0415  (not on Windows)
    except ImportError:
        return MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _FEW_FILES if hard == resource.RLIM_INFINITY else min(_FEW_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
        soft = needed
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, max(8, soft // 2))
