"""The server: a socket, the address to open, and files to begin with."""

from __future__ import annotations

import contextlib
import secrets
import socket
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from betterthan.errors import BetterThanError, ReadError
from betterthan.web.app import create_app
from betterthan.web.disk import FULL, is_disk_full
from betterthan.web.service import Service
from betterthan.web.settings import LOOPBACK, WebSettings
from betterthan.web.uploads import store_local

_STOP_SECONDS = 2  # in which open pages may end before they are cut off


def token_for(host: str, given: str | None) -> str | None:
    """Return the token of a server: none on this machine alone unless one is given, else a new one.

    Examples
    --------
    >>> token_for("127.0.0.1", None) is None, len(token_for("0.0.0.0", None)), token_for("0.0.0.0", "mine")
    (True, 32, 'mine')
    """
    if given or host in LOOPBACK:
        return given or None
    return secrets.token_urlsafe(24)


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes any that is free.

    Raises
    ------
    BetterThanError
        When the address is taken or not this machine's.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise BetterThanError(
            f"Port {port} of {host} cannot be used ({error.strerror}). Name another: --port 0 takes any that is free."
        ) from error


def address(listening: socket.socket, path: str = "/", token: str | None = None) -> str:
    """Return the address to open in a browser."""
    host, port = listening.getsockname()[:2]
    named = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)  # noqa: S104  (asked, not bound)
    shown = f"[{named}]" if ":" in named else named
    return f"http://{shown}:{port}{path}" + (f"?token={token}" if token else "")


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


def serve(settings: WebSettings, *, port: int, files: Iterable[Path], ready: Callable[[str], None]) -> None:
    """Serve until interrupted; `ready` is told the address as soon as the server listens."""
    with bound(settings.host, port) as listening:
        app = create_app(settings)
        try:
            page = add_files(app, files) or "/"
        except BetterThanError:
            app.state.service.close()
            raise
        ready(address(listening, page, settings.token))
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,  # addresses of runs are secrets of a kind
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_STOP_SECONDS,
            limit_concurrency=1000,
        )
        with contextlib.suppress(KeyboardInterrupt):  # the way to stop a server
            uvicorn.Server(config).run(sockets=[listening])
