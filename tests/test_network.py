"""No network, no telemetry."""

from __future__ import annotations

import socket

import pytest


def test_no_test_can_reach_another_machine():
    """The guard around the whole suite works: an address elsewhere is refused before anything is sent."""
    with socket.socket() as elsewhere, pytest.raises(AssertionError, match=r"tried to reach 192\.0\.2\.1"):
        elsewhere.connect(("192.0.2.1", 80))


def test_this_machine_can_be_reached():
    """Loopback stays open, for workers and servers."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as client:
        client.connect(server.getsockname())
