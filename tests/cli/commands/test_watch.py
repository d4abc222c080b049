"""betterthan watch: files in order, every format, receipts."""

import csv
import io
import json
import threading
import time

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


def test_a_state_is_continued(betterthan, votes, tmp_path):
    """Look by look, by whole files or by what is new, the answer and the bytes are those of a single look."""
    lines = votes.read_text(encoding="utf-8").splitlines(keepends=True)
    part, new = tmp_path / "part.csv", tmp_path / "new.csv"
    once = betterthan("watch", votes, "--state", tmp_path / "once.json")
    for n in (3, 4, 20, 31):
        part.write_text("".join(lines[:n]), encoding="utf-8")
        looked = betterthan("watch", part, "--state", tmp_path / "looks.json")
        assert looked.code == 0
    assert looked.out == once.out
    for first, last in ((1, 12), (12, 31)):
        new.write_text("".join([lines[0], *lines[first:last]]), encoding="utf-8")
        options = ["--append"] if first > 1 else []
        added = betterthan("watch", new, "--state", tmp_path / "added.json", *options)
    assert added.out.split("note:")[0] == once.out.split("note:")[0]
    states = {(tmp_path / f"{name}.json").read_bytes() for name in ("once", "looks", "added")}
    assert len(states) == 1


def test_a_state_refuses_other_options_and_other_rows(betterthan, votes, tmp_path):
    """With the options as they are typed; nothing is written."""
    state = tmp_path / "state.json"
    assert betterthan("watch", votes, "--state", state).code == 0
    before = state.read_bytes()
    said = betterthan("watch", votes, "--state", state, "--horizon", "100")
    assert (said.code, "--horizon 100" in said.err) == (2, True)
    said = betterthan("watch", votes, "--state", state, "--append")
    assert (said.code, "counted before" in said.err) == (2, True)
    changed = votes.read_text(encoding="utf-8").replace("A,B,left", "A,B,right", 1)
    votes.write_text(changed, encoding="utf-8")
    said = betterthan("watch", votes, "--state", state)
    assert (said.code, "Number 1 of the battles" in said.err) == (2, True)
    votes.write_text("".join(changed.splitlines(keepends=True)[:9]), encoding="utf-8")
    said = betterthan("watch", votes, "--state", state)
    assert (said.code, "--append" in said.err) == (2, True)
    assert state.read_bytes() == before
    said = betterthan("watch", votes, "--state", votes)
    assert (said.code, "not the state of a watch" in said.err) == (2, True)
    assert betterthan("watch", votes, "--append").code == 2


def test_standard_input_is_followed_until_it_is_enough_or_ends(betterthan, votes, monkeypatch):
    """One final table where there is no terminal."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(votes.read_bytes())))
    said = betterthan("watch", "-", "--follow")
    assert said.code == 0
    assert said.out.count("Watch of 2 systems") == 1
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"left,right,winner\n")))
    assert betterthan("watch", "-", "--follow").code == 2


def test_a_file_is_followed_while_it_grows(betterthan, tmp_path):
    """Half a line waits for its other half; the last look is the one that decides."""
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\nA,B,le", encoding="utf-8")

    def write():
        with path.open("a", encoding="utf-8") as file:
            for _ in range(40):
                file.write("ft\nA,B,le")
                file.flush()
                time.sleep(0.01)

    writer = threading.Thread(target=write)
    writer.start()
    said = betterthan("watch", path, "--follow", "--json")
    writer.join()
    found = json.loads(said.out)
    assert found["verdict"] == ["A"]
    assert betterthan("watch", path, path, "--follow").code == 2
