"""HEAD: the same status and headers as GET, and no body."""

from __future__ import annotations

import socket

import pytest
from tests.web.conftest import NAMES

from betterthan.web.names import url_name

CHANGING = {"date", "set-cookie", "content-security-policy", "content-length"}


@pytest.mark.parametrize(
    "path",
    [
        "/", "/new", "/learn", "/static/app.css", "/no-such-page", "/api/v1/health", "/api/v1/runs", "/runs/{run}",
        "/runs/{run}.json", "/runs/{run}/items", "/runs/{run}/pairs/{pair}", "/runs/{run}/manage",
    ],
)  # fmt: skip
def test_head_answers_as_get_without_a_body(site, done, path):
    """Whether the address is a page, a file, a part of the API, or nothing at all."""
    where = path.format(run=done["id"], pair=f"{url_name(NAMES[1])}/{url_name(NAMES[2])}")
    full, head = site.client.get(where), site.client.head(where)
    assert (head.status_code, head.content) == (full.status_code, b"")
    assert set(head.headers) == set(full.headers)
    for name in set(full.headers) - CHANGING:
        assert head.headers[name] == full.headers[name], name


def test_nothing_follows_the_head_on_the_line(site):
    """Not even for who reads the bytes as they come."""
    host, port = site.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as line:
        line.sendall(f"HEAD / HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        said = b""
        while part := line.recv(65536):
            said += part
    assert said.startswith(b"HTTP/1.1 200")
    assert said.endswith(b"\r\n\r\n")


def test_an_answer_without_end_ends(site, done):
    """The events of a run are many answers in one; of them, too, the head can be asked for."""
    answer = site.client.head(f"/runs/{done['id']}/events", timeout=10)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")


def test_what_changes_something_has_no_head(site):
    """An address that can only be posted to says so."""
    answer = site.client.head("/upload")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
