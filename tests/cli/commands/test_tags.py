"""Word tags and quality scores on the command line."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise

import pytest
from tests.made_tags import drawn_tags

import betterthan as bt


def written(bad, offsets):
    """Tags as the lines of a file."""
    lines = [["BAD" if b else "OK" for b in bad[i:j]] for i, j in pairwise(offsets)]
    return "".join(" ".join(line) + "\n" for line in lines)


@pytest.fixture
def folder(tmp_path):
    """Gold tags, two systems, one of them compressed, and the tokens."""
    tags = drawn_tags(2, 30)
    (tmp_path / "gold.tags").write_text(written(tags.gold, tags.offsets))
    (tmp_path / "ours.tags").write_text(written(tags.predicted[1], tags.offsets))
    (tmp_path / "base.tags.gz").write_bytes(gzip.compress(written(tags.predicted[0], tags.offsets).encode()))
    sizes = [j - i for i, j in pairwise(tags.offsets)]
    (tmp_path / "test.mt").write_text("".join("x " * n + "\n" for n in sizes))
    return tmp_path


def files(folder):
    """Gold, and two systems, one with a name of its own."""
    return [folder / "gold.tags", folder / "ours.tags", f"theirs={folder / 'base.tags.gz'}"]


def test_systems_pairs_and_labellings_are_shown(betterthan, folder):
    """One table of systems, one of pairs."""
    said = betterthan("tags", *files(folder), "--mt", folder / "test.mt", "--signature")
    assert said.code == 0
    assert "Word tags by F1-mult (2 systems, 5 trivial labelings" in said.out
    assert "[all-bad]" in said.out
    assert "Permutation test: f1_mult, higher is better; difference of F1-mult" in said.out
    assert "by:f1_mult,mcc,f1_bad,f1_ok,phrase_f1_mult" in said.out


def test_the_numbers_are_those_of_the_verb(betterthan, folder):
    """JSON of both results; options arrive."""
    said = betterthan(
        "tags", *files(folder), "--by", "mcc", "--by", "phrase-f1-bad", "--resamples", 99, "--json"
    )
    ranking, pairs = (bt.Result.from_dict(data) for data in json.loads(said.out))
    tags = bt.read_tags(
        folder / "gold.tags", {"ours": folder / "ours.tags", "theirs": folder / "base.tags.gz"}
    )
    assert ranking == bt.rank_tags(tags, by=["mcc", "phrase_f1_bad"], n_resamples=99)
    assert pairs == bt.compare(bt.tag_counts(tags, by="mcc"), correction="max_statistic", n_resamples=99)


def test_an_audition_on_request(betterthan, folder):
    """A third table; the six measures of the paper unless others are named."""
    said = betterthan("tags", *files(folder), "--audition", "--no-pairs", "--resamples", 99, "--json")
    _, audition = (bt.Result.from_dict(data) for data in json.loads(said.out))
    assert len(audition.measures) == 6
    assert audition.systems == ("ours", "theirs")
    said = betterthan("tags", *files(folder), "--by", "mcc", "--audition", "--no-pairs", "--resamples", 99)
    assert "Audition of 1 measures of word tags" in said.out


def test_labellings_and_pairs_can_be_left_out(betterthan, folder):
    """What remains is one table of real systems, which pipes well."""
    said = betterthan("tags", *files(folder), "--no-synthetic", "--no-pairs", "-f", "csv", "--resamples", 99)
    lines = said.out.strip().split("\n")
    assert lines[0] == "system,synthetic,measure,value,low,high,cluster"
    assert len(lines) == 1 + 2 * 5
    assert "all-bad" not in said.out


def test_gaps_are_scored_on_request(betterthan, folder):
    """Every sentence of three words has two gap tags around one word, here."""
    for name, tags in (("gold", "OK BAD OK\nBAD OK BAD\n"), ("a", "OK BAD BAD\nBAD OK OK\n")):
        (folder / f"{name}.gaps").write_text(tags)
    (folder / "gaps.mt").write_text("ja\nnein\n")
    place = [
        folder / "gold.gaps",
        folder / "a.gaps",
        "--mt",
        folder / "gaps.mt",
        "--by",
        "accuracy",
        "--json",
    ]
    words = json.loads(betterthan("tags", *place, "--no-synthetic").out)
    gaps = json.loads(betterthan("tags", *place, "--no-synthetic", "--side", "gap").out)
    assert words["value"] == [[1.0]]
    assert gaps["value"] == [[0.5]]
    assert "gaps with --side gap" in betterthan("tags", *place[:-1]).out


def test_the_literal_reading_is_labelled(betterthan, folder):
    """In the heading and in a note."""
    options = ("--by", "phrase-f1-bad", "--as-published", "--resamples", 99)
    said = betterthan("tags", *files(folder), *options)
    assert "phrase F1-BAD (as published)" in said.out
    assert "truncated at 1" in said.out


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("wrong.tags", "OK\nMAYBE\n", r"wrong.tags, line 2: Word 1 is \"MAYBE\""),
        ("short.tags", "OK\n", "short.tags: This file has 1 lines"),
        ("long.tags", None, "long.tags, line 3: This line has"),
    ],
)
def test_faults_are_placed(betterthan, folder, name, text, message):
    """File and line, and exit code 2."""
    if text is None:
        lines = (folder / "gold.tags").read_text().split("\n")
        lines[2] += " OK"
        text = "\n".join(lines)
    (folder / name).write_text(text)
    said = betterthan("tags", folder / "gold.tags", folder / name)
    assert said.code == 2
    assert message.replace("\\", "") in said.err
    assert not said.out


def test_unequal_tokens_and_tags_are_placed(betterthan, folder):
    """The translation's file and line."""
    lines = (folder / "test.mt").read_text().split("\n")
    lines[4] += "one more"
    (folder / "test.mt").write_text("\n".join(lines))
    said = betterthan("tags", *files(folder), "--mt", folder / "test.mt")
    assert said.code == 2
    assert "test.mt, line 5: This line has" in said.err


def test_quality_of_sentences(betterthan, tmp_path):
    """With the warning about errors."""
    for name, numbers in (("gold.hter", range(12)), ("a.hter", range(5, 17)), ("b.hter", [5, 6] * 6)):
        (tmp_path / name).write_text("".join(f"{n}\n" for n in numbers))
    said = betterthan("quality", tmp_path / "gold.hter", tmp_path / "a.hter", f"mean={tmp_path / 'b.hter'}")
    assert said.code == 0
    assert "Predicted quality of 12 sentences" in said.out
    assert "MAE and RMSE reward predicting the mean for every" in said.out
    (tmp_path / "c.hter").write_text("x\n")
    said = betterthan("quality", tmp_path / "gold.hter", tmp_path / "c.hter")
    assert said.code == 2
    assert "c.hter, line 1" in said.err
