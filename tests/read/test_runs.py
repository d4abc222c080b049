"""Repeated runs are recognized, named, refused where unclear, and averaged where means are needed."""

from __future__ import annotations

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import ReadError, TableError, UnknownName
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any

SCORES = np.random.default_rng(4).integers(0, 2, (2, 2, 6, 3)).astype(float)


def rows(*, run: str | None = "seed", factors: bool = True):
    """A dict of columns: model, prompt, item, run and score; without factors the first prompt only."""
    places = [place for place in np.ndindex(SCORES.shape) if factors or place[1] == 0]
    table = {"model": [f"m{place[0]}" for place in places]}
    if factors:
        table["prompt"] = [f"p{place[1]}" for place in places]
    table["item"] = [f"q{place[2]}" for place in places]
    if run is not None:
        table[run] = [place[3] for place in places]
    return {**table, "score": [SCORES[place] for place in places]}


def test_two_columns_name_a_system():
    """Their levels are kept, and the systems are named after them."""
    (runs,) = read_any(rows(), Options(factors=("model", "prompt"), columns={"run": "seed"})).tables
    assert runs.systems == ("m0 + p0", "m0 + p1", "m1 + p0", "m1 + p1")
    assert (runs.factors, runs.levels[1]) == (("model", "prompt"), ("m0", "p1"))
    assert np.allclose(runs.to_scores().values, SCORES.mean(axis=3).reshape(4, 6))


@pytest.mark.parametrize(
    ("name", "independent"),
    [("seed", False), ("run", False), ("trial", False), ("epoch", True), ("sample", True), ("repeat", True)],
)
def test_a_column_of_runs_is_found_where_rows_repeat(name, independent):
    """Its name says whether a run may shift all its scores."""
    (runs,) = read_any(rows(run=name, factors=False)).tables
    assert isinstance(runs, bt.Runs)
    assert runs.independent is independent
    assert runs.runs == ("0", "1", "2")


def test_where_no_row_repeats_it_is_a_table_of_scores():
    """A seed that never varies says nothing; named by the user it is one run."""
    table = {
        name: [cell for k, cell in enumerate(cells) if k % 3 == 0]
        for name, cells in rows(factors=False).items()
    }
    assert isinstance(read_any(table).tables[0], bt.Scores)
    (runs,) = read_any(table, Options(columns={"run": "seed"})).tables
    assert runs.runs_of_systems.tolist() == [1, 1]


def test_means_are_used_where_runs_are_unknown():
    """With a note on what was done."""
    scores = bt.read_scores(rows(factors=False))
    assert np.allclose(scores.values, SCORES[:, 0].mean(axis=2))
    assert any("averaged (3 runs each)" in note for note in scores.notes)


def test_an_explicit_rule_for_duplicates_still_holds():
    """As before runs were known."""
    last = bt.read_scores(rows(factors=False), duplicates="last")
    assert np.array_equal(last.values, SCORES[:, 0, :, 2])


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (
            rows(run=None),
            {"factors": ("model", "prompt")},
            r"Name the column that numbers the runs with run=COLUMN",
        ),
        (rows(run=None, factors=False), {}, r"Name the column that numbers the runs with run=COLUMN"),
        (rows(), {}, r'Column "prompt" distinguishes the rows.*list them all in system=\[COLUMN, COLUMN\]'),
        (
            {**rows(), "seed": [None, *rows()["seed"][1:]]},
            {"factors": ("model", "prompt")},
            "names no run here",
        ),
    ],
)
def test_repeats_without_a_name_are_refused(table, options, message):
    """The message names the option."""
    with pytest.raises(ReadError, match=message):
        read_any(table, Options(**options))


def test_a_column_named_twice_is_refused():
    """It would make the same systems."""
    with pytest.raises(TableError, match="named twice"):
        read_any(rows(), Options(factors=("model", "model")))


def test_unknown_columns_are_refused():
    """With the nearest name."""
    with pytest.raises(UnknownName, match="prompt"):
        read_any(rows(), Options(factors=("model", "promt")))


def test_rows_without_a_score_are_missing_runs(tmp_path):
    """And are counted."""
    path = tmp_path / "answers.csv"
    path.write_text(
        "item,model,seed,score\n1,A,1,1\n1,A,2,\n1,B,1,0\n1,B,2,1\n2,A,1,0\n2,A,2,1\n2,B,1,0\n2,B,2,0\n"
    )
    reading = read_any(path)
    (runs,) = reading.tables
    assert runs.score.size == 7
    assert any("1 rows without a score" in note for note in runs.notes)
    assert bt.check(path).contents == (
        'runs "answers": 2 systems × 2 segments, 2 runs each, higher is better',
    )


def test_files_of_one_run_each_are_joined(tmp_path):
    """A file per system, each with a column of seeds."""
    for model in "AB":
        lines = [f"q{i},{model},{seed},{i % 2}" for i in range(4) for seed in (1, 2)]
        (tmp_path / f"{model}.csv").write_text("item,model,seed,score\n" + "\n".join(lines) + "\n")
    (runs,) = read_any(tmp_path).tables
    assert runs.systems == ("A", "B")
    assert runs.runs == ("1", "2")
