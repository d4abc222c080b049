"""A finished run that is looked at or started again: its report is not lost before there is a new one."""

from __future__ import annotations

import time

import pytest
from tests.web.conftest import SCORES
from tests.web.runs.test_jobs import LONG

from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.run import new_id
from betterthan.web.runs.store import RunStore
from betterthan.web.settings import ServerLimits


@pytest.fixture
def finished(site):
    """A run of its own, with its report."""
    run = site.report({"human.csv": SCORES})
    assert run["state"] == "done", run["problem"]
    return run


def whole(site, run_id):
    """Everything that a reader of a run's report can have."""
    names = ("report", ".json", ".csv", ".tex")
    answers = [site.client.get(f"/runs/{run_id}{name.removeprefix('report')}") for name in names]
    assert {answer.status_code for answer in answers} == {200}
    return [answer.content for answer in answers]


def test_a_look_leaves_the_report(site, finished):
    """The run is done before and after, with its verdict."""
    run_id, before = finished["id"], whole(site, finished["id"])
    answer = site.client.post(f"/api/v1/runs/{run_id}/recognized", json={"direction": "lower"})
    assert answer.status_code == 202
    run = site.settled(run_id)
    assert (run["state"], run["verdict"], run["kind"]) == ("done", finished["verdict"], "scores")
    assert run["choices"]["direction"] == "lower"
    assert whole(site, run_id) == before
    assert "What was recognized" in site.client.get(f"/new/{run_id}").text


def test_a_new_start_that_is_cancelled_leaves_the_report(serving, tmp_path):
    """Waiting or working; every format is there to the last byte."""
    with serving(tmp_path, limits=ServerLimits(runs=1, waiting=1)) as site:
        run = site.report({"human.csv": SCORES})
        run_id, before = run["id"], whole(site, run["id"])
        busy = site.upload({"long.csv": LONG})
        assert site.client.post(f"/api/v1/runs/{busy}/start").status_code == 202
        assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 202
        assert site.client.get(f"/api/v1/runs/{run_id}").json()["state"] == "waiting"
        again = site.client.post(f"/api/v1/runs/{run_id}/cancel").json()
        assert (again["state"], again["verdict"]) == ("done", run["verdict"])
        assert whole(site, run_id) == before
        site.client.delete(f"/api/v1/runs/{busy}")
        assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 202
        while site.client.get(f"/api/v1/runs/{run_id}").json()["state"] == "waiting":
            time.sleep(0.01)
        again = site.client.post(f"/api/v1/runs/{run_id}/cancel").json()
        assert (again["state"], again["verdict"], again["kind"]) == ("done", run["verdict"], "scores")
        assert whole(site, run_id) == before
        assert not (tmp_path / "runs" / run_id / "previous").exists()


@pytest.mark.slow
def test_a_start_that_finds_no_room_leaves_the_report(serving, tmp_path):
    """Too many wait: the answer says so, and the run is as it was."""
    with serving(tmp_path) as site:
        run = site.report({"human.csv": SCORES})
    with serving(tmp_path, limits=ServerLimits(runs=0, waiting=0)) as site:
        before = whole(site, run["id"])
        assert site.client.post(f"/api/v1/runs/{run['id']}/start").status_code == 409
        again = site.client.get(f"/api/v1/runs/{run['id']}").json()
        assert (again["state"], again["verdict"]) == ("done", run["verdict"])
        assert whole(site, run["id"]) == before


def test_after_a_failure_there_is_a_way_back(site, finished):
    """The page says why it failed, and that the report before is kept; one button shows it again."""
    run_id, before = finished["id"], whole(site, finished["id"])
    wrong = {"metric": "no such metric"}
    assert site.client.post(f"/api/v1/runs/{run_id}/start", json=wrong).status_code == 202
    assert site.settled(run_id)["state"] == "failed"
    page = site.client.get(f"/runs/{run_id}").text
    assert "no such metric" in page
    assert "The previous report is kept" in page
    assert f"/runs/{run_id}/delete" not in page  # asked once, on the page of its own
    answer = site.client.post(f"/runs/{run_id}/back", data={"form_token": site.token(f"/runs/{run_id}")})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/runs/{run_id}")
    run = site.client.get(f"/api/v1/runs/{run_id}").json()
    assert (run["state"], run["verdict"], run["problem"]) == ("done", finished["verdict"], "")
    assert whole(site, run_id) == before
    form = {"form_token": site.token(f"/runs/{run_id}/manage")}
    assert site.client.post(f"/runs/{run_id}/back", data=form).status_code == 409


def test_a_new_report_takes_the_place_of_the_old(site, finished):
    """And nothing is left of that."""
    before = whole(site, finished["id"])
    assert (
        site.client.post(f"/api/v1/runs/{finished['id']}/start", json={"direction": "lower"}).status_code
        == 202
    )
    run = site.settled(finished["id"])
    assert (run["state"], run["verdict"] == finished["verdict"]) == ("done", False)
    assert whole(site, finished["id"])[1] != before[1]
    assert not (site.folder / "runs" / finished["id"] / "previous").exists()


@pytest.mark.slow
def test_a_server_that_stops_in_mid_run_leaves_a_way_back(serving, tmp_path):
    """The run is interrupted, and its earlier report is not lost."""
    with serving(tmp_path) as site:
        run = site.report({"human.csv": SCORES})
        before = whole(site, run["id"])
        folder = site.service.folder(run["id"])
    folder.set_aside({"kind": run["kind"], "verdict": run["verdict"]})  # as a start does
    RunStore(tmp_path / "runs.sqlite").change(run["id"], state="running", verdict="")
    with serving(tmp_path) as site:
        page = f"/runs/{run['id']}"
        assert "Back to the previous report" in site.client.get(page).text
        assert site.client.post(f"{page}/back", data={"form_token": site.token(page)}).status_code == 303
        assert whole(site, run["id"]) == before


def test_half_of_a_report_set_aside_is_none(tmp_path):
    """What was cut off while it was set aside is not taken for a report."""
    folder = RunFolder(tmp_path, new_id())
    folder.make()
    folder.previous.mkdir()
    (folder.previous / "report.html").write_text("half")
    assert not folder.has_previous
    assert folder.go_back() is None
