"""A finished run: other formats, pairs, segments, two runs side by side."""

from __future__ import annotations

import csv
import io
import re

import pytest
from tests.web.conftest import NAMES, SCORES

import betterthan as bt
from betterthan.results.base import Result
from betterthan.web.names import url_name


def test_the_numbers_are_those_of_the_library(site, done):
    """Nothing is computed here that the library does not compute."""
    found = site.client.get(f"/runs/{done['id']}.json").json()
    scores = bt.read_scores(io.StringIO(SCORES), name="human")
    expected = bt.rank(scores, by="mean", rng=12345)
    ranking = Result.from_dict(found["results"]["ranking-mean"])
    assert ranking.systems == expected.systems
    assert ranking.strength.tolist() == expected.strength.tolist()
    assert (ranking.low.tolist(), ranking.high.tolist()) == (expected.low.tolist(), expected.high.tolist())


def test_other_formats_stand_beside_the_report(site, done):
    """JSON with all digits, CSV that no spreadsheet runs, LaTeX that compiles."""
    client, where = site.client, f"/runs/{done['id']}"
    assert client.get(f"{where}.json").headers["content-type"] == "application/json"
    rows = list(csv.DictReader(io.StringIO(client.get(f"{where}.csv").text)))
    assert {row["system"] for row in rows} == {"<script>alert(1)</script>", "B/two", "'=C"}
    tex = client.get(f"{where}.tex").text
    assert r"\begin{tabular}" in tex
    same = client.get(f"/api/v1/runs/{done['id']}/results")
    assert same.json() == client.get(f"{where}.json").json()


def test_names_of_systems_are_text_everywhere(site, done):
    """A system named like a script is shown, not run, on every page."""
    client, run_id = site.client, done["id"]
    pair = f"{url_name(NAMES[0])}/{url_name(NAMES[1])}"
    for path in (
        f"/runs/{run_id}", f"/runs/{run_id}/pairs/{pair}", f"/runs/{run_id}/items", f"/new/{run_id}",
        f"/compare/{run_id}/{run_id}", f"/runs/{run_id}/manage", "/",
    ):  # fmt: skip
        text = client.get(path).text
        assert "<script>alert(1)" not in text, path
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in client.get(f"/runs/{run_id}/pairs/{pair}").text


def test_a_pair_has_a_page_and_the_same_numbers_in_the_api(site, done):
    """Names with slashes and brackets are addresses too."""
    part = f"{url_name(NAMES[1])}/{url_name(NAMES[2])}"
    page = site.client.get(f"/runs/{done['id']}/pairs/{part}")
    assert page.status_code == 200
    assert "<svg" in page.text
    found = site.client.get(f"/api/v1/runs/{done['id']}/pairs/{part}").json()
    scores = bt.read_scores(io.StringIO(SCORES), name="human")
    expected = bt.explain(scores, NAMES[1], NAMES[2])
    assert found["units"] == expected.units == "groups"
    assert (found["wins"], found["losses"], found["ties"]) == (expected.wins, expected.losses, expected.ties)
    assert found["sentences"] == list(expected.sentences)
    again = site.client.get(f"/runs/{done['id']}/pairs/{part}")
    assert re.sub(r'value="[0-9a-f]{64}"|nonce="[^"]*"', "", again.text) == re.sub(
        r'value="[0-9a-f]{64}"|nonce="[^"]*"', "", page.text
    )


@pytest.mark.parametrize("part", ["B~2Ftwo/Nobody", "B~2Ftwo/B~2Ftwo", "B~2Ftwo/~", "B two/~3DC"])
def test_a_pair_that_is_none_says_so(site, done, part):
    """An unknown system, a system against itself, an address that stands for no name."""
    assert site.client.get(f"/runs/{done['id']}/pairs/{part}").status_code == 404
    assert site.client.get(f"/api/v1/runs/{done['id']}/pairs/{part}").status_code == 404


def test_segments_are_filtered_by_their_address(site, done):
    """The page and the API list the same segments, those that a loop over the file finds."""
    rows = list(csv.DictReader(io.StringIO(SCORES)))
    gaps = {row["segment"]: float(row[NAMES[1]]) - float(row[NAMES[2]]) for row in rows if row["doc"] == "d2"}
    expected = [segment for segment, gap in sorted(gaps.items(), key=lambda pair: -pair[1]) if gap > 0]
    query = {"a": NAMES[1], "b": NAMES[2], "who": "a", "group": "d2", "order": "best"}
    found = site.client.get(f"/api/v1/runs/{done['id']}/items", params=query).json()
    assert [item["segment"] for item in found["items"]] == expected
    assert [item["difference"] for item in found["items"]] == [gaps[segment] for segment in expected]
    page = site.client.get(f"/runs/{done['id']}/items", params=query).text
    assert re.findall(r'<tr id="segment-([^"]+)"', page) == expected
    assert f"{len(expected)} segments" in page


def test_two_runs_are_compared(site, done):
    """A run against itself has not moved; another has, by how much is said, and that a few segments prove nothing."""
    same = site.client.get(f"/api/v1/compare/{done['id']}/{done['id']}").json()
    assert {move["change"] for found in same for move in found["moves"]} == {0.0}
    higher = "".join(
        re.sub(r"(\d+)$", lambda m: str(int(m[1]) + 100), line) + "\n" for line in SCORES.splitlines()
    )
    other = site.report({"human.csv": higher})
    moves = site.client.get(f"/api/v1/compare/{done['id']}/{other['id']}").json()
    by_mean = next(found for found in moves if found["result"] == "ranking-mean")
    changes = {
        move["system"]: (round(move["change"], 9), move["test"]["is_significant"])
        for move in by_mean["moves"]
    }
    assert changes == {"=C": (100.0, False), NAMES[0]: (0.0, False), "B/two": (0.0, False)}
    page = site.client.get(f"/compare/{done['id']}/{other['id']}").text
    assert "none of the changes could be significant" in page
    answer = site.client.post("/compare", data={"form_token": site.token(), "run": [other["id"], done["id"]]})
    assert answer.headers["location"] == f"/compare/{done['id']}/{other['id']}"


def test_unchanged_pages_are_not_sent_again(site, done):
    """A browser that has the report hears that it is the same."""
    first = site.client.get(f"/runs/{done['id']}")
    again = site.client.get(f"/runs/{done['id']}", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_lesson_reads_without_a_script(site):
    """The numbers of the paper's figure stand in the page."""
    text = site.client.get("/learn").text
    assert text.count("9.20") == 3
    assert [text.count(f">{share}<") for share in ("0.094", "0.249", "0.657")] == [1, 1, 1]
