"""From files to the report."""

from __future__ import annotations

import hashlib
import json

import pytest
from markupsafe import escape
from tests.web.conftest import SCORES

from betterthan.web.runs.uploads import EXAMPLES


def test_a_form_leads_from_files_to_the_report(site):
    """Upload, see what was recognized, start, read: as a browser without scripts does it."""
    client = site.client
    token = site.token()
    answer = client.post("/upload", data={"form_token": token}, files=[("files", ("human.csv", SCORES))])
    assert answer.status_code == 303
    page = answer.headers["location"]
    run_id = page.removeprefix("/new/")
    site.settled(run_id)
    shown = client.get(page).text
    assert "What was recognized" in shown
    assert "3 systems × 24 segments in 6 documents" in shown
    assert "No problems found." in shown
    answer = client.post(page, data={"form_token": site.token(page), "then": "start", "with_texts": "yes"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/runs/{run_id}")
    waiting = client.get(f"/runs/{run_id}").text
    assert '<meta http-equiv="refresh" content="2">' in waiting
    run = site.settled(run_id)
    assert run["state"] == "done"
    assert str(escape(run["verdict"][:40])) in client.get("/").text
    assert str(escape(run["verdict"][:40])) in client.get(f"/runs/{run_id}").text


def test_what_was_recognized_can_be_changed(site):
    """Columns under names of their own are taken for systems, and read rightly when they are mapped."""
    rows = "".join(
        f"{i},{system},{(i * 3 + len(system)) % 9}\n" for i in range(12) for system in ("Ann", "Bo")
    )
    run_id = site.upload({"results.csv": "sentence,engine,quality\n" + rows})
    look = site.client.get(f"/api/v1/runs/{run_id}/recognized").json()["files"][0]
    assert look["format"] == "wide"  # a column a system, which it is not
    assert look["header"] == ["sentence", "engine", "quality"]
    columns = {"item": "sentence", "system": "engine", "score": "quality"}
    page = f"/new/{run_id}"
    form = {f"column-{role}": name for role, name in columns.items()}
    answer = site.client.post(page, data={"form_token": site.token(page), "then": "look", **form})
    assert answer.headers["location"] == page
    site.settled(run_id)
    look = site.client.get(f"/api/v1/runs/{run_id}/recognized").json()["files"][0]
    assert look["contents"] == ['scores "results": 2 systems × 12 segments, higher is better']
    assert not look["problems"]
    assert 'value="engine" selected' in site.client.get(page).text
    assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 202
    assert site.settled(run_id)["state"] == "done"


def test_a_run_that_fails_says_why_in_the_users_words(site):
    """The message names the file as the user does, never the place where it lies."""
    run = site.report({"broken.csv": "item,A,B\n1,2,3\n2,x,4\n3,5,6\n"})
    assert run["state"] == "failed"
    assert "broken.csv" in run["problem"]
    assert hashlib.sha256(b"item,A,B\n1,2,3\n2,x,4\n3,5,6\n").hexdigest() not in json.dumps(run["problem"])
    assert str(escape(run["problem"])) in site.client.get(f"/runs/{run['id']}").text


def test_delete_really_deletes(site):
    """No byte of the files, the answers or the list is left."""
    word = "Mnemosyne"
    run = site.report({f"{word}.csv": SCORES.replace("B/two", word)})
    assert run["state"] == "done"
    answer = site.client.post(
        f"/runs/{run['id']}/delete", data={"form_token": site.token(f"/runs/{run['id']}/manage")}
    )
    assert answer.headers["location"] == "/"
    assert site.client.get(f"/runs/{run['id']}").status_code == 404
    assert word not in site.client.get("/").text
    for path in site.folder.rglob("*"):
        assert run["id"] not in path.name
        assert not path.is_file() or word.encode() not in path.read_bytes(), path


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_answer_their_questions(site, name):
    """The look suggests what each example is for, and the report is made of it."""
    run_id = site.client.post(f"/api/v1/examples/{name}").json()["id"]
    site.settled(run_id)
    look = site.client.get(f"/api/v1/runs/{run_id}/recognized").json()
    assert look["question"] == name
    assert not [problem for file in look["files"] for problem in file["problems"] if not problem["is_doubt"]]
    assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 202
    run = site.settled(run_id)
    assert (run["state"], run["kind"]) == ("done", name), run["problem"]
    assert len(site.client.get(f"/runs/{run_id}").text) > 20_000


def test_winners_coded_by_numbers_are_asked_about(site):
    """The page names the field that settles it, and reads the battles when it is filled in."""
    rows = "".join(f"good,bad,{int(i % 4 == 0)}\n" for i in range(40))
    run_id = site.upload({"battles.csv": "model_a,model_b,winner\n" + rows})
    look = site.client.get(f"/api/v1/runs/{run_id}/recognized").json()["files"][0]
    assert [problem["code"] for problem in look["problems"]] == ["BT221"]
    page = f"/new/{run_id}"
    assert "What winner labels mean" in site.client.get(page).text
    form = {"form_token": site.token(page), "then": "look", "winner_labels": "0=left, 1=right"}
    assert site.client.post(page, data=form).headers["location"] == page
    site.settled(run_id)
    look = site.client.get(f"/api/v1/runs/{run_id}/recognized").json()["files"][0]
    assert not look["problems"]
    assert "0=left 1=right" in site.client.get(page).text
