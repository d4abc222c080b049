"""Pages of pairs: computed by workers, with the digits of the report; with the run or on request."""

from __future__ import annotations

import html
import random
import time
from itertools import permutations

import pytest
from tests.web.conftest import SCORES

from betterthan.results.pairwise import pvalue
from betterthan.tables.scores import Scores
from betterthan.web.names import url_name
from betterthan.web.runs.saved_tables import SavedTables
from betterthan.web.settings import ServerLimits
from betterthan.web.worker import pairs

SYSTEMS = [f"S{i}" for i in range(9)]  # 72 pages, more than are computed with a run


def many_systems() -> str:
    """Forty segments of nine systems, each a little better than the one before."""
    draw = random.Random(11)  # noqa: S311  (made data)
    rows = (
        f"s{j}," + ",".join(f"{50 + 0.4 * i + draw.gauss(0, 2):.2f}" for i in range(len(SYSTEMS)))
        for j in range(40)
    )
    return "segment," + ",".join(SYSTEMS) + "\n" + "\n".join(rows) + "\n"


def stored(site, run):
    """The files on pairs in a run's folder."""
    return sorted(path.name for path in (site.folder / "runs" / run["id"] / "answers").glob("pair-*.json"))


@pytest.fixture(scope="module")
def many(site):
    """A finished run of nine systems."""
    run = site.report({"many.csv": many_systems()})
    assert run["state"] == "done", run["problem"]
    return run


def check_digits(site, run, a, b):
    """P-value, interval and verdict of a pair are those of the report, in the API and on the page."""
    table = site.client.get(f"/runs/{run['id']}.json").json()["results"]["pairs"]
    i, j = table["systems"].index(a), table["systems"].index(b)
    where = f"/runs/{run['id']}/pairs/{url_name(a)}/{url_name(b)}"
    found = site.client.get(f"/api/v1{where}").json()["decided"]
    for name in ("effect", "low", "high", "pvalue", "adjusted"):
        assert found[name] == table[name][i][j], name
    is_different = table["adjusted"][i][j] <= table["alpha"]
    better = (a if table["effect"][i][j] > 0 else b) if is_different else None
    assert found["verdict"] == better
    page = html.unescape(site.client.get(where).text)
    assert pvalue(table["pvalue"][i][j]) in page
    assert ("is better than" if is_different else "No significant difference between") in page


def test_few_pairs_are_computed_with_the_run(site, done):
    """Every page of every pair is there before anybody asks, and none is computed when somebody does."""
    names = site.client.get(f"/runs/{done['id']}.json").json()["results"]["pairs"]["systems"]
    before = stored(site, done)
    assert len(before) == 6
    for a, b in permutations(names, 2):
        check_digits(site, done, a, b)
    assert stored(site, done) == before


def test_of_many_pairs_one_is_computed_when_it_is_asked_for(site, many):
    """By a worker, in both directions, and stored; the digits are those of the report."""
    assert stored(site, many) == []
    check_digits(site, many, "S0", "S8")
    end = (
        time.monotonic() + 60
    )  # the answer may be there before the other direction, and before the worker has gone
    while len(stored(site, many)) < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    check_digits(site, many, "S8", "S0")
    assert len(stored(site, many)) == 2
    while list((site.folder / "runs" / many["id"]).glob("scratch*")):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_pair_that_takes_too_long_says_so_and_can_be_asked_for_again(serving, tmp_path):
    """The request fails with the limit, and the server lives on."""
    with serving(tmp_path) as first:
        run = first.report({"many.csv": many_systems()})
        assert run["state"] == "done", run["problem"]
    with serving(tmp_path, limits=ServerLimits(run_seconds=0.05)) as hasty:
        answer = hasty.client.get(f"/api/v1/runs/{run['id']}/pairs/S0/S1")
        assert (answer.status_code, "longer than" in answer.json()["error"]) == (409, True)
    with serving(tmp_path) as again:
        assert again.client.get(f"/api/v1/runs/{run['id']}/pairs/S0/S1").status_code == 200


def test_a_new_start_forgets_pairs(site):
    """They are of another report."""
    run = site.report({"human.csv": SCORES})
    before = site.client.get(f"/api/v1/runs/{run['id']}/pairs/B~2Ftwo/~3DC").json()
    assert site.client.post(f"/api/v1/runs/{run['id']}/start", json={"direction": "lower"}).status_code == 202
    site.settled(run["id"])
    after = site.client.get(f"/api/v1/runs/{run['id']}/pairs/B~2Ftwo/~3DC").json()
    assert after["decided"]["effect"] == -before["decided"]["effect"]


@pytest.mark.parametrize(
    ("m", "n", "n_metrics", "expected"),
    [(8, 500, 1, 56), (9, 500, 1, 0), (4, 500, 5, 60), (5, 500, 4, 20), (8, 5000, 1, 0), (2, 90_000, 1, 2)],
)
def test_how_many_pages_are_computed_with_a_run(m, n, n_metrics, expected):
    """All, those of the first metric, or none: at most 60 pages over 200 000 segments together."""
    systems, segments = [f"S{i}" for i in range(m)], [str(j) for j in range(n)]
    tables = tuple(
        Scores(name=f"m{k}", systems=systems, segments=segments, values=[[0.0] * n] * m)
        for k in range(n_metrics)
    )
    assert len(pairs.pages_with_run(SavedTables(scores=tables))) == expected
