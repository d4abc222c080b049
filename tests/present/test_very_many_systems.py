"""Thousands of systems have millions of pairs: what is shown stays readable, and says what it leaves out."""

import numpy as np
import pytest

import betterthan as bt
from betterthan.analysis.pairs import leaderboard
from betterthan.present.renderers.render import render
from betterthan.present.tables import pairwise


@pytest.fixture
def scores():
    """Six systems, and limits that they exceed."""
    rng = np.random.default_rng(1)
    return bt.read_scores({f"S{i}": (rng.normal(size=20) + i / 4).tolist() for i in range(6)})


def test_pairs_that_are_not_shown_are_counted(scores, monkeypatch):
    """The table has those of the best systems; files for programs have all."""
    table = bt.compare(scores)
    whole = render(table)
    monkeypatch.setattr(pairwise, "MOST_PAIRS", 5)
    shown = render(table)
    assert "5 of 15 pairs are shown, those of the best systems; 10 are not. CSV and JSON have all" in (
        " ".join(shown.split())
    )
    assert "are shown" not in whole
    assert "of 15 pairs differ significantly" in shown
    best = table.systems[0]
    assert [pair.a for pair in table.pairs(5)] == [best] * 5
    assert table.pairs(5) == table.pairs()[:5]
    assert len(render(table, "csv").splitlines()) == 1 + 15


def test_so_many_systems_have_no_letters(scores, monkeypatch):
    """Hundreds a system would not be read."""
    assert "group" in render(bt.rank(scores))
    monkeypatch.setattr(leaderboard, "MOST_FOR_LETTERS", 5)
    ranking = bt.rank(scores)
    assert ranking.letters == ("",) * 6
    shown = " ".join(render(ranking).split())
    assert "P(beats next) group" not in shown
    assert "rules separate significance clusters" in shown
    assert "share a letter" not in shown
