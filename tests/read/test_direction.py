"""Which way a metric points, by its name."""

from __future__ import annotations

import numpy as np
import pytest

import betterthan as bt
from betterthan.read.direction import direction
from betterthan.read.protocol import Options

VALUES = np.array([0.1, 0.4])


@pytest.mark.parametrize("name", ["JS_1", "JS_2", "JSD", "js-2", "KL divergence", "TER", "HTER"])
def test_less_is_better(name):
    """Divergences and error rates; the choice is told, with the flag that turns it."""
    found = direction(name, VALUES, Options())
    assert not found.higher_is_better
    assert f'say --higher-is-better "{name}"' in found.note


@pytest.mark.parametrize("name", ["BLEU", "JSON_valid", "ROUGE_1", "COMET-HTER", "adjs"])
def test_more_is_better(name):
    """Only whole words count."""
    assert direction(name, VALUES, Options()).higher_is_better


def test_what_the_user_says_goes_before():
    """For one metric of several."""
    columns = {
        "item": [1, 1, 2, 2],
        "system": list("ABAB"),
        "JS_1": [0.1, 0.2, 0.3, 0.4],
        "BLEU": [1, 2, 3, 4],
    }
    found = bt.read_metrics(columns)
    assert [table.higher_is_better for table in found.values()] == [False, True]
    assert all(table.higher_is_better for table in bt.read_metrics(columns, lower_is_better=False).values())


@pytest.mark.parametrize(
    ("name", "higher"), [("en-de.hter.tsv", False), ("hter_gold.tsv", False), ("da.tsv", True)]
)
def test_sentence_scores_follow_the_name_of_their_file(tmp_path, name, higher):
    """HTER is lower-is-better, DA higher; both are told and can be overridden."""
    path = tmp_path / name
    rows = "".join(f"en-de\tA\t{i}\t{i / 4}\n" for i in range(4))
    path.write_text(f"lp\tname\tsid\tscore\n{rows}")
    scores = bt.read_scores(path)
    assert scores.higher_is_better is higher
    flag = "--lower-is-better" if higher else "--higher-is-better"
    assert any(flag in note for note in scores.notes)
    turned = bt.read_scores(path, lower_is_better=higher)
    assert turned.higher_is_better is not higher
