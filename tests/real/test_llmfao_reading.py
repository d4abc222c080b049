"""The battles of llmfao: displayed names beside numbers, workers and prompts."""

from __future__ import annotations

import csv
import gzip
import os
from collections import Counter
from pathlib import Path

import pytest

from betterthan.read.formats.battles.battles import read_matches, sniff
from betterthan.read.source.source import open_source

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
FILE = DATA / "llmfao" / "llmfao.csv.gz"

pytestmark = pytest.mark.skipif(
    not FILE.exists(), reason=f"no {FILE}; set BETTERTHAN_DATA to the data's folder"
)


def rows():
    """Read the file with the standard library."""
    with gzip.open(FILE, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_file_is_recognised():
    """By left, right and winner, not by model_x and model_y."""
    guess = sniff(open_source(FILE))
    assert guess.because == 'two systems in the columns "left" and "right", the winner in "winner"'


def test_the_counts_are_those_of_a_plain_loop():
    """8 931 judgments of 59 systems."""
    matches = read_matches(FILE, cluster=False)
    assert (matches.n_systems, matches.n_matches) == (59, 8931)
    outcome = {"left": 1.0, "tie": 0.5, "right": 0.0}
    expected = Counter((row["left"], row["right"], outcome[row["winner"]]) for row in rows())
    found = {
        (matches.systems[i], matches.systems[j], o): w
        for i, j, o, w in zip(
            matches.left, matches.right, matches.outcome.tolist(), matches.weight.tolist(), strict=True
        )
    }
    assert found == expected


def test_prompts_and_workers_are_kept_in_the_order_of_the_file():
    """Equal codes are equal cells."""
    matches = read_matches(FILE, item="prompt", judge="worker")
    plain = rows()
    prompts = sorted({row["prompt"] for row in plain})
    workers = sorted({row["worker"] for row in plain})
    assert [prompts[code] for code in matches.segment] == [row["prompt"] for row in plain]
    assert [workers[code] for code in matches.group] == [row["worker"] for row in plain]
    assert [matches.systems[code] for code in matches.left] == [row["left"] for row in plain]
    assert matches.aggregated().digest == read_matches(FILE, cluster=False).digest
