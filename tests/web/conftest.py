"""A real server on a free port of this machine, and a client that behaves like a browser."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

httpx = pytest.importorskip("httpx", reason="the browser group is not installed")
pytest.importorskip("uvicorn", reason="the web extra is not installed")

from fastapi import FastAPI  # noqa: E402

from betterthan.engine.child import Child  # noqa: E402
from betterthan.web.app import create_app  # noqa: E402
from betterthan.web.runs import service as jobs  # noqa: E402
from betterthan.web.runs.service import Service  # noqa: E402
from betterthan.web.serving import Connections, Server, bound  # noqa: E402
from betterthan.web.settings import WebSettings  # noqa: E402
from betterthan.web.worker.worker import CAN_FORK  # noqa: E402

ON_THE_WAY = {"looking", "waiting", "running"}
SCORES = "segment,doc,<script>alert(1)</script>,B/two,=C\n" + "".join(
    f"s{i},d{i // 4},{50 + (i * 7) % 40},{45 + (i * 11) % 37},{20 + (i * 5) % 31}\n" for i in range(24)
)
NAMES = ("<script>alert(1)</script>", "B/two", "=C")


@dataclass(frozen=True)
class Site:
    """A server, its folder, and a client of it."""

    client: httpx.Client
    server: Server
    app: FastAPI
    folder: Path
    address: str

    @property
    def service(self) -> Service:
        """What pages and API ask."""
        return self.app.state.service

    def token(self, path: str = "/") -> str:
        """The form token of a page; the client keeps the session's cookie as a browser would."""
        return re.search(r'name="form_token" value="([0-9a-f]{64})"', self.client.get(path).text)[1]

    def upload(self, files: dict[str, bytes | str]) -> str:
        """Upload through the API, wait for the look, and return the run's id."""
        parts = [("files", (name, content)) for name, content in files.items()]
        answer = self.client.post("/api/v1/runs", files=parts)
        assert answer.status_code == 201, answer.text
        self.settled(answer.json()["id"])
        return answer.json()["id"]

    def settled(self, run_id: str, seconds: float = 120.0) -> dict:
        """Wait until a run is not on the way any more and return it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            run = self.client.get(f"/api/v1/runs/{run_id}").json()
            if run["state"] not in ON_THE_WAY:
                return run
            time.sleep(0.05)
        raise AssertionError(f"still {run['state']} after {seconds} s")

    def report(self, files: dict[str, bytes | str], **choices: object) -> dict:
        """Upload, start, wait, and return the run."""
        run_id = self.upload(files)
        answer = self.client.post(f"/api/v1/runs/{run_id}/start", json=choices)
        assert answer.status_code == 202, answer.text
        return self.settled(run_id)


@contextmanager
def live(folder: Path, *, connections: Connections | None = None, **given: object) -> Iterator[Site]:
    """Serve a folder until the block ends; to everybody, unless a token is given."""
    app = create_app(WebSettings(**{"folder": folder, "token": None, **given}))
    with bound("127.0.0.1", 0) as listening:
        server = Server(app, connections=connections)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with httpx.Client(base_url=address, timeout=60.0) as client:
            yield Site(client, server, app, folder, address)
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive()


class KeptWorker(Child):
    """A worker that waits for the next run of any test instead of ending; it forks for each task all the same."""

    idle: ClassVar[list[KeptWorker]] = []
    is_gone = False

    def send(self, message: bytes) -> None:
        """Send one message, and remember if nobody is there."""
        try:
            super().send(message)
        except OSError:
            self.is_gone = True
            raise

    def receive(self) -> bytes:
        """Wait for one message, and remember if none will come."""
        try:
            return super().receive()
        except EOFError:
            self.is_gone = True
            raise

    def end(self, *, grace: float) -> int:
        """Wait for more if all is well, else end."""
        if self.is_gone or grace == 0 or self.process.poll() is not None:
            return super().end(grace=grace)
        self.idle.append(self)
        return 0


_start = jobs._start


def _idle_or_new() -> Child:
    try:
        return KeptWorker.idle.pop()
    except IndexError:
        child = _start()
        child.__class__ = KeptWorker
        return child


@pytest.fixture(autouse=True, scope="session")
def _workers_are_kept():
    """To load what a worker needs is most of a small run; where workers cannot fork, each does one task."""
    with pytest.MonkeyPatch.context() as patched:
        if CAN_FORK:
            patched.setattr(jobs, "_start", _idle_or_new)
        yield
    for child in KeptWorker.idle:
        Child.end(child, grace=20)
    KeptWorker.idle.clear()


@pytest.fixture
def workers_as_they_are(monkeypatch):
    """For tests of the workers themselves: started for a run and gone after it."""
    monkeypatch.setattr(jobs, "_start", _start)


@pytest.fixture
def serving():
    """The means to serve a folder, as often as a test likes."""
    return live


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A server that all tests share."""
    with live(tmp_path_factory.mktemp("site")) as found:
        yield found


@pytest.fixture(scope="session")
def done(site):
    """A finished run on scores, with names that would do harm where they are not escaped."""
    run = site.report({"human.csv": SCORES})
    assert run["state"] == "done", run["problem"]
    return run
