"""Bad input gets a clear answer: place, cure, exit code 2, no traceback."""

from __future__ import annotations

import gzip
import os
import pickle
import re
from pathlib import Path

import pytest

GOOD = "id,A,B\ns1,1,2\ns2,3,1\ns3,2,2.5\n"

TWO_METRICS = "item,system,metric,score\n" + "".join(
    f"{item},{system},{metric},{item}\n" for item in (1, 2) for system in "AB" for metric in "xy"
)


def written(folder: Path, name: str, data: str | bytes) -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


CASES = {
    "empty": ("scores.csv", "", r"scores\.csv: The file is empty"),
    "only white space": ("scores.csv", "\n \n", r"scores\.csv: The file is empty"),
    "header only": ("scores.csv", "id,A,B\n", r"scores\.csv: .*header"),
    "ragged row": (
        "scores.csv",
        "id,A,B\ns1,1,2\ns2,3\n",
        r"scores\.csv, line 3: .*2.*3|scores\.csv, line 3: .*3.*2",
    ),
    "text in a number column": (
        "scores.csv",
        "id,A,B\ns1,1,2\ns2,n/a?,3\n",
        r'scores\.csv, line 3: "n/a\?" .*"A"',
    ),
    "length as a system": (
        "scores.csv",
        "qid,length,A,B\n1,37,1,2\n2,512,3,1\n",
        r'BT210.*"length" is named like a length.*--ignore length.*--keep length',
    ),
    "duplicate": (
        "long.csv",
        "item,system,score\n1,A,1\n1,B,1\n1,A,2\n",
        r'long\.csv, line 4: .*"1".*"A"|long\.csv.*A.*1',
    ),
    "missing cell": (
        "scores.csv",
        "id,A,B\ns1,1,2\ns2,,3\n",
        r"1 of 4 scores is missing \(A: segments s2\).*--missing drop",
    ),
    "NaN": ("scores.csv", "id,A,B\ns1,1,2\ns2,NaN,3\n", r"1 of 4 scores is missing"),
    "inf": ("scores.csv", "id,A,B\ns1,1,2\ns2,inf,3\n", r'scores\.csv, line 3: .*"inf".*'),
    "latin-1": (
        "scores.csv",
        "id,A,B\ncaf\xe9,1,2\ns2,1,3\n".encode("latin-1"),
        r"scores\.csv, line 2: The byte 0xe9 is not UTF-8",
    ),
    "UTF-16": ("scores.csv", GOOD.encode("utf-16"), r"scores\.csv: The file is UTF-16, not UTF-8"),
    "NUL byte": ("scores.csv", "id,A,B\ns\x001,1,2\n", r"scores\.csv, line 2: .*NUL byte"),
    "truncated gzip": (
        "scores.csv.gz",
        gzip.compress(GOOD.encode() * 50, mtime=0)[:-12],
        r"scores\.csv\.gz.*gzip stream is truncated",
    ),
    "pickle": ("scores.pkl", pickle.dumps({"A": [1, 2]}), r"scores\.pkl: Opening pickled data .* never read"),
    "pickle in disguise": (
        "scores.csv",
        pickle.dumps({"A": [1, 2]}),
        r"scores\.csv: Opening pickled data .* never read",
    ),
    "two metrics": (
        "long.csv",
        TWO_METRICS,
        r"2 metrics where one is needed: x, y\. Choose one with --metric x",
    ),
    "one system": ("scores.csv", "item,system,score\n1,A,1\n2,A,3\n", r"one system"),
    "system-level table": (
        "sys.csv",
        "system,metric,score\nA,BLEU,30.1\nB,BLEU,31.2\n",
        r"one score .*system|no .*segment",
    ),
    "not a table": ("notes.csv", "just a note about nothing\nwith a second line\n", r"notes\.csv"),
    "unknown winner": ("battles.csv", "model_a,model_b,winner\nA,B,model_a\nA,B,model_c\n", r"model_c"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_file_gets_place_and_cure_and_exit_code_2(case, betterthan, tmp_path):
    """The message has at most three sentences and no traceback."""
    name, data, pattern = CASES[case]
    path = written(tmp_path, name, data)
    commands = {
        "unknown winner": ("convert", path, "-o", tmp_path / "out.csv"),
        "two metrics": ("diagnose", path),
    }
    command = commands.get(case, ("rank", path))

    said = betterthan(*command)

    assert said.code == 2, said
    assert re.search(pattern, said.err), said.err
    assert "Traceback" not in said.err
    assert said.out == ""
    message = said.err.replace(str(tmp_path), "")
    assert len(re.findall(r"[.?!](?:\s|$)", message)) <= 4, message
    assert len(message) < 500


@pytest.mark.parametrize("case", CASES)
def test_check_reports_the_same_problem_with_its_code(case, betterthan, tmp_path):
    """`check` shows the problem as an answer and says no by exit code 1."""
    name, data, _ = CASES[case]
    said = betterthan("check", written(tmp_path, name, data))

    # No fault of these files: they are refused where one metric, or segments, are needed.
    if case in {"two metrics", "system-level table"}:
        assert said.code == 0
        return
    assert said.code == 1, said
    assert re.search(r"BT\d{3} ", said.out), said.out
    assert "Traceback" not in said.out + said.err


def test_a_missing_path_is_named(betterthan, tmp_path):
    """Exit code 2 for every command."""
    for command in ("check", "rank"):
        said = betterthan(command, tmp_path / "nothing.csv")
        assert said.code == 2
        assert "nothing.csv: There is no such file" in said.err


def test_a_folder_without_data_is_named(betterthan, tmp_path):
    """A folder is not a table."""
    said = betterthan("check", tmp_path)

    assert said.code == 2
    assert "folder" in said.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named(betterthan, tmp_path):
    """Permissions are named, not hidden."""
    path = written(tmp_path, "scores.csv", GOOD)
    path.chmod(0)
    said = betterthan("rank", path)

    assert said.code == 2
    assert "cannot be opened" in said.err


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("s1", "a\u2028b").encode(),
        GOOD.rstrip("\n").encode(),
    ],
    ids=["BOM", "CRLF", "U+2028", "no last line end"],
)
def test_harmless_oddities_change_nothing(data, betterthan, tmp_path):
    """What real files contain is read, not refused."""
    said = betterthan("rank", written(tmp_path, "scores.csv", data), "-f", "csv")

    assert said.code == 0
    assert [line.split(",")[1] for line in said.out.splitlines()] == ["system", "A", "B"]


