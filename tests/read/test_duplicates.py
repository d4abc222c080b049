"""What is advised where a segment of a system has several scores."""

import itertools

import pytest

import betterthan as bt
from betterthan.cli.main import cli
from betterthan.cli.wording import as_typed
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
    """Scores are the means of the runs, with a note; the runs themselves are a table too."""
    found = bt.read_scores(table(column, ["1", "2"]))
    assert found.values[0, 0] == 3.0
    assert any("averaged (2 runs each)" in note for note in found.notes)
    assert bt.read_runs(table(column, ["1", "2", "3"])).runs_of_systems.tolist() == [3, 3]


def test_without_a_column_the_counts_tell():
    """Three scores of everything are runs or tables; a single repetition is a mistake."""
    data = table("run", ["1", "2", "3"])
    del data["run"]
    assert "Every segment of a system has 3 scores: repeated runs, or several tables" in message(data)
    once = {name: [*cells[:6], cells[0]] for name, cells in data.items()}
    assert 'Remove one, or use duplicates="last" or duplicates="mean".' in message(once)


@pytest.mark.parametrize("column", ["benchmark", "lp", "made up"])
def test_a_column_that_makes_rows_unique_may_name_tasks(column):
    """In the words of Python and of the command line, and what is advised works."""
    data = table(column, ["x", "y", "z"])
    said = message(data)
    assert f'or use board with task="{column}" to rank over all of them as tasks.' in said
    assert "use board with --task-column" in as_typed(said, cli)
    assert list(bt.board(data, task=column).tasks) == ["x", "y", "z"]


def test_tasks_are_offered_only_where_they_make_rows_unique():
    """Not where a row is there twice, and not for judges, of whom a board knows nothing."""
    data = table("task", ["x", "y"])
    twice = {name: [*cells, cells[-1]] for name, cells in data.items()}
    assert "board" not in message(twice)
    assert "board" not in message(table("task", ["x", "y"], judge=True), bt.read_ratings)


def test_an_unknown_column_of_numbers_that_makes_rows_unique_may_number_runs():
    """It is named; a score beside it, which has as many values by chance, is not."""
    data = table("copy", ["1", "2", "3"])
    said = message(data)
    assert 'If column "copy" numbers runs, name it with run="copy"' in said
    assert bt.read_runs(data, run="copy").runs_of_systems.tolist() == [3, 3]
    data["copy"] = ["1", "1", "2", "2", "3", "3"] * 3
    assert "Name the column that numbers the runs with run=COLUMN" in message(data)
