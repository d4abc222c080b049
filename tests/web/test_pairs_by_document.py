"""A pair in a run that takes whole documents as one: the run's own test comes first, and decides."""

from __future__ import annotations

import html
import io
import itertools
import random
import re

import numpy as np
import pytest
from tests.web.conftest import SCORES

import betterthan as bt


def by_documents() -> str:
    """Three documents of twenty segments; Aster is far better in two of them, and worse in the third."""
    draw = random.Random(3)  # noqa: S311  (made data)
    lift = (8, 8, -1)
    rows = (
        f"s{i},d{i // 20},{60 + draw.gauss(0, 3) + lift[i // 20]:.2f},{58 + draw.gauss(0, 3):.2f}\n"
        for i in range(60)
    )
    return "segment,doc,Aster,Cedar\n" + "".join(rows)


@pytest.fixture(scope="module")
def grouped(site):
    """A finished run by documents."""
    run = site.report({"human.csv": by_documents()}, units="groups")
    assert run["state"] == "done", run["problem"]
    return run


def signs_p(text: str) -> float:
    """The permutation test over documents, literally: every way to swap the two systems in whole documents."""
    rows = [line.split(",") for line in text.splitlines()[1:]]
    sums = {}
    for _, doc, a, b in rows:
        sums[doc] = sums.get(doc, 0.0) + float(a) - float(b)
    gaps = np.array(list(sums.values()))
    drawn = [abs(np.dot(signs, gaps)) for signs in itertools.product((1, -1), repeat=len(gaps))]
    return float(np.mean([value >= abs(gaps.sum()) - 1e-9 for value in drawn]))


def test_the_api_gives_the_test_of_the_run_first(site, grouped):
    """By documents, as a literal loop and the library find it; the explanation has the same unit and p-value."""
    found = site.client.get(f"/api/v1/runs/{grouped['id']}/pairs/Aster/Cedar").json()
    assert next(iter(found)) == "decided"
    decided = found["decided"]
    scores = bt.read_scores(io.StringIO(by_documents()), name="human")
    expected = bt.compare(scores, units="groups", rng=12345).pair("Aster", "Cedar")
    assert (decided["units"], decided["verdict"]) == ("groups", None)
    assert decided["pvalue"] == expected.pvalue == pytest.approx(signs_p(by_documents()))
    assert decided["adjusted"] == expected.adjusted
    assert (found["units"], found["n_units"]) == ("groups", 3)
    assert found["mechanisms"][0]["pvalue"] == decided["pvalue"]
    assert (found["low"], found["high"]) == pytest.approx((decided["low"], decided["high"]))


def test_the_page_shows_the_test_of_the_run_first(site, grouped):
    """The verdict by documents stands first, and what follows goes by documents too."""
    text = html.unescape(site.client.get(f"/runs/{grouped['id']}/pairs/Aster/Cedar").text)
    text = text.replace("\N{NO-BREAK SPACE}", " ")
    assert (
        "No pair could be significant at level 0.05: with 3 documents the smallest possible adjusted p-value "
        "is 0.25. Aster and Cedar: p = 0.2500, with documents as units."
    ) in text
    assert re.findall(r"<h2[^>]*>([^<]+)", text)[:2] == [
        "Verdict of this run",
        "Segment by segment, by human",
    ]
    assert "one by one" not in text
    assert 'units="' not in text


def test_the_other_way_round_is_the_same_test(site, grouped):
    """The effect changes its sign, and p does not."""
    one, other = (
        site.client.get(f"/api/v1/runs/{grouped['id']}/pairs/{pair}").json()["decided"]
        for pair in ("Aster/Cedar", "Cedar/Aster")
    )
    assert one["effect"] == -other["effect"]
    assert (one["low"], one["pvalue"]) == (-other["high"], other["pvalue"])


def test_a_run_by_segments_shows_its_adjusted_p(site):
    """Three systems are three tests, and the page of one pair says so."""
    done = site.report({"human.csv": SCORES}, units="segments")
    assert done["state"] == "done", done["problem"]
    found = site.client.get(f"/api/v1/runs/{done['id']}/pairs/B~2Ftwo/~3DC").json()
    table = site.client.get(f"/runs/{done['id']}.json").json()["results"]["pairs"]
    i, j = table["systems"].index("B/two"), table["systems"].index("=C")
    assert (found["decided"]["adjusted"], found["units"]) == (table["adjusted"][i][j], "segments")
    text = site.client.get(f"/runs/{done['id']}/pairs/B~2Ftwo/~3DC").text
    assert "adjusted for all 3 pairs, with segments as units. The interval is for this pair alone." in text
    assert "one by one" not in text


def test_another_metric_has_no_test_of_the_run(site):
    """The run tested its first metric; of the second only the explanation is shown."""
    head, *lines = by_documents().splitlines()
    rows = [line.split(",") for line in lines]
    long = "segment,doc,system,metric,score\n" + "".join(
        f"{s},{d},{name},{metric},{value}\n"
        for s, d, a, b in rows
        for name, value in (("Aster", a), ("Cedar", b))
        for metric in ("first", "second")
    )
    assert head.startswith("segment")
    run = site.report({"many.csv": long}, units="groups")
    assert run["state"] == "done", run["problem"]
    where = f"/api/v1/runs/{run['id']}/pairs/Aster/Cedar"
    assert site.client.get(where).json()["decided"]["pvalue"] == 0.25
    assert site.client.get(where, params={"metric": "second"}).json()["decided"] is None
    assert site.client.get(where, params={"metric": "second"}).json()["units"] == "groups"
    text = site.client.get(where.removeprefix("/api/v1"), params={"metric": "second"}).text
    assert "Verdict of this run" not in text


def test_a_pair_says_how_its_p_value_was_found_and_corrected(site, grouped):
    """Three documents: counted exactly, and the correction in words."""
    found = site.client.get(f"/api/v1/runs/{grouped['id']}/pairs/Aster/Cedar").json()["decided"]
    assert found["p_method"] == "exact"
    assert found["p_low"] == found["p_high"] == found["pvalue"]
    page = html.unescape(site.client.get(f"/runs/{grouped['id']}/pairs/Aster/Cedar").text)
    assert "p, permutation test" in page
    assert "Max_Statistic" not in page
