"""betterthan gate: exit codes, every format, errors with a way out, receipts."""

import csv
import json
from xml.etree import ElementTree as ET

import pytest


def write(path, scores, topics=("law", "code")):
    """A file of one run: an id, a topic, and whether the answer is right."""
    rows = [{"id": f"q{i}", "topic": topics[i % 2], "correct": score} for i, score in enumerate(scores)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


BASELINE = [1, 1, 0, 1] * 100
OPEN = (2, 6, 10, 14, 18, 22, 0, 1, 3, 4, 5, 7, 8, 9, 11)
"""Fifteen items that change, nine for the worse."""


@pytest.fixture
def baseline(tmp_path):
    """Four hundred answers, three out of four right."""
    return write(tmp_path / "zero.jsonl", BASELINE)


@pytest.mark.parametrize(
    ("changed", "word", "code"),
    [
        ({}, "Equivalent", 0),
        (dict.fromkeys(range(2, 200, 4), 1), "Better", 0),
        (dict.fromkeys(range(0, 200, 4), 0), "Fail", 1),
        ({i: 1 - BASELINE[i] for i in OPEN}, "Undecided", 3),
    ],
)
def test_exit_codes(betterthan, tmp_path, baseline, changed, word, code):
    """The first word below the title is the verdict, and the first file is the baseline whatever its name."""
    candidate = write(tmp_path / "alpha.jsonl", [changed.get(i, old) for i, old in enumerate(BASELINE)])
    said = betterthan("gate", baseline, candidate, "--margin", "0.02")
    assert said.code == code
    assert said.out.splitlines()[0] == "Gate: alpha against zero"
    assert said.out.splitlines()[1].startswith(f"{word}: ")
    found = json.loads(betterthan("gate", baseline, candidate, "--margin", "0.02", "--json").out)
    assert (found["baseline"], found["verdict"]) == ("zero", word.lower())


def test_an_undecided_gate_counts_as_wished(betterthan, tmp_path, baseline):
    """As a pass or as a failure."""
    candidate = write(tmp_path / "b.jsonl", [1 - one if i in OPEN else one for i, one in enumerate(BASELINE)])
    for policy, code in (("pass", 0), ("fail", 1)):
        assert betterthan("gate", baseline, candidate, "--margin", "0.02", "--undecided", policy).code == code


def test_missing_and_repeated_items_are_errors(betterthan, tmp_path, baseline):
    """Exit code 2 with the items and what to do about them."""
    short = write(tmp_path / "short.jsonl", BASELINE[:-3])
    said = betterthan("gate", baseline, short, "--margin", "0.02")
    assert said.code == 2
    assert "q399" in said.err
    assert "--missing drop" in said.err
    said = betterthan("gate", baseline, short, "--margin", "0.02", "--missing", "drop")
    assert said.code == 0
    twice = tmp_path / "twice.jsonl"
    twice.write_text(baseline.read_text(encoding="utf-8") + '{"id": "q1", "topic": "law", "correct": 0}\n')
    said = betterthan("gate", baseline, twice, "--margin", "0.02")
    assert said.code == 2
    assert "BT101" in said.err


def test_bad_use(betterthan, tmp_path, baseline):
    """No margin, one system, a margin below 0."""
    candidate = write(tmp_path / "b.jsonl", BASELINE)
    assert "--margin" in betterthan("gate", baseline).err
    said = betterthan("gate", baseline, "--margin", "0.1")
    assert said.code == 2
    said = betterthan("gate", baseline, candidate, "--margin", "-1")
    assert (said.code, "--margin" in said.err) == (2, True)


def test_formats(betterthan, tmp_path, baseline):
    """Columns of the CSV file are fields of the rows."""
    candidate = write(tmp_path / "b.jsonl", BASELINE)
    said = betterthan("gate", baseline, candidate, "--margin", "0.02", "--format", "csv")
    (row,) = csv.DictReader(said.out.splitlines())
    assert (row["verdict"], row["margin"]) == ("equivalent", "0.02")
    for form, words in (("markdown", "| metric"), ("latex", "\\toprule"), ("html", "<table")):
        assert words in betterthan("gate", baseline, candidate, "--margin", "0.02", "--format", form).out


def test_a_file_of_html_is_a_whole_page(betterthan, tmp_path, baseline):
    """And a saved result is drawn without being told the margin again."""
    candidate = write(tmp_path / "b.jsonl", BASELINE)
    given = ("gate", baseline, candidate, "--margin", "0.02", "-o")
    assert betterthan(*given, tmp_path / "gate.html").code == 0
    page = (tmp_path / "gate.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert ">Equivalent</h1>" in page
    pytest.importorskip("altair")
    betterthan(*given, tmp_path / "gate.json")
    assert betterthan("figure", "gate", tmp_path / "gate.json", "-o", tmp_path / "gate.svg").code == 0
    said = betterthan("figure", "gate", tmp_path / "gate.json", "--margin", "1", "-o", tmp_path / "x.svg")
    assert (said.code, "--margin changes nothing" in said.err) == (2, True)
    said = betterthan("figure", "pairs", baseline, candidate, "--margin", "1", "-o", tmp_path / "x.svg")
    assert "--margin changes nothing" in said.err
    assert "--margin" in betterthan("figure", "gate", baseline, candidate, "-o", tmp_path / "x.svg").err


def test_a_result_can_be_verified(betterthan, tmp_path, baseline):
    """With the names of the two files."""
    candidate = write(tmp_path / "b.jsonl", [0, *BASELINE[1:]])
    out = tmp_path / "gate.json"
    assert betterthan("gate", baseline, candidate, "--margin", "0.03", "-o", out).code == 0
    assert betterthan("verify", out, baseline, candidate).code == 0
    write(candidate, [0, 0, *BASELINE[2:]])
    assert betterthan("verify", out, baseline, candidate).code == 1


def test_systems_of_one_file(betterthan, tmp_path):
    """The baseline is named first."""
    path = tmp_path / "scores.csv"
    lines = ["id,Aster,Birch,Cedar", *(f"s{i},{i % 7},{i % 7 + 1 + i % 2},{i % 5}" for i in range(60))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = betterthan("gate", path, "Birch", "Aster", "--margin", "0.5")
    assert (said.code, said.out.splitlines()[0]) == (1, "Gate: Aster against Birch")
    said = betterthan("gate", path, "--margin", "0.5")
    assert said.code == 2
    assert "Birch" in said.err


def test_metrics_with_margins_and_slices(betterthan, tmp_path):
    """All rows in the table; the receipt holds metrics and slices."""
    baseline, candidate = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    for path, shift in ((baseline, 0), (candidate, 1)):
        rows = [
            {
                "id": i,
                "topic": "ab"[i % 2],
                "correct": (i + (i == shift)) % 4 > 0,
                "length": 10 + (i * 7 + shift) % 5,
            }
            for i in range(300)
        ]
        lines = [json.dumps({**row, "correct": int(row["correct"])}) for row in rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = ("--metric", "correct=0.05", "--metric", "length", "--margin", "0.7", "--no-worse-slice", "topic")
    out = tmp_path / "gate.json"
    assert betterthan("gate", baseline, candidate, *given, "-o", out).code == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["metric"] == ["correct"] * 3 + ["length"] * 3
    assert found["slice"] == ["", "topic = a", "topic = b"] * 2
    assert found["margin"] == [0.05] * 3 + [0.7] * 3
    assert betterthan("verify", out, baseline, candidate).code == 0
    for options, words in (
        (("--metric", "correct"), "no margin"),
        (("--metric", "correct=0.1", "--margin", "0.2"), "no effect"),
        (("--metric", "correct=0.1", "--metric", "correct=0.2"), "named twice"),
        (("--metric", "correct=0.1", "--no-worse-slice", "topics"), 'Did you mean "topic"'),
    ):
        said = betterthan("gate", baseline, candidate, *options)
        assert (said.code, words in said.err) == (2, True), said.err


def test_slices_that_differ_between_the_files_are_an_error(betterthan, tmp_path, baseline):
    """An item that has another topic may be another item."""
    candidate = write(tmp_path / "b.jsonl", BASELINE, topics=("law", "math"))
    said = betterthan("gate", baseline, candidate, "--margin", "0.1", "--no-worse-slice", "topic")
    assert said.code == 2
    assert "has different values" in said.err


def test_github(betterthan, tmp_path, baseline, monkeypatch):
    """An annotation at the level of the exit code; the table at the end of the summary; outputs of the step."""
    summary, outputs = tmp_path / "summary.md", tmp_path / "outputs"
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_OUTPUT", str(outputs))
    worse = write(tmp_path / "a%b.jsonl", [0] * 100 + BASELINE[100:])
    said = betterthan("gate", baseline, worse, "--margin", "0.02", "--github")
    assert said.code == 1
    (line,) = said.err.splitlines()
    assert line.startswith("::error title=Gate%3A fail::Fail: a%25b is worse than zero by more than 0.02")
    assert "::" not in said.out
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n## ❌ Gate: fail\n")
    assert "| correct |" in text
    assert outputs.read_text(encoding="utf-8") == "verdict=fail\nexit-code=1\n"
    unsure = write(tmp_path / "c.jsonl", [1 - one if i in OPEN else one for i, one in enumerate(BASELINE)])
    for options, level in (
        ((), "warning"),
        (("--undecided", "pass"), "notice"),
        (("--undecided", "fail"), "error"),
    ):
        said = betterthan("gate", baseline, unsure, "--margin", "0.02", "--github", *options)
        assert said.err.startswith(f"::{level} title=Gate%3A undecided::Undecided: ")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    assert "GITHUB_STEP_SUMMARY" in betterthan("gate", baseline, worse, "--margin", "0.02", "--github").err


def test_github_annotates_what_stands_in_the_way(betterthan, tmp_path, baseline):
    """A slice that fails has an annotation of its own."""
    worse = [0 if i % 2 and i < 60 else one for i, one in enumerate(BASELINE)]
    candidate = write(tmp_path / "b.jsonl", worse)
    said = betterthan(
        "gate", baseline, candidate, "--margin", "0.13", "--no-worse-slice", "topic", "--github"
    )
    titles = [
        line.partition("::")[2].partition("::")[0] for line in said.err.splitlines() if line.startswith("::")
    ]
    assert titles == ["error title=Gate%3A fail", "error title=Gate%3A correct%2C topic = code"]


def test_junit(betterthan, tmp_path, baseline):
    """Failures, errors and skipped cases are counted as they are written; nothing that is read is overwritten."""
    candidate = write(tmp_path / "b.jsonl", [1 - one if i in OPEN else one for i, one in enumerate(BASELINE)])
    report = tmp_path / "gate.xml"
    for options, outcome in (
        ((), "error"),
        (("--undecided", "pass"), "skipped"),
        (("--undecided", "fail"), "failure"),
    ):
        betterthan("gate", baseline, candidate, "--margin", "0.02", "--junit", report, *options)
        root = ET.fromstring(report.read_text(encoding="utf-8"))  # noqa: S314  (our own)
        (case,) = root.iter("testcase")
        assert case.find(outcome).get("message").startswith("b may be worse than zero")
        plural = "skipped" if outcome == "skipped" else f"{outcome}s"
        assert (root.get("tests"), root.get(plural)) == ("1", "1")
    betterthan("gate", baseline, candidate, "--margin", "0.1", "--junit", report, "--no-worse-slice", "topic")
    root = ET.fromstring(report.read_text(encoding="utf-8"))  # noqa: S314  (our own)
    assert [case.get("name") for case in root.iter("testcase")] == [
        "all items",
        "topic = code",
        "topic = law",
    ]
    assert root.get("failures") == root.get("errors") == "0"
    said = betterthan("gate", baseline, candidate, "--margin", "0.1", "--junit", baseline)
    assert said.code == 2
