"""The server: a socket, the address to open, and files to begin with."""

from __future__ import annotations

import asyncio
import contextlib
import html
import os
import socket
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import uvicorn
from fastapi import FastAPI

from betterthan.errors import BetterThanError, ReadError
from betterthan.messages import Message, Option
from betterthan.web.app import create_app
from betterthan.web.connections import Connections, Listener, quiet_about_descriptors
from betterthan.web.runs.disk import FULL, is_disk_full
from betterthan.web.runs.service import Service
from betterthan.web.runs.uploads import store_local
from betterthan.web.settings import WebSettings

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
