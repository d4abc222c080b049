"""betterthan correct: two files, one file, weights, written scores, receipts and figures."""

import csv
import json

import numpy as np
import pytest


@pytest.fixture
def files(tmp_path):
    """A judge on a scale from 1 to 5 of two systems, and forty labels of each, right or wrong."""
    rng = np.random.default_rng(1)
    judge, labels = ["item,system,score"], ["item,system,score,weight"]
    for system, level in (("Ash", 0.8), ("Elm", 0.5)):
        right = rng.random(150) < level
        scores = np.clip(np.round(2 + 2 * right + rng.normal(size=150)), 1, 5)
        judge += [f"q{i},{system},{score:g}" for i, score in enumerate(scores)]
        labels += [f"q{i},{system},{int(right[i])},{1 + i % 2}" for i in range(0, 120, 3)]
    for name, lines in (("judge.csv", judge), ("labels.csv", labels)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "judge.csv", tmp_path / "labels.csv"


def test_two_files(betterthan, files):
    """The answer in words and in every format."""
    judge, labels = files
    said = betterthan("correct", judge, "--human", labels)
    assert said.code == 0
    assert "Ash scores " in said.out
    (first, _) = csv.DictReader(betterthan("correct", judge, "--human", labels, "-f", "csv").out.splitlines())
    assert (first["system"], first["labels"]) == ("Ash", "40")
    found = json.loads(betterthan("correct", judge, "--human", labels, "--json").out)
    assert found["is_weighted"]
    assert found["is_binary"]


def test_corrected_scores_go_to_other_commands(betterthan, files, tmp_path):
    """And have the corrected means."""
    judge, labels = files
    out = tmp_path / "corrected.csv"
    assert betterthan("correct", judge, "--human", labels, "--scores-to", out).code == 0
    found = json.loads(betterthan("correct", judge, "--human", labels, "--json").out)
    ranking = json.loads(betterthan("rank", out, "--json").out)
    assert ranking["strength"] == pytest.approx(found["mean"])
    said = betterthan("correct", judge, "--human", labels, "--scores-to", labels)
    assert said.code == 2
    assert "would be lost" in said.err


def test_one_file_needs_both_columns(betterthan, tmp_path):
    """As they are typed."""
    both = tmp_path / "both.csv"
    rows = [f"{i},A,{i % 5},{i % 2 if i < 20 else ''}" for i in range(60)]
    both.write_text("\n".join(["item,system,judge,human", *rows]) + "\n", encoding="utf-8")
    said = betterthan("correct", both)
    assert said.code == 2
    assert "--judge-score COLUMN and --human-score COLUMN" in said.err
    said = betterthan("correct", both, "--judge-score", "judge", "--human-score", "human")
    assert said.code == 0
    assert "judge corrected by human labels" in said.out


def test_a_result_can_be_verified_and_drawn(betterthan, files, tmp_path):
    """The receipt names both files and the weights."""
    judge, labels = files
    out = tmp_path / "corrected.json"
    assert betterthan("correct", judge, "--human", labels, "--weight", "weight", "-o", out).code == 0
    assert betterthan("verify", out, judge, labels).code == 0
    pytest.importorskip("altair")
    assert betterthan("figure", "corrected", out, "-o", tmp_path / "a.svg").code == 0
    assert betterthan("figure", "corrected", judge, "--human", labels, "-o", tmp_path / "b.svg").code == 0
    said = betterthan("figure", "corrected", judge, "-o", tmp_path / "c.svg")
    assert "--human FILE" in said.err


def test_a_sample_is_written_as_a_sheet(betterthan, files, tmp_path):
    """With an empty column of scores and the weights; it is read back once the labels are there."""
    judge, _ = files
    sheet = tmp_path / "sheet.csv"
    assert betterthan("sample", judge, "-n", "30", "--by", "disagreement", "-o", sheet).code == 0
    with sheet.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60
    assert all(row["score"] == "" for row in rows)
    for k, row in enumerate(rows):
        row["score"] = k % 2
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    found = json.loads(betterthan("correct", judge, "--human", sheet, "--json").out)
    assert found["is_weighted"]
    assert found["labels"] == [30, 30]
    said = betterthan("sample", judge, "-n", "3", "--strata", "many")
    assert said.code == 2
    assert 'strata "many"' in said.err


def test_a_judge_is_audited(betterthan, tmp_path):
    """One file with verdict, label and length; battles in both orders; a calibration chart."""
    rng = np.random.default_rng(2)
    lines = ["item,system,verdict,label,words"]
    for i in range(60):
        for system in ("Ash", "Elm"):
            label = int(rng.random() < 0.6)
            words = int(rng.integers(50, 150))
            verdict = int(rng.random() < 0.15 + 0.5 * label + 0.003 * (words - 50))
            lines.append(f"{i},{system},{verdict},{label},{words}")
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    named = ("--judge-score", "verdict", "--human-score", "label")
    said = betterthan("audit-judge", path, *named, "--length", "words", "--own", "Elm")
    assert said.code == 0
    assert "Judge and humans give the same verdict on" in " ".join(said.out.split())
    assert "Verdicts of humans (rows) and judge (columns)" in said.out
    out = tmp_path / "audit.json"
    assert betterthan("audit-judge", path, *named, "--length", "words", "-o", out).code == 0
    assert betterthan("verify", out, path).code == 0
    pytest.importorskip("altair")
    assert betterthan("figure", "judge-calibration", out, "-o", tmp_path / "a.svg").code == 0
    votes = tmp_path / "battles.csv"
    rows = [f"q{i},{a},{b},model_a" for i in range(9) for a, b in (("A", "B"), ("B", "A"))]
    votes.write_text("\n".join(["item,model_a,model_b,winner", *rows]) + "\n", encoding="utf-8")
    said = betterthan("audit-judge", votes)
    assert "The same output wins in both orders in 0% of 9 pairs" in said.out
    assert "The left side wins 100% of the 9 pairs" in " ".join(said.out.split())
