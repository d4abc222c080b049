"""The battles of llmfao: strengths as evalica's, intervals that know the workers."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
FILE = DATA / "llmfao" / "llmfao.csv.gz"

pytestmark = pytest.mark.skipif(
    not FILE.exists(), reason=f"no {FILE}; set BETTERTHAN_DATA to the data's folder"
)

# The order that evalica 0.4.2 gives, with ties counted as half.
TOP = ("GPT 4", "Platypus-2 Instruct (70B)", "command", "ReMM SLERP L2 13B", "LLaMA-2-Chat (70B)")


def rows():
    """Read the file with the standard library."""
    with gzip.open(FILE, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_strengths_are_those_of_evalica():
    """Ties count as half in both."""
    evalica = pytest.importorskip("evalica")
    plain = rows()
    ends = {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    sides = [[row[side] for row in plain] for side in ("left", "right")]
    theirs = evalica.bradley_terry(
        *sides, [ends[row["winner"]] for row in plain], tie_weight=0.5, tolerance=1e-14, limit=100_000
    )
    found = bt.rank(bt.read_matches(FILE), scale="log")
    expected = np.log([theirs.scores[name] for name in found.systems])
    np.testing.assert_allclose(found.strength, expected - expected.mean(), atol=1e-8)


@pytest.mark.slow
def test_the_first_five_are_these():
    """A golden order, whatever the clusters."""
    for matches in (bt.read_matches(FILE), bt.read_matches(FILE, keep=("judge",))):
        assert bt.rank(matches).systems[:5] == TOP


def test_intervals_are_clustered_by_worker():
    """Wider than those that take every battle as independent; by prompt too, as is the default, wider still."""
    alone, by_worker, default = (
        bt.rank(bt.read_matches(FILE, **options), scale="elo")
        for options in ({"cluster": False}, {"judge": "worker"}, {})
    )
    both = bt.rank(bt.read_matches(FILE, judge="worker", item="prompt"), scale="elo")
    n_workers = len({row["worker"] for row in rows()})
    worth = np.bincount(np.unique([row["worker"] for row in rows()], return_inverse=True)[1])
    worth = worth.sum() ** 2 / (worth**2).sum()

    for other in (by_worker, default):
        np.testing.assert_allclose(other.strength, alone.strength, rtol=1e-9)
    np.testing.assert_array_equal(default.high, both.high)
    widths = [(found.high - found.low).mean() for found in (alone, by_worker, default)]
    assert widths == sorted(widths)
    assert by_worker.settings.options["ci"] == "95,clustered"
    uneven = f"; effective number {worth:.3g}" if worth < 0.8 * n_workers else ""
    judges = f"Units: {n_workers} groups (judges or sessions{uneven})"
    assert by_worker.unit_note.startswith(f"{judges}; ")
    assert default.unit_note.startswith(f"{judges} and 13 segments (questions); ")
