"""The page of a gate: the numbers of the verb, the picture, and clear words where there is no answer."""

from __future__ import annotations

import numpy as np
import pytest

import betterthan as bt


def answers(n: int = 80) -> str:
    """Right and wrong answers of two systems."""
    rng = np.random.default_rng(5)
    return "item,old,new\n" + "".join(
        f"i{k},{int(u < 0.6)},{int(v < 0.7)}\n" for k, (u, v) in enumerate(rng.random((n, 2)))
    )


def votes(n: int = 90) -> str:
    """Battles of three systems."""
    rng = np.random.default_rng(6)
    pairs = (("A", "B"), ("A", "C"), ("B", "C"))
    return "question,left,right,winner\n" + "".join(
        f"q{k},{pairs[k % 3][0]},{pairs[k % 3][1]},{'left' if rng.random() < 0.6 else 'right'}\n"
        for k in range(n)
    )


@pytest.fixture(scope="module")
def items(site):
    """A finished run of scores."""
    run = site.report({"answers.csv": answers()})
    assert run["state"] == "done", run["problem"]
    return run["id"]


@pytest.fixture(scope="module")
def battles(site):
    """A finished run of battles."""
    run = site.report({"votes.csv": votes()})
    assert run["state"] == "done", run["problem"]
    return run["id"]


def test_the_numbers_are_those_of_the_verb(site, items, tmp_path):
    """In JSON all of them, and on the page with the picture and the verdict."""
    path = tmp_path / "answers.csv"
    path.write_text(answers())
    expected = bt.gate(path, margin=0.1, systems=["old", "new"])
    query = {"baseline": "old", "candidate": "new", "margin": "0.1"}
    found = site.client.get(f"/api/v1/runs/{items}/gate", params=query).json()
    assert found["verdict"] == expected.verdict
    assert found["effect"] == pytest.approx(expected.effect.tolist())
    assert found["low"] == pytest.approx(expected.low.tolist())
    page = site.client.get(f"/runs/{items}/gate", params=query)
    assert page.status_code == 200
    assert 'class="picture wide"' in page.text
    assert f"{expected.verdict.capitalize()}: " in page.text
    assert 'value="0.1"' in page.text


def test_without_a_margin_there_is_only_the_form(site, items):
    """No margin is right for all data; the tab leads here."""
    page = site.client.get(f"/runs/{items}/gate")
    assert page.status_code == 200
    assert "required" in page.text
    assert 'class="picture wide"' not in page.text
    assert f"/runs/{items}/gate" in site.client.get(f"/runs/{items}").text


def test_battles_have_a_gate(site, battles, tmp_path):
    """With a margin of the probability of a win; a wider one than that is explained."""
    path = tmp_path / "votes.csv"
    path.write_text(votes())
    query = {"baseline": "A", "candidate": "B", "margin": "0.2"}
    found = site.client.get(f"/api/v1/runs/{battles}/gate", params=query).json()
    assert found["effect"] == pytest.approx(bt.gate(path, margin=0.2, systems=["A", "B"]).effect.tolist())
    page = site.client.get(f"/runs/{battles}/gate", params={**query, "margin": "0.7"})
    assert "Margin: 0.7" in page.text
    assert 'class="warning"' in page.text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"baseline": "old", "candidate": "old"}, "two different systems"),
        ({"candidate": "nobody"}, "no such system"),
        ({"margin": "much"}, "takes a number"),
        ({"margin": "-3"}, "takes a number"),
        ({"margin": "nan"}, "takes a number"),
    ],
)
def test_other_requests_are_refused(site, items, query, words):
    """With what is wrong."""
    page = site.client.get(f"/runs/{items}/gate", params=query)
    assert page.status_code == 404
    assert words in page.text
