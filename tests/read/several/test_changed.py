"""Items with the same id and another question are found, in every kind of file with columns."""

import json

import pytest

import betterthan as bt
from betterthan.read.inputs import TableReader
from betterthan.read.protocol import Options

ROWS = [
    {"id": f"q{i}", "question": f"What is {i} + {i}?", "target": 2 * i, "correct": i % 2} for i in range(20)
]


def written(path, rows):
    """Rows as JSON lines, or as a CSV file."""
    if path.suffix == ".csv":
        lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
@pytest.mark.parametrize(("column", "value"), [("question", "Why?"), ("target", 7)])
def test_changed_items_are_an_error(tmp_path, suffix, column, value):
    """With the column, the number and the item; order and columns of answers do not matter."""
    old = written(tmp_path / f"old.{suffix}", ROWS)
    rows = [{**row, column: value} if row["id"] in ("q3", "q11") else row for row in reversed(ROWS)]
    new = written(tmp_path / f"new.{suffix}", rows)
    with pytest.raises(bt.ReadError, match=rf'2 of 20 items changed: their "{column}".*q11') as caught:
        TableReader().refuse_changed_items((old, new))
    assert "old" in str(caught.value)
    TableReader(Options(ignore_columns=(column,))).refuse_changed_items((old, new))


def test_what_is_the_same_passes(tmp_path):
    """Also where only one file has the column, or there is nothing to compare."""
    old = written(tmp_path / "old.jsonl", ROWS)
    new = written(tmp_path / "new.jsonl", [{**row, "correct": 1} for row in reversed(ROWS)])
    bare = written(tmp_path / "bare.jsonl", [{"id": row["id"], "correct": 1} for row in ROWS])
    for files in ((old, new), (old, bare), (old,), (old, new, bare)):
        TableReader().refuse_changed_items(files)
    TableReader().refuse_changed_items(({"A": [1, 2]},))


def test_a_gate_refuses_changed_items(tmp_path):
    """From Python as from the command line."""
    old = written(tmp_path / "old.jsonl", ROWS)
    new = written(tmp_path / "new.jsonl", [{**row, "question": "Why?"} for row in ROWS])
    with pytest.raises(bt.ReadError, match="20 of 20 items changed"):
        bt.gate(old, new, margin=0.1, metric="correct")
    with pytest.raises(bt.ReadError, match="20 of 20 items changed"):
        bt.gate({"a": old, "b": new}, margin=0.1, metric="correct")
