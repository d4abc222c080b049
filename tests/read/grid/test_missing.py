"""One list of words for a missing value, whatever the cell should hold and wherever it stands."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.grid.numerals import MISSING
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.source.source import open_source

WORDS = ["", "NA", "na", "N/A", "n/a", "n.a.", "#N/A", "<NA>", "NaN", "null", "None", "-", " NA "]


def test_the_words_are_on_the_list():
    """Spelled in any case."""
    assert {word.strip().lower() for word in WORDS} <= MISSING


@pytest.mark.parametrize("word", WORDS)
def test_a_score_is_missing(word):
    """Of a long table and of a wide one; never 0, and never an error."""
    long = {"item": [1, 1, 2, 2], "system": list("ABAB"), "score": ["1", "2", "3", word]}
    assert bt.read_scores(long).n_missing == 1
    assert bt.read_scores({"A": ["1", "2", "4"], "B": ["3", "5", word]}).n_missing == 1


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("role", ["item", "system", "judge"])
def test_a_name_is_missing(word, role):
    """A judge called NA is nobody."""
    table = {"item": ["1", "1", "2"], "system": list("ABA"), "judge": list("xyx"), "score": [1.0, 2.0, 3.0]}
    table[role] = [*table[role][:2], word]
    with pytest.raises(ReadError) as error:
        bt.read_ratings(table)
    assert error.value.code == "BT105"


@pytest.mark.parametrize("word", few(WORDS, 5))
def test_a_battle_lacks_its_judge_or_system(tmp_path, word):
    """In a file and in memory."""
    rows = [{"left": "x", "right": "y", "winner": "left", "judge": f"j{i}"} for i in range(6)]
    rows[3]["judge"] = word
    path = tmp_path / "battles.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    for source in (path, pd.DataFrame(rows)):
        with pytest.raises(ReadError) as error:
            bt.read_matches(source, judge="judge")
        assert error.value.code == "BT127"
    with pytest.raises(ReadError) as error:
        bt.read_matches(pd.DataFrame([*rows, {**rows[0], "left": word}]))
    assert error.value.code == "BT124"


@pytest.mark.parametrize("word", few(WORDS, 5))
def test_large_files_agree(tmp_path, word):
    """The engine's list is the same."""
    path = tmp_path / "long.csv"
    path.write_text(f"item,system,score\n1,A,1\n2,{word},2\n3,B,{word}\n")
    for small in (0, 1 << 20):
        with open_grid(open_source(path), small=small) as grid:
            assert grid.labels(1).codes.tolist() == [0, -1, 1]
            assert np.isnan(grid.numbers([2])).tolist() == [[False, False, True]]


def test_a_score_file_may_not_name_a_system_so(tmp_path):
    """Its line is named."""
    path = tmp_path / "chrF.seg.score"
    path.write_text("A 0.5\nNA 0.25\n")
    with pytest.raises(ReadError, match="names no system") as error:
        bt.read_scores(path)
    assert (error.value.code, error.value.line) == ("BT105", 2)
