"""The command: addresses, tokens, files to begin with, and how it stops."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from betterthan.cli.main import main
from betterthan.errors import BetterThanError
from betterthan.web.serving import address, bound, link_file
from betterthan.web.settings import WebSettings

PROGRAM = "from betterthan.cli.main import main; main()"


def failed(capsys, *arguments):
    """Run a command that ends with bad use and return what it says."""
    with pytest.raises(SystemExit) as ended:
        main(["serve", *map(str, arguments)])
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_files_of_the_command_line_are_taken_at_once(tmp_path):
    """The address leads to what was recognized in them; Ctrl-C is the way to stop."""
    file = tmp_path / "scores.csv"
    file.write_text("item,A,B\n1,2,3\n2,4,1\n")
    command = [
        sys.executable,
        "-c",
        PROGRAM,
        "serve",
        str(file),
        "--port",
        "0",
        "--folder",
        str(tmp_path / "runs"),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        where = process.stderr.readline().split()[2]
        assert "/new/" in where
        assert "?token=" in where
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with browser.open(where, timeout=60) as answer:
            assert b"scores.csv" in answer.read()
            assert answer.url == where.split("?")[0]
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(30) == 0
    assert rest == "Stopped. Runs are kept; start the server again to see them.\n"


def test_a_file_that_is_not_there_is_named(capsys, tmp_path):
    """And nothing is kept of those that are."""
    (tmp_path / "there.csv").write_text("item,A,B\n1,2,3\n")
    folder = tmp_path / "runs"
    said = failed(capsys, tmp_path / "there.csv", tmp_path / "absent.csv", "--port", 0, "--folder", folder)
    assert (
        said
        == f"error[BT002]: {tmp_path / 'absent.csv'}: The file cannot be opened (No such file or directory).\n"
    )
    assert list((folder / "runs").iterdir()) == []


def test_a_port_that_is_taken_is_named(capsys, tmp_path):
    """With what to do about it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = failed(capsys, "--port", port, "--folder", tmp_path)
    assert f"Port {port} of 127.0.0.1 cannot be used" in said
    assert "--port 0" in said


def test_a_name_that_is_no_machine_is_refused():
    """With the name as it was given."""
    with pytest.raises(BetterThanError, match=r"of no-such-host\.invalid cannot be used"):
        bound("no-such-host.invalid", 0)


def test_every_server_has_a_token_of_its_own(tmp_path):
    """Unless one is given, or it is said that there is none."""
    first, second = (WebSettings(folder=tmp_path) for _ in range(2))
    assert first.token != second.token
    assert len(first.token) == 32
    assert first.token not in repr(first)
    assert WebSettings(folder=tmp_path, token=None).token is None
    with pytest.raises(ValueError, match="at least one character"):
        WebSettings(folder=tmp_path, token="")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--no-token", "--token", "mine"), "--no-token excludes a token"),
        (("--no-token", "--host", "0.0.0.0"), "it needs a token"),  # noqa: S104
    ],
)
def test_no_token_is_refused_where_it_contradicts(capsys, tmp_path, options, message):
    """Beside a token, and where other machines can come."""
    assert message in failed(capsys, *options, "--port", 0, "--folder", tmp_path)


def test_the_page_that_opens_the_browser_is_readable_by_its_user_alone(tmp_path):
    """It has the token in it; the list of processes, which everybody can read, has not."""
    with link_file(tmp_path, "http://127.0.0.1:1/?token=abc&x=1") as path:
        assert path.stat().st_mode & 0o777 == 0o600
        assert "url=http://127.0.0.1:1/?token=abc&amp;x=1" in path.read_text()
    assert not path.exists()


def test_the_address_can_be_opened():
    """Numbers of version 6 in brackets, the token where it is wanted."""
    with bound("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        assert address(listening) == f"http://127.0.0.1:{port}/"
        assert address(listening, "/new/x", "abc") == f"http://127.0.0.1:{port}/new/x?token=abc"


def test_templates_and_static_files_are_part_of_the_package():
    """What the pages need lies beside the code, so that a wheel brings it."""
    from betterthan.web.render import HERE
    from betterthan.web.routes.pages import STATIC, _path

    assert all(_path(name).is_file() for name in STATIC)
    named = {path.name for path in Path(HERE, "templates").iterdir()}
    assert {"base.html.j2", "home.html.j2", "learn.html.j2"} <= named
