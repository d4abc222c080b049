"""The server: a socket, the address to open, files to begin with, and how many connections there may be.

Anyone who can reach the port can open connections, signed in or not. One that sends nothing, or half a request, or does
not read its answer, costs a descriptor and nothing else; so there are at most so many, each has a deadline, and when
all are taken the one that has kept the server waiting longest is closed for the next.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import logging
import os
import socket
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from betterthan.errors import BetterThanError, ReadError
from betterthan.messages import Message, Option
from betterthan.web.app import create_app
from betterthan.web.runs.disk import FULL, is_disk_full
from betterthan.web.runs.service import Service
from betterthan.web.runs.uploads import store_local
from betterthan.web.settings import WebSettings

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


_STOP_SECONDS = 2  # in which open pages may end before they are cut off


def bound(host: str, port: int) -> Listener:
    """Return a socket that listens; port 0 takes any that is free.

    Raises
    ------
    BetterThanError
        When the address is taken or not this machine's.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.create_server((host, port), family=family) as made:
            return Listener(fileno=made.detach())
    except OSError as error:
        raise BetterThanError(
            Message(
                "Port {port} of {host} cannot be used ({reason}). Name another; {any_port} takes any that "
                "is free.",
                port=port,
                host=host,
                reason=error.strerror,
                any_port=Option("port", 0),
            )
        ) from error


def address(listening: socket.socket, path: str = "/", token: str | None = None) -> str:
    """Return the address to open in a browser."""
    host, port = listening.getsockname()[:2]
    named = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)  # noqa: S104  (asked, not bound)
    shown = f"[{named}]" if ":" in named else named
    return f"http://{shown}:{port}{path}" + (f"?{urlencode({'token': token})}" if token else "")


def add_files(app: FastAPI, files: Iterable[Path]) -> str | None:
    """Begin a run with files of this machine and return its page, or None when there are no files.

    Raises
    ------
    ReadError
        When one cannot be opened; then none is taken.
    """
    service: Service = app.state.service
    paths = list(files)
    if not paths:
        return None
    try:
        run = service.take_in(lambda folder: tuple(store_local(path, folder) for path in paths))
    except (OSError, sqlite3.Error) as error:
        if is_disk_full(error):
            raise BetterThanError(FULL) from error
        if not isinstance(error, OSError):
            raise
        raise ReadError(
            f"The file cannot be opened ({error.strerror}).", path=str(error.filename), code="BT002"
        ) from error
    return f"/new/{run.id}"


class Server(uvicorn.Server):
    """uvicorn's server with our limits on connections."""

    def __init__(self, app: FastAPI, *, connections: Connections | None = None) -> None:
        self.connections = connections or Connections()
        config = uvicorn.Config(
            app,
            http=self.connections.protocol,  # type: ignore[arg-type]  # called as a class would be
            ws="none",
            log_level="warning",
            access_log=False,  # addresses of runs are secrets of a kind
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_STOP_SECONDS,
            backlog=1,  # see Listener
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        quiet_about_descriptors(asyncio.get_running_loop())
        await super().startup(sockets)


@contextlib.contextmanager
def link_file(folder: Path, where: str) -> Iterator[Path]:
    """Give a page that leads to an address and that this user alone can read.

    A browser that is started with the address itself shows it, and with it the token, to every user of the machine
    in the list of processes.
    """
    path = folder / "open.html"
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(
            '<!doctype html><meta charset="utf-8"><title>betterthan</title>'
            f'<meta http-equiv="refresh" content="0; url={html.escape(where)}">'
            f'<p><a href="{html.escape(where)}">Open betterthan</a></p>'
        )
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def serve(
    settings: WebSettings,
    *,
    port: int,
    files: Iterable[Path],
    ready: Callable[[str], None],
    launch: Callable[[str], object] | None = None,
) -> None:
    """Serve until interrupted.

    Parameters
    ----------
    settings : WebSettings
    port : int
        0 takes any that is free.
    files : iterable of Path
        Files to begin a run with.
    ready : callable
        Told the address as soon as the server listens.
    launch : callable, optional
        Opens a page in a browser.
    """
    with bound(settings.host, port) as listening:
        app = create_app(settings)
        try:
            page = add_files(app, files) or "/"
        except BetterThanError:
            app.state.service.close()
            raise
        where = address(listening, page, settings.token)
        ready(where)
        with contextlib.ExitStack() as stack:
            if launch is not None:
                with contextlib.suppress(OSError):  # as on a full disk; the address is printed
                    launch(stack.enter_context(link_file(settings.folder, where)).resolve().as_uri())
            stack.enter_context(contextlib.suppress(KeyboardInterrupt))  # the way to stop a server
            Server(app).run(sockets=[listening])
