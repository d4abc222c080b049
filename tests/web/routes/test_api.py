"""The API keeps to its documentation, whatever it is asked."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from betterthan.web.settings import ServerLimits

PROGRAM = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the browser group is not installed")


@pytest.fixture(scope="module")
def document(site):
    """The documentation as the server gives it."""
    return site.client.get("/api/v1/openapi.json").json()


def test_everything_that_can_be_asked_is_documented(document):
    """The app's pages stay out, all of the API is in, with every way in which a request can fail."""
    assert document["openapi"].startswith("3.")
    assert all(path.startswith("/api/v1/") for path in document["paths"])
    assert len(document["paths"]) == 16
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert {"400", "403", "413", "421", "422", "503"} <= operation["responses"].keys(), path
            assert operation["description"]


def test_every_method_of_an_address_is_named(site):
    """Who asks in the wrong way hears in which ways one can ask."""
    answer = site.client.put("/api/v1/runs")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, POST")
    assert answer.json() == {"error": "This address cannot be asked in this way."}


@pytest.fixture(scope="module")
def ready(site):
    """A run that waits for its start."""
    return site.upload({"a.csv": "item,A,B\n1,2,3\n2,4,1\n"})


@pytest.mark.parametrize(
    ("choices", "status"),
    [
        ({"question": "everything"}, 422),
        ({"columns": {"nonsense": "A"}}, 422),
        ({"format": "no such layout"}, 422),
        ({"surprise": 1}, 422),
        ({"with_texts": "yes"}, 422),
        ({"parts": ["data", "data"]}, 409),
    ],
)
def test_choices_that_make_no_sense_are_named(site, ready, choices, status):
    """Before a worker is started, and with the field that is wrong."""
    answer = site.client.post(f"/api/v1/runs/{ready}/start", json=choices)
    assert answer.status_code == status
    assert next(iter(choices)) in answer.json()["error"]
    assert site.client.get(f"/api/v1/runs/{ready}").json()["state"] == "ready"


def asked_at_random(site, *options):
    """Have schemathesis ask the server and return what it says."""
    command = [PROGRAM, "run", f"{site.address}/api/v1/openapi.json", "--no-color", "--seed", "1", *options]
    command += ["--request-timeout", "60"]  # a busy machine is no fault
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=280, cwd=site.folder)


def test_made_up_requests_are_answered_as_documented(serving, tmp_path):
    """No fault of ours, no status, type or body that the documentation does not know."""
    with serving(
        tmp_path, limits=ServerLimits(looks=0, runs=0)
    ) as site:  # no worker: only the answers are looked at
        said = asked_at_random(site, "--phases", "fuzzing", "--max-examples", "2")
        assert said.returncode == 0, said.stdout[-3000:]
        assert "Tested: 19" in said.stdout


@pytest.mark.slow
def test_many_made_up_requests_are_answered_as_documented(serving, tmp_path):
    """Also edge cases, and requests in a row that use what earlier ones made."""
    with serving(tmp_path, limits=ServerLimits(looks=1, runs=1)) as site:
        said = asked_at_random(site, "--phases", "coverage,fuzzing,stateful", "--max-examples", "25")
        assert said.returncode == 0, said.stdout[-3000:]
