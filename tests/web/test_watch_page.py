"""The page of a watch: the numbers of the verb, the curve, and clear words where there is no answer."""

from __future__ import annotations

import numpy as np
import pytest

import betterthan as bt


def votes(n: int = 120) -> str:
    """Battles of three systems in the order in which they were judged, of which one is better."""
    rng = np.random.default_rng(3)
    rows = []
    for i in range(n):
        a, b = ((0, 1), (0, 2), (1, 2))[i % 3]
        winner = (
            "tie" if rng.random() < 0.1 else ("left" if rng.random() < (0.85 if a == 0 else 0.5) else "right")
        )
        rows.append(f"q{i},{'ABC'[a]},{'ABC'[b]},{winner}")
    return "\n".join(["question,left,right,winner", *rows]) + "\n"


def scores(n: int = 60) -> str:
    """Scores of two systems on items in their order."""
    rng = np.random.default_rng(4)
    return "item,old,new\n" + "".join(
        f"i{k},{a:.3f},{a + 0.3 + b:.3f}\n" for k, (a, b) in enumerate(rng.standard_normal((n, 2)))
    )


@pytest.fixture(scope="module")
def battles(site):
    """A finished run of battles."""
    run = site.report({"votes.csv": votes()})
    assert run["state"] == "done", run["problem"]
    return run["id"]


@pytest.fixture(scope="module")
def items(site):
    """A finished run of scores."""
    run = site.report({"scores.csv": scores()})
    assert run["state"] == "done", run["problem"]
    return run["id"]


def test_the_numbers_are_those_of_the_verb(site, battles, tmp_path):
    """In JSON all of them, and on the page with the curve."""
    path = tmp_path / "votes.csv"
    path.write_text(votes())
    expected = bt.watch(path)
    answer = site.client.get(f"/api/v1/runs/{battles}/watch").json()
    assert answer["n_units"] == expected.n_units == 120
    assert answer["log_e"] == pytest.approx(expected.log_e.tolist())
    assert tuple(answer["verdict"]) == expected.verdict
    page = site.client.get(f"/runs/{battles}/watch")
    assert page.status_code == 200
    assert 'class="picture wide"' in page.text
    assert "20 decides" in page.text
    assert "Enough data?" in site.client.get(f"/runs/{battles}").text


def test_options_of_the_form_reach_the_verb(site, items, tmp_path):
    """A margin, a planned number and two systems."""
    path = tmp_path / "scores.csv"
    path.write_text(scores())
    query = {"a": "old", "b": "new", "margin": "0.1", "horizon": "200"}
    answer = site.client.get(f"/api/v1/runs/{items}/watch", params=query).json()
    expected = bt.watch(path, systems=["old", "new"], margin=0.1, horizon=200)
    assert answer["log_e"] == pytest.approx(expected.log_e.tolist())
    page = site.client.get(f"/runs/{items}/watch", params=query).text
    assert "candidate" in page
    assert 'value="0.1"' in page
    assert f"/api/v1/runs/{items}/watch?" in page


def test_without_an_answer_the_page_says_why(site, battles):
    """In the words of its own fields, and the form is still there."""
    page = site.client.get(f"/runs/{battles}/watch", params={"top": "7"})
    assert page.status_code == 200
    assert "Best systems wanted: 7" in page.text
    assert 'class="warning"' in page.text
    assert site.client.get(f"/api/v1/runs/{battles}/watch", params={"top": 7}).status_code == 409


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"a": "A"}, "two different systems"),
        ({"a": "A", "b": "A"}, "two different systems"),
        ({"a": "A", "b": "nobody"}, "no such system"),
        ({"margin": "0.1"}, "baseline and the candidate"),
        ({"margin": "much"}, "takes a number"),
        ({"horizon": "-3"}, "takes a number"),
        ({"horizon": "nan"}, "takes a number"),
    ],
)
def test_other_requests_are_refused(site, battles, query, words):
    """With what is wrong."""
    page = site.client.get(f"/runs/{battles}/watch", params=query)
    assert page.status_code == 404
    assert words in page.text


def test_few_answers_are_kept(site, items):
    """Any number may be typed, and no disk is filled by it."""
    for horizon in range(100, 104):
        assert site.client.get(f"/runs/{items}/watch", params={"horizon": horizon}).status_code == 200
    assert len(list(site.service.folder(items).answers.glob("watch-*"))) <= 50
