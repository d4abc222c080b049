"""An agreement in the terminal."""

from __future__ import annotations

import pytest

import betterthan as bt
from betterthan.present.renderers.render import FORMATS, render


@pytest.fixture(scope="module")
def found():
    """Two metrics that order two systems opposite ways."""
    one = bt.Scores(name="acc", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [3, 4]])
    two = bt.Scores(name="f1", systems=["A", "B"], segments=["1", "2"], values=[[3, 4], [1, 2]])
    return bt.agreement({"acc": bt.rank(one), "f1": bt.rank(two)}, top=1)


def test_shares_are_percentages_and_tops_are_words(found):
    """One row a pair of rankings."""
    text = str(found)

    assert text.startswith("Agreement of 2 rankings of 2 systems\n")
    assert "acc and f1" in text
    assert "100%" in text
    assert "same top 1" in text


@pytest.mark.parametrize("format_name", sorted(FORMATS))
def test_every_format_shows_it(found, format_name):
    """All renderers take the table."""
    assert "acc" in render(found, format_name)


def test_nothing_is_shown_for_what_is_undefined(found):
    """Tau of a ranking that ties everything is a dash."""
    level = bt.Scores(name="x", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [2, 1]])
    other = bt.Scores(name="y", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [3, 4]])

    assert "–" in str(bt.agreement([bt.rank(level), bt.rank(other)]))
    assert repr(found) == "Agreement(2 rankings, at least 0% of pairs ordered alike)"
