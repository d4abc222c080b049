"""Uploads that mean no good: the server goes on answering, keeps to its folder, and loses nothing."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import socket
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from tests.web.conftest import SCORES


def zipped() -> bytes:
    """A zip archive with a file that unpacks to much."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../escape.csv", b"0" * 5_000_000)
    return buffer.getvalue()


# What is large is made by the test that needs it: every worker loads this file.
HOSTILE = {
    "huge line": ("line.csv", lambda: b"a,b\n" + b"1" * (20 << 20) + b",2\n"),
    "NUL bytes": ("nul.csv", b"item,A,B\n1,\x00,3\n" + b"\x00" * 1000),
    "10 000 columns": (
        "wide.csv",
        ",".join(f"c{i}" for i in range(10_000)).encode() + b"\n" + b"1," * 9_999 + b"1\n",
    ),
    "zip named csv": ("scores.csv", zipped),
    "gzip bomb": ("bomb.csv.gz", lambda: gzip.compress(b"0" * (100 << 20))),
    "truncated gzip": ("cut.csv.gz", gzip.compress(SCORES.encode())[:60]),
    "empty": ("empty.csv", b""),
    "pickle": ("model.pkl", b"\x80\x04\x95\x00\x00."),
    "not UTF-8": ("latin.csv", b"item,A,B\n\xe9,1,2\n"),
    "UTF-16": ("wide.csv", "item,A,B\n1,2,3\n".encode("utf-16")),
    "deep JSON": ("deep.json", b"[" * 100_000),
    "broken Parquet": ("data.parquet", b"PAR1" + b"\xff" * 500 + b"PAR1"),
    "markup": ("<b>x</b>.csv", b'item,<img src=x onerror=alert(1)>,B\n1,"</script>",3\n'),
    "SQL": ("a'); DROP TABLE runs; --.csv", b"item,A'); COPY (SELECT 1) TO '/tmp/x'; --,B\n1,2,3\n2,4,1\n"),
}
ESCAPING = (
    "../../../../tmp/betterthan-escape.csv", "/tmp/betterthan-escape.csv", "..\\..\\escape.csv", "C:\\escape.csv",  # noqa: S108
    "....//escape.csv", ".csv", "..", "con.csv", "a\u202ecsv.exe", "x" * 500 + ".csv", "a=b*?[c].csv",
    "-rf.csv", "~.csv",
)  # fmt: skip


# One of each sort every day; each costs a process, and ten thousand columns take a while to be recognized.
EVERY_DAY = {"NUL bytes", "zip named csv", "gzip bomb", "markup", "SQL"}
KINDS = [pytest.param(kind, marks=[] if kind in EVERY_DAY else [pytest.mark.slow]) for kind in HOSTILE]


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_file_is_described_and_the_server_answers(site, kind):
    """It is refused or read with its problems named; never a fault of ours, never a place on our disk."""
    name, content = HOSTILE[kind]
    content = content() if callable(content) else content
    run_id = site.upload({name: content})
    run = site.client.get(f"/api/v1/runs/{run_id}").json()
    assert run["state"] in {"ready", "failed"}
    assert "fault in betterthan" not in run["problem"], run["problem"]
    page = site.client.get(f"/new/{run_id}")
    assert page.status_code == 200
    assert "<img src=x" not in page.text
    assert "<b>x</b>" not in page.text
    if run["state"] == "ready":
        look = site.client.get(f"/api/v1/runs/{run_id}/recognized").json()
        said = json.dumps(look)
        assert str(site.folder) not in said
        assert hashlib.sha256(content).hexdigest() not in said
    assert site.client.get("/api/v1/health").status_code == 200


def outside(site):
    """Everything beside the server's folder; inside, workers come and go."""
    found = set()
    for place, folders, files in os.walk(site.folder.parent):
        folders[:] = [name for name in folders if Path(place, name) != site.folder]
        found |= {Path(place, name) for name in (*folders, *files)}
    return found


@pytest.mark.parametrize("name", ESCAPING)
def test_a_name_never_becomes_a_path(site, name):
    """The bytes lie under their digest in the run's own folder, whatever they are called."""
    before = outside(site)
    content = f"item,A,B\n1,2,{len(name)}\n2,4,1\n".encode()
    answer = site.client.post("/api/v1/runs", files=[("files", (name, content))])
    assert answer.status_code == 201
    run = answer.json()
    assert not {"/", "\\"} & set(run["files"][0]["name"])
    (stored,) = (site.folder / "runs" / run["id"] / "files").iterdir()
    assert stored.name.split(".")[0] == hashlib.sha256(content).hexdigest()
    assert stored.read_bytes() == content
    assert stored.name.removeprefix(stored.name.split(".")[0]) in {"", ".csv"}
    assert outside(site) == before
    assert site.client.delete(f"/api/v1/runs/{run['id']}").status_code == 204  # nobody waits for the look


@pytest.mark.parametrize(
    "path",
    [
        "/runs/..%2f..%2fsecret", "/runs/../secret", "/static/..%2f..%2fservice.py", "/static/../service.py",
        "/runs/%00", "/new/" + "A" * 22, "/runs/" + "A" * 22 + ".json", "/compare/" + "A" * 22 + "/x", "/runs//items",
        "/static/app.css%00", "/api/v1/runs/%F0%9F%92%A9", "/?page=0", "/?page=999999999999999999999",
    ],
)  # fmt: skip
def test_an_address_never_becomes_a_path(site, path):
    """Nothing but runs and our own few files can be asked for."""
    answer = httpx.get(httpx.URL(site.address).copy_with(raw_path=path.encode()))
    assert answer.status_code in {400, 404, 422}


