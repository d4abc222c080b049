"""An explanation in the terminal: one row a question, then plain words."""

from __future__ import annotations

import pytest

import betterthan as bt
from betterthan.examples.campaign import campaign
from betterthan.present.renderers.render import FORMATS, render
from betterthan.present.renderers.text import render_text
from betterthan.present.tables.describe import describe


@pytest.fixture(scope="module")
def found():
    """Daphne against Elm, by length too."""
    c = campaign()
    scores = bt.Scores(
        name="human", systems=c.systems, segments=c.segments, values=c.human, groups=c.documents
    )
    return bt.explain(scores, "Daphne", "Elm", lengths=[float(len(text.split())) for text in c.source])


EXPECTED = """\
Daphne against Elm: human, higher is better, 300 segments
Daphne wins significantly more segments than Elm (level 0.05); the means do not differ
significantly.

  question          answer    lead        test                        p   segments to flip
  ────────────────────────────────────────────────────────────────────────────────────────
  higher mean?      Elm       3.8         permutation            0.0568   16 (5.3%)
                                          paired t               0.0575
  higher median?    Daphne*   5.5         Mood                   0.0089   32 (11%)
  more wins?        Daphne*   155 to 93   sign (Bradley–Terry)   0.0003   63 (21%)
  location shift?   Daphne    0.03        Wilcoxon               0.6821

  Unit: 30 documents (300 segments). Use units="segments" for single segments.
  • Daphne wins 155 segments, loses 93 and ties 52, but its wins average 15.3 and its losses 37.8.
"""


def test_the_terminal_shows_questions_then_words(found):
    """The worked example, to the letter."""
    assert str(found).startswith(EXPECTED)


def test_it_fits_the_terminal(found):
    """No line but the signature is wider than 100."""
    lines = [line for line in str(found).split("\n") if not line.startswith("  betterthan|")]

    assert max(map(len, lines)) <= 100


def test_plain_terminals_get_plain_signs(found):
    """The table can be shown without typographic signs where names allow it."""
    assert "sign (Bradley-Terry)" in render_text(describe(found), unicode=False)


@pytest.mark.parametrize("format_name", sorted(FORMATS))
def test_every_format_shows_it(found, format_name):
    """All renderers take the table."""
    assert "Daphne" in render(found, format_name)


def test_all_ties_are_shown_as_level():
    """No winner, no number that pretends."""
    scores = bt.Scores(name="m", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [1, 2]])
    text = str(bt.explain(scores, "A", "B"))

    assert text.count("level") >= 4
    assert "1.0000" in text


def test_a_name_with_a_star_is_not_taken_for_significance():
    """Only the mark itself makes an answer bold."""
    scores = bt.Scores(name="m", systems=["A*", "B"], segments=["1", "2"], values=[[1, 2], [0, 1]])

    assert describe(bt.explain(scores, "A*", "B")).bold == frozenset()


def test_lower_is_better_is_in_the_questions():
    """The direction is said."""
    scores = bt.Scores(
        name="TER", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [2, 3]], higher_is_better=False
    )

    assert "lower (better) mean?" in str(bt.explain(scores, "A", "B"))
