"""The door: names, origins, tokens, sizes, and what every answer tells the browser."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys

import httpx
import pytest
from tests.web.conftest import SCORES

from betterthan.web.routes.choices import COOKIE
from betterthan.web.security import AccessControl
from betterthan.web.settings import ServerLimits, WebSettings

TOKEN = "the token of this test"  # noqa: S105
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", ""]
)
def test_a_foreign_name_for_this_machine_is_not_answered(site, host):
    """A name that somebody pointed at this machine would make his pages ours."""
    assert site.client.get("/", headers={"Host": host}).status_code == 421
    answer = site.client.get("/api/v1/runs", headers={"Host": host})
    assert (answer.status_code, list(answer.json())) == (421, ["error"])


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]", "[::1]:8000"])
def test_own_names_are_answered(site, host):
    """Whatever the port, which a proxy may have changed."""
    assert site.client.get("/api/v1/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_sites_page_changes_nothing(site, headers):
    """Neither through the API nor with a stolen form token."""
    before = site.client.get("/api/v1/runs").json()["total"]
    token = site.token()
    assert site.client.post("/api/v1/examples/scores", headers=headers).status_code == 403
    answer = site.client.post("/examples/scores", data={"form_token": token}, headers=headers)
    assert answer.status_code == 403
    assert site.client.get("/api/v1/runs").json()["total"] == before


def test_own_pages_may_change_things(site):
    """With the server's own origin and the form's token."""
    answer = site.client.post(
        "/compare",
        data={"form_token": site.token()},
        headers={"Origin": site.address, "Sec-Fetch-Site": "same-origin"},
    )
    assert answer.status_code == 400  # let in; but two runs must be ticked


@pytest.mark.parametrize("token", [None, "", "0" * 64, "é"])
def test_a_form_without_its_token_is_refused(site, token):
    """Absent, empty, wrong, not even plain."""
    site.token()
    data = {} if token is None else {"form_token": token}
    assert site.client.post("/examples/scores", data=data).status_code == 403


def test_a_token_of_another_session_is_refused(site):
    """What one browser was given is worth nothing in another."""
    token = site.token()
    with httpx.Client(base_url=site.address) as other:
        other.get("/")
        assert other.cookies[COOKIE] != site.client.cookies[COOKIE]
        assert other.post("/examples/scores", data={"form_token": token}).status_code == 403


def test_every_answer_is_guarded(site):
    """Pages, errors, files and JSON: no foreign script, no eval, no frame, no sniffing, no store."""
    for path in ("/", "/no-such-page", "/static/app.css", "/api/v1/health", "/api/v1/runs/x"):
        headers = site.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"].startswith(("no-store", "private"))


def test_scripts_are_named_by_a_nonce_used_once(site):
    """Two answers have two nonces, and every script of the page carries its own."""
    answers = [site.client.get("/learn") for _ in range(2)]
    nonces = [
        re.search(r"script-src 'self' 'nonce-([^']+)'", a.headers["content-security-policy"])[1]
        for a in answers
    ]
    assert nonces[0] != nonces[1]
    for answer, nonce in zip(answers, nonces, strict=True):
        scripts = re.findall(r"<script[^>]*>", answer.text)
        assert scripts
        assert all(f'nonce="{nonce}"' in script for script in scripts)
        assert not re.search(r'\son\w+="|style="', answer.text)


def test_a_report_names_its_script_by_digest(site, done):
    """The policy of the report allows its own style and script, and no other."""
    answer = site.client.get(f"/runs/{done['id']}")
    policy = answer.headers["content-security-policy"]
    assert re.search(r"script-src 'sha256-[^']+';", policy)
    assert re.search(r"style-src 'sha256-[^']+' 'self';", policy)  # its own, and that of the app's bar
    assert "unsafe" not in policy


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(site):
    """Neither readable by a script nor sent along from elsewhere."""
    with httpx.Client(base_url=site.address) as client:
        cookie = client.get("/").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def signed_in(site):
    """The cookie that stands for the token."""
    return httpx.get(site.address, params={"token": TOKEN}).cookies


def added(site):
    """The id of a run on the list."""
    files = [("files", ("human.csv", SCORES))]
    return httpx.post(f"{site.address}/api/v1/runs", files=files, headers=BEARER, timeout=60).json()["id"]


def test_without_the_token_nothing_is_shown(serving, tmp_path):
    """Neither page, nor file, nor API, by no method of any route; a wrong token is none."""
    with serving(tmp_path, token=TOKEN) as site:
        (name,) = signed_in(site)
        assert added(site)
        asked = 0
        # One client: each new one reads the certificates of the machine.
        with httpx.Client(base_url=site.address) as stranger:
            for route in site.app.state.routes:
                path = re.sub(r"{[^}]*}", "A" * 22, route.path)
                for method in route.methods | {"HEAD", "OPTIONS", "PUT", "TRACE"}:
                    answer = stranger.request(method, path)
                    assert answer.status_code == 403, (method, path)
                    assert "set-cookie" not in answer.headers
                    asked += 1
        assert asked > 100
        for path in ("/?token=wrong", "/?token=%C3%A9", "/?token=", "/no-such-page", "/static/app.css"):
            assert httpx.get(site.address + path).status_code == 403, path
        for headers in (
            {"Authorization": "Bearer wrong"},
            {"Authorization": f"Basic {TOKEN}"},
            {"Authorization": "Bearer"},
            {"Cookie": f"{name}={TOKEN}"},
            {"Cookie": f"{name}="},
        ):
            answer = httpx.get(f"{site.address}/api/v1/runs", headers=headers)
            assert (answer.status_code, list(answer.json())) == (403, ["error"])
        assert httpx.get(f"{site.address}/api/v1/runs", headers=BEARER).json()["total"] == 1


def test_the_token_opens_the_door_once_for_all(serving, tmp_path):
    """It leaves the address, and a cookie that is not the token stands for it."""
    with serving(tmp_path, token=TOKEN) as site:
        answer = site.client.get("/", params={"token": TOKEN, "page": "1"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/?page=1")
        cookie = answer.headers["set-cookie"]
        assert TOKEN not in cookie
        assert "httponly" in cookie.lower()
        assert site.client.get("/").status_code == 200
        assert site.client.get("/api/v1/runs").status_code == 200
        with httpx.Client(base_url=site.address) as program:
            assert program.get("/api/v1/runs", headers=BEARER).status_code == 200
        astray = httpx.get(f"{site.address}//evil.example", params={"token": TOKEN})
        assert astray.headers["location"].startswith("/evil")


def test_the_sign_in_page_needs_nothing_else(serving, tmp_path):
    """Who is not signed in gets no style sheet; the page brings its own, and asks for the token by a form."""
    with serving(tmp_path, token=TOKEN) as site:
        answer = httpx.get(f"{site.address}/new")
        assert "Sign in" in answer.text
        assert "/static/" not in answer.text
        assert re.search(r'<form[^>]* method="get" action="/new"', answer.text)
        nonce = re.search(r"'nonce-([^']+)'", answer.headers["content-security-policy"])[1]
        assert f'<style nonce="{nonce}">' in answer.text
        assert 'action="/"' in httpx.post(f"{site.address}/runs/{'A' * 22}/delete").text
        wrong = httpx.get(f"{site.address}/new", params={"token": "<b>guess"})
        assert "That is not the token of this server." in wrong.text
        assert "guess" not in wrong.text


def test_servers_side_by_side_have_cookies_of_their_own(serving, tmp_path):
    """Browsers do not tell ports apart."""
    given = {"token": TOKEN}
    with (
        serving(tmp_path / "a", **given) as one,
        serving(tmp_path / "b", **given) as two,
        httpx.Client() as browser,
    ):
        for site in (one, two):
            browser.get(site.address, params=given)
        assert [browser.get(site.address).status_code for site in (one, two)] == [200, 200]


def test_an_odd_cookie_of_another_server_is_no_fault(serving, tmp_path):
    """Whatever else this machine serves sets cookies that are sent here too."""
    odd = ["b@d=1", "=", ";;;", 'a="', "\xff=\xfe", "é", "a=b=c", "betterthan_session=" + "x" * 5000]
    odd += [
        r'betterthan_session="\012x"',
        r'betterthan_session="\"',
        "betterthan_session=a b",
        "betterthan_session=é",
    ]
    with serving(tmp_path, token=TOKEN) as site:
        ((name, value),) = signed_in(site).items()
        for cookie in odd:
            raw = {"Cookie": cookie.encode("latin-1")}
            assert httpx.get(site.address, headers=raw).status_code == 403, cookie
            assert httpx.get(site.address, headers={**raw, **BEARER}).status_code == 200, cookie
            both = {"Cookie": f"{cookie}; {name}={value}".encode("latin-1")}
            assert httpx.get(site.address, headers=both).status_code == 200, cookie


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can become another user")
def test_another_user_of_this_machine_is_not_let_in(serving, tmp_path):
    """Who has no token can neither list nor delete, whatever account he has."""
    program = (
        "import os, socket, sys\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "for asked in sys.argv[2:]:\n"
        "    with socket.socket() as line:\n"
        "        line.connect(('127.0.0.1', int(sys.argv[1])))\n"
        "        line.sendall(f'{asked} HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n'.encode())\n"
        "        print(line.recv(100).split()[1].decode())\n"
    )
    with serving(tmp_path, token=TOKEN) as site:
        run = added(site)
        asked = [
            "GET /",
            "GET /api/v1/runs",
            f"DELETE /api/v1/runs/{run}",
            f"GET /runs/{run}",
            "GET /static/app.js",
        ]
        said = subprocess.run(
            [sys.executable, "-c", program, site.address.rsplit(":", 1)[1], *asked],
            capture_output=True,
            text=True,
            check=True,
        )
        assert said.stdout.split() == ["403"] * len(asked)
        assert httpx.get(f"{site.address}/api/v1/runs/{run}", headers=BEARER).status_code == 200


def test_a_server_for_others_needs_a_token(tmp_path):
    """It cannot be made without one."""
    with pytest.raises(ValueError, match="needs a token"):
        WebSettings(folder=tmp_path, host="0.0.0.0", token=None)  # noqa: S104


def test_a_server_for_others_answers_to_its_numbers_and_names(tmp_path):
    """An address in numbers cannot be a foreign name; other names must be told."""
    settings = WebSettings(folder=tmp_path, host="0.0.0.0", token=TOKEN, names=("lab.example",))  # noqa: S104
    control = AccessControl(lambda *_: None, settings, b"secret")
    own = ["10.1.2.3", "10.1.2.3:8737", "[fe80::1]:8737", "lab.example", f"{socket.gethostname()}:80"]
    assert [control._is_name_of_server(name) for name in own] == [True] * 5
    assert not control._is_name_of_server("evil.example")


def test_a_body_over_the_limit_is_refused(serving, tmp_path):
    """Announced or not; what was written until then is gone."""
    limits = ServerLimits(upload_bytes=1 << 20, body_bytes=1 << 10)
    with serving(tmp_path, limits=limits) as site:
        big = b"x" * (3 << 20)
        answer = site.client.post("/api/v1/runs", files=[("files", ("big.csv", big))])
        assert (answer.status_code, "1 MB" in answer.json()["error"]) == (413, True)
        head = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'

        def unannounced():
            yield head
            for _ in range(3):
                yield b"x" * (1 << 20)
            yield b"\r\n--b--\r\n"

        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        answer = site.client.post("/api/v1/runs", content=unannounced(), headers=kind)
        assert answer.status_code == 413
        assert site.client.post("/compare", content=b"x" * 2000).status_code == 413
        assert list((tmp_path / "runs").iterdir()) == []
        assert site.client.get("/").status_code == 200
