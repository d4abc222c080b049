"""betterthan watch: files in order, every format, receipts."""

import csv
import io

import pytest


@pytest.fixture
def votes(tmp_path):
    """Thirty battles, of which A wins most."""
    path = tmp_path / "votes.csv"
    lines = ["left,right,winner", *(["A,B,left"] * 5 + ["B,A,left"]) * 5]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_first_line_is_the_answer(betterthan, votes):
    """In the table, and a row per pair in CSV."""
    said = betterthan("watch", votes)
    assert said.code == 0
    assert "Not enough after 30 battles" in said.out or "Enough: A beats B" in said.out
    (row,) = csv.DictReader(betterthan("watch", votes, "--format", "csv").out.splitlines())
    assert (row["a"], row["b"], row["n"]) == ("A", "B", "30")


def test_it_reads_standard_input(betterthan, votes, monkeypatch):
    """A stream has the same answer as the file."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(votes.read_bytes())))
    assert betterthan("watch", "-").out == betterthan("watch", votes).out


def test_it_can_be_verified(betterthan, votes, tmp_path):
    """With every option recorded."""
    out = tmp_path / "watch.json"
    assert betterthan("watch", votes, "--horizon", "60", "--alpha", "0.1", "-o", out).code == 0
    assert betterthan("verify", out, votes).code == 0
    scores = tmp_path / "scores.csv"
    scores.write_text("item,x,y\n" + "".join(f"{i},{i % 7},{i % 5}\n" for i in range(30)), encoding="utf-8")
    assert (
        betterthan("watch", scores, "--bounds", "0", "--bounds", "6", "--margin", "0.5", "-o", out).code == 0
    )
    assert betterthan("verify", out, scores).code == 0
