"""What holds for all tests: nothing may leave this machine, and Ctrl-C is heard."""

from __future__ import annotations

import signal
import socket
from typing import Any

from hypothesis import settings

# How long an example takes depends on what else the machine does; hangs are caught by pytest-timeout.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

_connect = socket.socket.connect
_LOOPBACK = ("127.", "::1", "localhost")


def _only_loopback(self: socket.socket, address: Any) -> None:
    """Connect to this machine, and to nothing else: the package promises that it never uses the network."""
    host = address[0] if isinstance(address, tuple) else ""
    if self.family != getattr(socket, "AF_UNIX", None) and not str(host).startswith(_LOOPBACK):
        raise AssertionError(f"a test tried to reach {host}")
    _connect(self, address)


def pytest_configure() -> None:
    """Guard every connection that a test or the package opens, and listen to Ctrl-C.

    A shell starts background jobs with Ctrl-C ignored, and children inherit that; the tests of interruption need it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    socket.socket.connect = _only_loopback  # type: ignore[method-assign]
