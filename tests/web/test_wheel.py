"""The wheel: all that pages need is in it, and installed from it alone the report and the server work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

HERE = Path(__file__).resolve().parents[2]
UNREACHABLE = re.compile(
    r"No matching distribution|Temporary failure|Connection|Max retries|ProxyError|timed out"
)
WITHOUT_OURS = {"PYTHONPATH": "", "PYTHONNOUSERSITE": "1"}


def run(*command: object, cwd: Path) -> str:
    """Run a command and return what it prints; without a registry the test is skipped, visibly."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **WITHOUT_OURS},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and "pip" in map(str, command) and UNREACHABLE.search(done.stderr):
        pytest.skip(
            f"There is no registry of packages to build and install from: {done.stderr.splitlines()[-1]}"
        )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel as it would be published."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, HERE, cwd=folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The program of a new environment that has the wheel and what it declares to need."""
    folder = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    wanted = f"{wheel}[web]"
    run(python, "-m", "pip", "install", "-q", "-c", HERE / "constraints.txt", wanted, cwd=folder)
    where = run(python, "-c", "import betterthan; print(betterthan.__file__)", cwd=folder).strip()
    assert Path(where).is_relative_to(folder)
    return folder / "venv" / "bin" / "betterthan"


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel):
    """Templates, styles, scripts, data; nothing of tests or caches."""
    source = HERE / "src"
    expected = {
        path.relative_to(source).as_posix()
        for path in (source / "betterthan").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert found == expected
    for name in (
        "web/templates/battles.html.j2",
        "web/static/app.css",
        "report/templates/report.js",
        "read/problems.toml",
        "py.typed",
    ):
        assert f"betterthan/{name}" in found


def test_the_report_is_made_from_the_installed_wheel(installed, tmp_path):
    """The example's data are made, and the report of them."""
    run(installed, "demo", "--output", tmp_path / "demo", cwd=tmp_path)
    run(installed, "report", tmp_path / "demo" / "human.csv", "-o", tmp_path / "report.html", cwd=tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<svg" in text
    assert "Made with betterthan" in text


@contextmanager
def serving(program: Path, folder: Path):
    """The server of the installed program."""
    command = [program, "serve", "--no-token", "--port", "0", "--folder", folder]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder.parent) as process:
        line = process.stderr.readline()
        assert line.startswith("Serving at http://127.0.0.1:"), line
        yield line.split()[2].removesuffix("/")
        process.terminate()
        process.wait(30)


def asked(address: str, data: bytes | None = None) -> bytes:
    """Ask the server once."""
    request = urllib.request.Request(address, data=data, headers={"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  (this machine)
        return answer.read()


def settled(address: str, run_id: str) -> dict:
    """Wait until a run has come to rest."""
    while True:
        found = json.loads(asked(f"{address}/api/v1/runs/{run_id}"))
        if found["state"] not in {"looking", "waiting", "running"}:
            return found
        time.sleep(0.2)


def test_the_server_runs_from_the_installed_wheel(installed, tmp_path):
    """Its pages, their style and scripts, and an example all the way to a pair."""
    with serving(installed, tmp_path / "runs") as address:
        for path in ("/", "/new", "/learn", "/static/report.css", "/static/app.css", "/static/app.js",
                     "/static/learn.js", "/static/icon.svg", "/api/v1/openapi.json"):  # fmt: skip
            assert len(asked(address + path)) > 100, path
        run_id = json.loads(asked(f"{address}/api/v1/examples/battles", b""))["id"]
        assert settled(address, run_id)["state"] == "ready"
        asked(f"{address}/api/v1/runs/{run_id}/start", b"{}")
        assert settled(address, run_id)["state"] == "done"
        assert b"under Bradley" in asked(f"{address}/runs/{run_id}/pairs/Aster/Birch")
