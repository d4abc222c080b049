"""Connections that do nothing, or too slowly, take nobody's place; those that work are left alone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from tests.web.conftest import SCORES

from betterthan.web import serving as connections
from betterthan.web.serving import Connections
from betterthan.web.settings import ServerLimits

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1"


def connected(address, sent=b"", **options):
    """A connection over which this was sent."""
    line = socket.socket()
    if "buffer" in options:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, options["buffer"])
    line.connect(("127.0.0.1", int(address.rsplit(":", 1)[1])))
    line.sendall(sent)
    return line


def is_open(line):
    """Whether the server still holds its end."""
    line.settimeout(0.01)
    try:
        return line.recv(1 << 16) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


@contextmanager
def idle(address, many):
    """So many connections, of which every second has begun a request."""
    lines = [connected(address, HALF if number % 2 else b"") for number in range(many)]
    try:
        yield lines
    finally:
        for line in lines:
            line.close()


def test_idle_connections_take_nobodys_place(serving, tmp_path):
    """When all places are taken, the one that has kept the server waiting longest makes room."""
    with serving(tmp_path, connections=Connections(most=20)) as site, idle(site.address, 60) as lines:
        for _ in range(30):
            assert httpx.get(f"{site.address}/api/v1/health", timeout=60).status_code == 200
        assert sum(is_open(line) for line in lines) <= 20


def test_where_all_connections_work_the_next_is_told_to_wait(serving, tmp_path):
    """Work is not dropped for newcomers."""
    with serving(tmp_path, connections=Connections(most=2), limits=ServerLimits(looks=0)) as site:
        run = httpx.post(
            f"{site.address}/api/v1/runs", files=[("files", ("a.csv", SCORES))], timeout=60
        ).json()
        follow = f"GET /runs/{run['id']}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        site.client.close()
        lines = [connected(site.address, follow) for _ in range(2)]
        for line in lines:
            assert line.recv(100).startswith(b"HTTP/1.1 200")
        with connected(site.address) as late:
            assert late.recv(100).startswith(b"HTTP/1.1 503")
        assert all(is_open(line) for line in lines)
        for line in lines:
            line.close()


# On a busy machine the buffers of a line that nobody reads take long to fill.
@pytest.mark.parametrize(
    "kind",
    [
        "nothing",
        "half a head",
        "drop by drop",
        "half a body",
        pytest.param("no reader", marks=pytest.mark.slow),
    ],
)
def test_who_keeps_the_server_waiting_is_dropped(serving, tmp_path, monkeypatch, kind):
    """Whatever it is that does not come; and a request that takes long is not dropped for it."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.5)
    body = b"POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx"
    page = b"GET /static/report.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    sent = {"half a head": HALF, "drop by drop": HALF, "half a body": body, "no reader": page * 2000}.get(
        kind, b""
    )
    with serving(tmp_path, limits=ServerLimits(looks=0)) as site:
        run = httpx.post(
            f"{site.address}/api/v1/runs", files=[("files", ("a.csv", SCORES))], timeout=60
        ).json()
        follow = f"GET /runs/{run['id']}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        with connected(site.address, follow) as working, connected(site.address, sent, buffer=4096) as line:
            end = time.monotonic() + 60
            held = site.server.connections.open if kind == "no reader" else None
            while len(held) > 1 if held is not None else is_open(line):
                assert time.monotonic() < end
                if kind == "drop by drop":
                    with suppress(OSError):
                        line.sendall(b"x")
                time.sleep(0.1)
            time.sleep(1.0)
            assert is_open(working)


# A server of its own process, with so many descriptors.
PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
from betterthan.cli.main import main
main(["serve", "--no-token", "--port", "0", "--folder", sys.argv[2]])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("descriptors", "many"), [(4096, 1100), (64, 300)])
def test_a_thousand_idle_connections_cost_nothing(tmp_path, descriptors, many):
    """Beside them every request is answered, soon; the processor is at rest and the log is short."""
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (4096 if hard == resource.RLIM_INFINITY else min(4096, hard), hard)
    )
    log = tmp_path / "log"
    with log.open("w") as error:
        command = [sys.executable, "-c", PROGRAM, str(descriptors), str(tmp_path / "runs")]
        server = subprocess.Popen(command, stderr=error)
    try:
        end = time.monotonic() + 60
        while "http" not in log.read_text():
            assert time.monotonic() < end
            time.sleep(0.1)
        address = log.read_text().split()[2].removesuffix("/")
        with idle(address, many):
            for _ in range(100):
                assert httpx.get(f"{address}/api/v1/health", timeout=30).status_code == 200
            before, seconds = used(server.pid), 5
            time.sleep(seconds)
            assert used(server.pid) - before < 0.5 * seconds  # of work, of which a busy machine makes no more
        assert log.stat().st_size < 10_000
    finally:
        server.terminate()
        server.wait(30)


def used(pid):
    """The processor time of a process, in seconds."""
    parts = Path(f"/proc/{pid}/stat").read_text().split()
    return (int(parts[13]) + int(parts[14])) / os.sysconf("SC_CLK_TCK")
