"""betterthan board: a folder, a long table and a wide one; the receipt, CSV and figures."""

import csv
import json

import pytest


@pytest.fixture
def long_table(tmp_path):
    """Two systems on three tasks."""
    rows = ["benchmark,item,system,score"]
    for t, task in enumerate(("math", "code", "law")):
        for item in range(30):
            rows += [
                f"{task},{item},old,{int((item * 7 + t) % 10 < 5)}",
                f"{task},{item},new,{int((item * 7 + t) % 10 < 8 - t)}",
            ]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_two_systems_task_by_task(betterthan, long_table):
    """The first line says who is better on how many tasks."""
    said = betterthan("board", long_table, "--task-column", "benchmark")
    assert said.code == 0
    assert "new and old on 3 tasks" in said.out
    assert "new scores better than old on 3 of 3 tasks" in said.out
    only = betterthan(
        "board", long_table, "--task-column", "benchmark", "--task", "math", "--task", "law", "--json"
    )
    assert json.loads(only.out)["tasks"] == ["math", "law"]


def test_a_wide_table_has_a_task_in_each_row(betterthan, tmp_path):
    """Accuracies of systems on tasks, without items."""
    path = tmp_path / "wide.csv"
    path.write_text("task,A,B,C\nx,0.9,0.8,0.1\ny,0.7,0.8,0.2\nz,0.6,0.5,0.3\n", encoding="utf-8")
    said = betterthan("board", path, "--task-column", "task", "--by", "average-rank", "--format", "csv")
    assert said.code == 0
    rows = list(csv.DictReader(said.out.splitlines()))
    assert [row["system"] for row in rows] == ["A", "B", "C"]
    assert float(rows[0]["strength"]) == pytest.approx(4 / 3)
    assert float(rows[0]["task:y"]) == 0.7


def test_an_unknown_task_is_named_with_the_nearest(betterthan, long_table):
    """A slip in --task."""
    said = betterthan("board", long_table, "--task-column", "benchmark", "--task", "mth")
    assert said.code == 2
    assert "math" in said.err


def test_a_result_can_be_verified_and_drawn(betterthan, long_table, tmp_path):
    """The receipt names the columns; a figure is made from the result."""
    out = tmp_path / "board.json"
    assert betterthan("board", long_table, "--task-column", "benchmark", "-o", out).code == 0
    assert betterthan("verify", out, long_table).code == 0
    for kind in ("board", "tasks"):
        pytest.importorskip("altair")
        assert betterthan("figure", kind, out, "-o", tmp_path / f"{kind}.svg").code == 0
