"""A diagnosis in the terminal."""

from __future__ import annotations

import re

import pytest

import betterthan as bt
from betterthan.present.renderers.render import FORMATS, render


@pytest.fixture(scope="module")
def found():
    """The circle of three of the paired-evaluation paper."""
    values = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
    return bt.diagnose(bt.Scores(name="m", systems=["A", "B", "C"], segments=["1", "2", "3"], values=values))


def test_measures_and_words(found):
    """A row a measure, then sentences."""
    text = str(found)

    assert text.startswith("Diagnosis of m\n")
    assert re.search(r"cycles of three systems +1 of 1\n", text)
    assert "Under Bradley–Terry a third system changes the order of a pair 3 times" in " ".join(
        found.sentences
    )
    assert repr(found) == "Diagnosis('m', 3 systems × 3 segments)"


@pytest.mark.parametrize("format_name", sorted(FORMATS))
def test_every_format_shows_it(found, format_name):
    """All renderers take the table."""
    text = render(found, format_name)

    assert "outlier" in text


def test_what_is_undefined_is_a_dash():
    """One segment has no correlation."""
    scores = bt.Scores(name="m", systems=["A", "B"], segments=["1"], values=[[1], [2]])

    assert "–" in str(bt.diagnose(scores))
