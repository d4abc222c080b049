"""Layouts of leaderboards, and rows that may not be tasks: what a board takes, and what it doubts aloud."""

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import ReadError

MODELS = ("alpha", "beta", "gamma", "omega")
TASKS = ("arc", "gsm8k", "mmlu", "bbh", "ifeval", "musr")


@pytest.fixture
def accuracies():
    """Four models on six tasks."""
    return np.random.default_rng(5).uniform(20, 90, (4, 6)).round(2)


@pytest.fixture
def put(tmp_path):
    """Write rows of cells as CSV."""

    def write(name, rows):
        path = tmp_path / name
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    return write


def of_models(values):
    """A row per model, a column per task, as leaderboards are published."""
    return [("model", *TASKS), *((name, *row) for name, row in zip(MODELS, values, strict=True))]


def long(values, column="task"):
    """A row per model and task."""
    cells = [(m, t, values[i, j]) for i, m in enumerate(MODELS) for j, t in enumerate(TASKS)]
    return [("model", column, "score"), *cells]


@pytest.mark.parametrize("by", ["mean", "average_rank", "mean_win_rate"])
def test_a_leaderboard_is_read_in_every_layout(put, accuracies, by):
    """Rows of models, rows of tasks and rows of scores are the same board, by a path or a frame."""
    pandas = pytest.importorskip("pandas")
    of_tasks = [("task", *MODELS), *((t, *accuracies[:, j]) for j, t in enumerate(TASKS))]
    files = [put("m.csv", of_models(accuracies)), put("t.csv", of_tasks), put("l.csv", long(accuracies))]
    boards = [bt.board(file, by=by) for file in files] + [bt.board(pandas.read_csv(f), by=by) for f in files]
    boards.append(bt.board(files[2], by=by, task="task"))
    expected = {
        "mean": accuracies.mean(axis=1),
        "average_rank": (-accuracies).argsort(axis=0).argsort(axis=0).mean(axis=1) + 1,
        "mean_win_rate": accuracies.argsort(axis=0).argsort(axis=0).mean(axis=1) / 3,
    }[by]
    for board in boards:
        assert board.tasks == TASKS
        assert not board.knows_items
        np.testing.assert_allclose(board.strength, [expected[MODELS.index(name)] for name in board.systems])


def test_gaps_of_a_leaderboard_are_said(put, accuracies):
    """A dash is a missing score, and each way of treating it is named."""
    rows = [list(row) for row in of_models(accuracies)]
    rows[2][3] = "-"
    file = put("gaps.csv", rows)
    with pytest.raises(
        bt.errors.MissingScores, match=r"1 of 6 tasks do not have every system .mmlu: no score of"
    ):
        bt.board(file)
    assert bt.board(file, missing="drop").tasks == tuple(t for t in TASKS if t != "mmlu")
    assert bt.board(file, missing="available").tasks == TASKS


def test_averages_and_sizes_are_no_tasks(put, accuracies):
    """A mean of the tasks is left out with a note; what may be something else must be named."""
    head, *rows = of_models(accuracies)
    averaged = [(row[0], round(float(np.mean(row[1:])), 2), *row[1:]) for row in rows]
    board = bt.board(put("a.csv", [(head[0], "Average", *head[1:]), *averaged]))
    assert board.tasks == TASKS
    assert any("sums up the tasks: Average" in note for note in board.notes)
    sized = put("s.csv", [(*head, "#Params (B)"), *((*row, 7 + i) for i, row in enumerate(rows))])
    with pytest.raises(bt.errors.BetterThanError, match=r'"#Params .B." is named like a count'):
        bt.board(sized)


def test_a_column_of_tasks_is_found_by_its_name(put):
    """Items are grouped by task in long and wide tables, and where items are numbered anew on every task."""
    draw = np.random.default_rng(3)
    cells = [(t, i, *draw.integers(0, 2, 2)) for t in TASKS for i in range(20)]
    long_rows = [(t, f"{t}{i}", m, s) for t, i, *both in cells for m, s in zip("AB", both, strict=True)]
    expected = {m: np.mean([c[2 + k] for c in cells]) for k, m in enumerate("AB")}
    for rows in (
        [("task", "item", "model", "score"), *long_rows],
        [("dataset", "id", "A", "B"), *cells],
        [("dataset", "id", "A", "B"), *((t, f"{t}{i}", *both) for t, i, *both in cells)],
    ):
        board = bt.board(put("items.csv", rows))
        assert board.tasks == TASKS
        assert board.items.tolist() == [20] * 6
        assert any("The tasks are the values of column" in note for note in board.notes)
        for row in board:
            assert row.strength == pytest.approx(expected[row.system])


def test_rows_that_may_be_items_are_doubted_aloud(put):
    """Segments of documents, and right or wrong answers, are no independent tasks."""
    draw = np.random.default_rng(3)
    of_documents = [(f"s{i}", f"d{i // 5}", *draw.normal(size=2).round(2)) for i in range(40)]
    board = bt.board(put("doc.csv", [("segment", "doc", "A", "B"), *of_documents]))
    assert "40 rows counts as an independent task" in board.notes[0]
    assert "8 documents" in board.notes[0]
    graded = [(f"q{i}", *draw.integers(0, 2, 2)) for i in range(40)]
    assert "independent task" in bt.board(put("q.csv", [("id", "A", "B"), *graded])).notes[0]
    by_document = bt.board(put("doc.csv", [("segment", "doc", "A", "B"), *of_documents]), task="doc")
    assert len(by_document.tasks) == 8


def test_other_verbs_name_the_board(put, accuracies):
    """A ranking of a leaderboard, or of the rows of several tasks, says where tasks are the unit."""
    with pytest.raises(ReadError, match="If each column is a task, use board") as caught:
        bt.rank(put("m.csv", of_models(accuracies)))
    assert caught.value.code == "BT103"
    with pytest.raises(ReadError, match='item="task"; to rank over tasks, use board'):
        bt.rank(put("l.csv", long(accuracies)))
    items = [(t, f"{t}{i}", (i + len(t)) % 2, i % 2) for t in TASKS for i in range(9)]
    ranking = bt.rank(put("i.csv", [("task", "id", "A", "B"), *items]))
    assert any("rank over all of them as tasks, use board" in note for note in ranking.notes)
