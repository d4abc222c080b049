"""Thousands of systems have millions of pairs: what is shown stays readable, and says what it leaves out."""

import numpy as np
import pytest

import betterthan as bt
from betterthan.analysis.pairs import pairwise as leaderboard
from betterthan.present.renderers.render import render
from betterthan.present.tables import pairwise
from betterthan.present.tables.describe import describe, summarize


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


@pytest.fixture
def twelve():
    """Twelve systems, more pairs than anyone reads one by one."""
    rng = np.random.default_rng(2)
    return bt.read_scores({f"S{i}": (rng.normal(size=60) - i / 4).tolist() for i in range(12)})


def test_many_pairs_are_a_matrix_and_the_neighbors_in_rank(twelve):
    """Each sign is the verdict on its pair; the list of all is a call away."""
    table = bt.compare(twelve)
    shown = summarize(table)
    (matrix,) = shown.above
    better = table.better()
    for i, (place, name, signs) in enumerate(matrix.rows):
        assert (place, name, len(signs)) == (i + 1, table.systems[i], 12)
        expected = ["+" if better[i, j] else "−" if better[j, i] else "·" for j in range(12)]
        expected[i] = "="
        assert list(signs) == expected
    assert {sign for row in matrix.rows for sign in row[2]} == {"+", "−", "·", "="}
    assert [row[:2] for row in shown.rows] == list(zip(table.systems, table.systems[1:], strict=False))
    assert len(describe(table).rows) == 66
    text = render(table)
    assert len(text.splitlines()) < 45
    assert "For all 66 pairs, use --all or CSV" in " ".join(text.split())
    ruler = next(line for line in text.splitlines() if "system " in line and "10" in line)
    first = next(line for line in text.splitlines() if line.strip().startswith("1 "))
    assert ruler.index("10") - ruler.index("1 ") == 9
    assert first.index("=") == ruler.index("1 ")


def test_eight_systems_are_listed_pair_by_pair():
    """28 rows can be read."""
    rng = np.random.default_rng(3)
    table = bt.compare(bt.read_scores({f"S{i}": rng.normal(size=20).tolist() for i in range(8)}))
    assert not summarize(table).above
    assert len(summarize(table).rows) == 28


def test_above_fifteen_systems_ranks_replace_letters():
    """Letters such as "abcdefghijklmnop" say nothing."""
    rng = np.random.default_rng(4)
    columns = {f"S{i:02d}": (rng.normal(size=30) + i / 20).tolist() for i in range(16)}
    many, few = bt.rank(bt.read_scores(columns)), bt.rank(bt.read_scores(dict(list(columns.items())[:15])))
    headings = [[column.heading for column in describe(ranking).columns] for ranking in (many, few)]
    assert "group" not in headings[0]
    assert "group" in headings[1]
    assert "rank range" in headings[0]
    assert any(many.letters)


def test_a_matrix_in_markdown_and_html_keeps_its_columns(twelve):
    """Every sign is as wide as the next."""
    table = bt.compare(twelve)
    signs = summarize(table).above[0].rows[0][2]
    assert f"| `{signs}` |" in render(table, "markdown")
    assert f'font-family:monospace;white-space:pre">{signs}</td>' in render(table, "html")