@pytest.mark.parametrize("many", [8, pytest.param(50, marks=pytest.mark.slow)])
def test_many_uploads_at_once_lose_nothing(site, many):
    """Each is kept whole, listed, and deleted when that is asked for."""
    contents = [f"item,A,B\n1,2,{i}\n2,4,1\n3,{i},5\n" for i in range(many)]

    def upload(content: str) -> str:
        with httpx.Client(base_url=site.address, timeout=120.0) as client:
            answer = client.post("/api/v1/runs", files=[("files", ("a.csv", content))])
        assert answer.status_code == 201
        return answer.json()["id"]

    with ThreadPoolExecutor(many) as pool:
        ids = list(pool.map(upload, contents))
    assert len(set(ids)) == many
    for run_id, content in zip(ids, contents, strict=True):
        (stored,) = (site.folder / "runs" / run_id / "files").iterdir()
        assert stored.read_text() == content
    listed = site.client.get("/api/v1/runs", params={"limit": 200}).json()["runs"]
    assert set(ids) <= {run["id"] for run in listed}
    for run_id in ids:  # stop what would keep the machine busy for nothing
        assert site.client.delete(f"/api/v1/runs/{run_id}").status_code == 204
    assert not [path for path in (site.folder / "runs").iterdir() if path.name in ids]


def test_too_many_files_are_refused_together(site):
    """One upload has a hundred files at most, and none of a refused upload is kept."""
    before = len(list((site.folder / "runs").iterdir()))
    parts = [("files", (f"{i}.csv", b"a,b\n1,2\n")) for i in range(101)]
    answer = site.client.post("/api/v1/runs", files=parts)
    assert answer.status_code == 413
    assert len(list((site.folder / "runs").iterdir())) == before


def test_the_same_bytes_under_two_names_are_two_files(site):
    """Two systems may say the same."""
    run_id = site.upload({"one.txt": "A line.\n", "two.txt": "A line.\n", "ref.txt": "A line.\n"})
    run = site.client.get(f"/api/v1/runs/{run_id}").json()
    assert [file["name"] for file in run["files"]] == ["one.txt", "two.txt", "ref.txt"]
    assert len({file["digest"] for file in run["files"]}) == 1


FORM, JSON = b"multipart/form-data; boundary=b", b"application/json"
FILE = b'--b\r\nContent-Disposition: form-data; name="files"; filename='
MALFORMED = {
    "no boundary": (b"multipart/form-data", b"x"),
    "no such charset": (
        FORM + b"; charset=nope",
        b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--b--\r\n',
    ),
    "no name": (FORM, b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n"),
    "no header": (FORM, b"--b\r\n\r\nx\r\n--b--\r\n"),
    "bad header": (FORM, b"--b\r\nBad Header\r\n\r\nx\r\n--b--\r\n"),
    "odd file name": (FORM, FILE + b'"\xff\x00.csv"\r\nContent-Type: \xff\r\n\r\nx\r\n--b--\r\n'),
    "half a code": (b"application/x-www-form-urlencoded", b"form_token=%&%f=%ff"),
    "many fields": (b"application/x-www-form-urlencoded", b"a&" * 3000),
    "half of JSON": (JSON, b"{"),
    "deep JSON": (JSON, b"[" * 100_000),
    "long number": (JSON, b"1" * 5000),
    "not UTF-8": (JSON, b'"\xff"'),
    "unpaired surrogate": (JSON, b'{"metric": "\\ud800"}'),
    "odd type": (b"/;=;", b"x"),
    "no type": (b"", b"x"),
}
HEADERS = (
    b"Cookie: b@d=1", b"Cookie: \xff=\xfe", b'Cookie: betterthan_session="\\012"', b"Authorization: \xff",
    b"Origin: \xff", b"Content-Length: -1", b"Content-Length: " + b"9" * 5000, b"Transfer-Encoding: odd",
    b"If-None-Match: \xff", b"Upgrade: websocket\r\nConnection: upgrade", b"Host: [", b"X: " + b"x" * 70_000,
    b"Content-Type: \xff",
)  # fmt: skip


def said(site, request: bytes) -> int:
    """Send bytes as they are and return the status of the answer."""
    with socket.create_connection(("127.0.0.1", int(site.address.rsplit(":", 1)[1])), timeout=60) as line:
        line.sendall(request)
        return int(line.recv(100).split()[1])


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_body_is_no_fault_of_ours(site, kind):
    """Forms and API alike refuse what they cannot read."""
    content_type, body = MALFORMED[kind]
    run_id = "A" * 22
    for path in ("/upload", "/compare", "/examples/scores", "/api/v1/runs", f"/api/v1/runs/{run_id}/start"):
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\nContent-Type: ".encode()
        assert said(site, head + content_type + b"\r\n\r\n" + body) in {400, 403, 404, 413, 422, 201}, path


@pytest.mark.parametrize("header", HEADERS)
def test_a_malformed_header_is_no_fault_of_ours(site, header):
    """Whoever sent it, a page is shown or the request is refused."""
    host = b"" if header.startswith(b"Host") else b"Host: 127.0.0.1\r\n"
    assert said(site, b"GET / HTTP/1.1\r\n" + host + header + b"\r\n\r\n") in {200, 400, 413, 421, 431, 501}
