"""What is advised where a segment of a system has several scores."""

import itertools

import pytest

import betterthan as bt
from betterthan.errors import ReadError


def table(column, values, judge=None):
    """Two systems on three segments, once for each value of a column."""
    rows = list(itertools.product(values, "AB", "123"))
    found = {
        column: [row[0] for row in rows],
        "system": [row[1] for row in rows],
        "segment": [row[2] for row in rows],
        "score": [float(i) for i in range(len(rows))],
    }
    return {**found, "judge": ["x"] * len(rows)} if judge else found


def message(data, read=bt.read_scores, **options):
    """The error's text."""
    with pytest.raises(ReadError) as error:
        read(data, **options)
    assert error.value.code == "BT101"
    return error.value.message


@pytest.mark.parametrize("read", [bt.read_scores, bt.read_ratings])
def test_several_language_pairs_are_never_merged(read):
    """Also where two of them were chosen, and the column is gone from what is read."""
    data = table("lp", ["en-de", "zh-en", "cs-en"], judge=read is bt.read_ratings)
    for where in (None, {"lp": ["en-de", "zh-en"]}):
        said = message(data, read, where=where)
        assert 'where={"lp": "en-de"}' in said
        assert "duplicates" not in said
    assert read(data, where={"lp": "en-de"}).systems == ("A", "B")


@pytest.mark.parametrize("column", ["run", "seed", "Trial", "attempt"])
def test_repeated_runs_are_averaged_rather_than_thrown_away(column):
    """With a note where a table of scores is needed, and without one by the user's rule."""
    scores = bt.read_scores(table(column, ["1", "2"]))
    assert scores.values[0, 0] == 3.0
    assert any("runs of each segment were averaged (2 runs each)" in note for note in scores.notes)
    assert bt.read_scores(table(column, ["1", "2"]), duplicates="mean").values[0, 0] == 3.0


def test_without_a_column_the_counts_tell():
    """Three scores of everything are runs or tables; a single repetition is a mistake."""
    data = table("run", ["1", "2", "3"])
    del data["run"]
    assert "Every segment of a system has 3 scores: repeated runs, or several tables" in message(data)
    once = {name: [*cells[:6], cells[0]] for name, cells in data.items()}
    assert 'Remove one, or use duplicates="last" or duplicates="mean".' in message(once)