@pytest.mark.slow
def test_ten_thousand_columns_are_ten_thousand_systems(betterthan, tmp_path):
    """A very wide table is read."""
    names = ",".join(f"S{i}" for i in range(10_000))
    numbers = ",".join(str(i) for i in range(10_000))
    path = written(tmp_path, "wide.csv", f"{names}\n{numbers}\n{numbers}\n")
    said = betterthan("check", path)

    assert said.code == 0, said
    assert "10,000 systems × 2 segments" in said.out


def test_an_endless_line_is_refused_without_being_held(betterthan, tmp_path):
    """A line of 100 MB is not a table row."""
    path = tmp_path / "long.csv"
    with path.open("wb") as file:
        file.write(b"id,A,B\n")
        for _ in range(100):
            file.write(b"x" * (1 << 20))
    said = betterthan("rank", path)

    assert said.code == 2
    assert "long.csv" in said.err
    assert "Traceback" not in said.err


def test_unequal_parallel_files_are_named_with_both_counts(tmp_path):
    """Both files and both counts."""
    import betterthan as bt

    a = written(tmp_path, "a.txt", "x\ny\n")
    b = written(tmp_path, "b.txt", "x\n")
    with pytest.raises(bt.ReadError, match=r"(?s)b\.txt.*1.*2|a\.txt.*2.*1"):
        bt.read_texts([str(a), str(b)])
