"""The relative rankings of WMT16: two ranks a row, judges, doubled line ends."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from tests.everyday import few

import betterthan as bt

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
FOLDER = DATA / "wmt16-rr"

pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"no {FOLDER}; set BETTERTHAN_DATA to the data's folder"
)

# Rows as told, and systems, judges and best system as found by hand in the files.
PAIRS = {
    "deu-eng": (20937, 10, 35),
    "eng-ron": (11352, 12, 5),
    "eng-tur": (11184, 9, 6),
    "fin-eng": (30519, 9, 37),
    "ron-eng": (15822, 7, 43),
    "rus-eng": (27353, 10, 47),
    "tur-eng": (10188, 9, 33),
}


def file_of(pair):
    """The path of a language pair."""
    return FOLDER / f"wmt16.{pair}.csv.gz"


def rows(pair):
    """Read a file with the standard library: left, right, left's result, judge."""
    with gzip.open(file_of(pair), "rt", encoding="utf-8", newline="") as file:
        text = file.read().replace("\r", "")
    found = []
    for row in csv.DictReader(text.splitlines()):
        first, second = int(row["system1rank"]), int(row["system2rank"])
        result = 0.5 if first == second else float(first < second)
        found.append((row["system1Id"], row["system2Id"], result, row["judgeID"]))
    return found


@pytest.mark.parametrize("pair", few(PAIRS))
def test_a_file_is_read_as_it_is(pair):
    """Counted as a plain loop counts."""
    matches = bt.read_matches(file_of(pair), keep=("judge",))
    plain = rows(pair)

    assert (matches.n_matches, matches.n_systems) == PAIRS[pair][:2]
    assert np.unique(matches.group).size == PAIRS[pair][2]
    judges = sorted({row[3] for row in plain})
    expected = bt.Matches(
        systems=matches.systems,
        left=[matches.systems.index(row[0]) for row in plain],
        right=[matches.systems.index(row[1]) for row in plain],
        outcome=[row[2] for row in plain],
        group=[judges.index(row[3]) for row in plain],
    )
    assert matches.digest == expected.aggregated(keep_groups=True).digest


@pytest.mark.parametrize("pair", few(PAIRS))
def test_strengths_are_those_of_evalica(pair):
    """Ties, a quarter of all judgments, count half in both."""
    evalica = pytest.importorskip("evalica")
    plain = rows(pair)
    ends = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    theirs = evalica.bradley_terry(
        [row[0] for row in plain],
        [row[1] for row in plain],
        [ends[row[2]] for row in plain],
        tie_weight=0.5,
        tolerance=1e-14,
        limit=100_000,
    )
    found = bt.rank(bt.read_matches(file_of(pair)), scale="log")
    expected = np.log([theirs.scores[name] for name in found.systems])
    np.testing.assert_allclose(found.strength, expected - expected.mean(), atol=1e-8)


@pytest.mark.parametrize("pair", few(PAIRS))
def test_a_pair_is_ranked_with_intervals(pair):
    """By judge and by ranking; the strengths do not depend on it."""
    by_judge = bt.rank(bt.read_matches(file_of(pair), keep=("judge",)), scale="elo")
    by_ranking = bt.rank(bt.read_matches(file_of(pair), judge="rankingID"), scale="elo")

    np.testing.assert_allclose(by_judge.strength, by_ranking.strength, rtol=1e-12)
    for found in (by_judge, by_ranking):
        assert (found.low < found.strength).all()
        assert (found.strength < found.high).all()
        assert found.settings.options["ci"] == "95,clustered"
        assert any(note.startswith("Comparison graph: connected; fewest matches:") for note in found.notes)
