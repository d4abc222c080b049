"""betterthan calibrate: the sentence, the formats."""

import csv
import json

import numpy as np
import pytest


@pytest.fixture
def scores(tmp_path):
    """Three systems on eighty segments."""
    rng = np.random.default_rng(6)
    values = rng.normal(size=(80, 1)) + rng.normal(size=(80, 3)) * 0.4
    lines = ["item,A,B,C", *(f"{i},{a:.3f},{b:.3f},{c:.3f}" for i, (a, b, c) in enumerate(values))]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_answer_comes_first(betterthan, scores):
    """Which test to use, and what fails."""
    said = betterthan("calibrate", scores, "--resamples", "300")
    text = " ".join(said.out.split())
    assert said.code == 0
    assert "Recommended test: permutation." in text
    assert "bootstrap as in sacreBLEU" in text


def test_every_format(betterthan, scores):
    """A row for each method."""
    few = ("--resamples", "40", "--only", "A", "--only", "C")
    rows = list(csv.DictReader(betterthan("calibrate", scores, *few, "-f", "csv").out.splitlines()))
    assert [row["method"] for row in rows][:3] == ["permutation", "t", "bootstrap"]
    assert json.loads(betterthan("calibrate", scores, *few, "--json").out)["systems"] == ["A", "C"]
    for form, words in (("markdown", "| method"), ("latex", "\\toprule"), ("html", "<table")):
        assert words in betterthan("calibrate", scores, *few, "-f", form).out


def test_a_chart(betterthan, scores, tmp_path):
    """Of the file, and of a result."""
    pytest.importorskip("altair")
    few = ("--resamples", "40")
    assert (
        betterthan("figure", "calibration", scores, "--pair", "A", "B", *few, "-o", tmp_path / "a.svg").code
        == 0
    )
    assert betterthan("calibrate", scores, *few, "-o", tmp_path / "r.json").code == 0
    assert betterthan("figure", "calibration", tmp_path / "r.json", "-o", tmp_path / "b.svg").code == 0
