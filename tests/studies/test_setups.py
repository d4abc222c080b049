"""From files to setups."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from betterthan.errors import BetterThanError, UnknownName
from betterthan.studies.setups import demo_setups, read_setups, setups_digest

ROWS = [
    (dataset, metric, segment, system)
    for dataset, systems in (("news", "AB"), ("chat", "ABC"))
    for metric in ("chrF", "TER")
    for segment in range(4)
    for system in systems
]


@pytest.fixture
def long_file(tmp_path):
    """A long table of two data sets and two metrics."""
    path = tmp_path / "scores.csv.gz"
    lines = ["dataset,metric,instance,system,score"]
    lines += [f"{d},{m},{i},{s},{hash((m, i)) % 97 / 7 + ord(s) + len(d)}" for d, m, i, s in ROWS]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def test_a_column_for_the_data_set_cuts_the_table(long_file):
    """Four setups, each with its own systems and in the order of the file; TER is known to be an error rate."""
    setups = read_setups(long_file)
    assert [(s.dataset, s.metric) for s in setups] == [
        ("news", "chrF"),
        ("news", "TER"),
        ("chat", "chrF"),
        ("chat", "TER"),
    ]
    assert [s.scores.values.shape for s in setups] == [(2, 4), (2, 4), (3, 4), (3, 4)]
    assert [s.scores.higher_is_better for s in setups] == [True, False, True, False]
    named = read_setups([long_file], lower_is_better=["chrF"])
    assert [s.scores.higher_is_better for s in named] == [False] * 4
    assert setups_digest(setups) != setups_digest(named)
    turned = read_setups(long_file, higher_is_better=["TER"])
    assert [s.scores.higher_is_better for s in turned] == [True] * 4
    assert not any("better" in note for s in turned for note in s.scores.notes)


def test_a_table_without_data_sets_is_called_after_its_file(tmp_path):
    """A wide table is one setup; a segment with a gap is left out, and that is noted."""
    path = tmp_path / "quality.csv"
    path.write_text("id,A,B\n1,3,2\n2,1,\n3,4,5\n", encoding="utf-8")
    (setup,) = read_setups(str(path), lower_is_better=["quality"])
    assert setup.dataset == "quality"
    assert not setup.scores.higher_is_better
    np.testing.assert_array_equal(setup.scores.values, [[3, 4], [2, 5]])
    assert "1 of 3 segments left out" in " ".join(setup.scores.notes)


def test_a_metric_that_there_is_not_is_refused(long_file):
    """A slip in a name must not turn a direction silently."""
    with pytest.raises(UnknownName, match=r'Did you mean "chrF"'):
        read_setups(long_file, lower_is_better=["chrf"])


def test_one_system_is_nothing_to_compare(tmp_path):
    """Refused with the name of the file."""
    path = tmp_path / "alone.csv"
    path.write_text("id,system,score\n1,A,3\n2,A,1\n", encoding="utf-8")
    with pytest.raises(BetterThanError, match=r"nothing to compare in .*alone\.csv: no two systems"):
        read_setups(path)


def test_the_demo_campaign_is_25_setups():
    """Five scorers on four domains and on all segments."""
    setups = demo_setups()
    assert len(setups) == 25
    assert {s.scores.n_systems for s in setups} == {8}
    assert sum(s.scores.n_segments for s in setups if s.metric == "human") == 600
    assert {s.metric for s in setups if not s.scores.higher_is_better} == {"TER"}
