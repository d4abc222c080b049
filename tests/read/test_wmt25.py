"""Translations and judgments of WMT25: paragraphs of documents, by system and language pair."""

from __future__ import annotations

import io
import json
import random

import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.read.sniff import read_any, sniff

ICE, CZE = "en-is_IS_#_literary_#_one", "en-cs_CZ_#_news_#_two"


def objects(*rows):
    """JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def hypotheses(*rows):
    """Documents with their translations."""
    return objects(*({"doc_id": name, "hypothesis": text} for name, text in rows))


ALPHA = hypotheses((ICE, "Fyrst.\nÞá.\n\nSvo."), (CZE, "Jedna."))
BETA = hypotheses((CZE, "Dvě."), (ICE, "A\n\nB"))
JUDGED = objects(
    {"doc_id": ICE, "src_text": "a", "tgt_text": {"A": "x", "B": "y"}}
    | {"scores": {"A": {"human": 90.0, "errors": [], "annotator": "isl1"}, "B": {"human": 50, "errors": []}}},
    {"doc_id": ICE, "src_text": "b", "tgt_text": {"A": "x", "B": "y"}}
    | {
        "scores": {
            "A": [{"human": 70, "annotator": "isl1"}, {"human": 80, "annotator": "isl2"}],
            "B": {"human": None},
        }
    },
    {
        "doc_id": CZE,
        "src_text": "c",
        "tgt_text": {"A": "x"},
        "scores": {"A": {"human": 10}, "C": {"human": 30}},
    },
)
FILES = {"wmt_texts": ALPHA, "wmt_judgements": JUDGED}


def folder(tmp_path, **files):
    """A folder of systems."""
    for name, text in files.items():
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_the_layouts_are_recognised(name):
    """By the keys of the first object."""
    assert sniff(io.StringIO(FILES[name])).format == name


def test_a_system_is_read_paragraph_by_paragraph(tmp_path):
    """Blank lines part paragraphs, line ends do not; a table a language pair."""
    path = folder(tmp_path, Alpha=ALPHA) / "Alpha.jsonl"
    ice, cze = read_any(path).tables
    assert (ice.systems, ice.segments) == (("Alpha",), (f"{ICE}:1", f"{ICE}:2"))
    assert ice.outputs == (("Fyrst.\nÞá.", "Svo."),)
    assert (cze.outputs, cze.groups) == ((("Jedna.",),), (CZE,))


def test_systems_of_a_folder_are_paired_by_document(tmp_path):
    """Whatever the order of their lines; a document that a system lacks is missing."""
    given = folder(tmp_path, Alpha=ALPHA, Beta=BETA, Gamma=hypotheses((CZE, None), (ICE, "C\n\nD")))
    found = bt.check(given)
    assert (found.format, found.rows_read, found.exit_code) == ("wmt_texts", 6, 0)
    ice, cze = read_any(given).tables
    assert (ice.systems, ice.outputs[1:]) == (("Alpha", "Beta", "Gamma"), (("A", "B"), ("C", "D")))
    assert cze.systems == ("Alpha", "Beta")
    (only,) = read_any(given, bt.Options(language_pair="en-is_IS")).tables
    assert only == ice


def test_another_number_of_paragraphs_is_missing_and_told(tmp_path):
    """What most systems have is right; the rest cannot be paired."""
    given = folder(tmp_path, A=ALPHA, B=BETA, C=hypotheses((ICE, "all in one"), (CZE, "Tři.")))
    reading = read_any(given)
    assert (reading.rows_read, reading.rows_kept) == (6, 5)
    assert reading.dropped == {"another number of paragraphs": 1}
    assert reading.problems[0].code == "BT175"
    assert f"{ICE} (C)" in reading.problems[0].message
    assert reading.tables[0].systems == ("A", "B")


def test_judgements_by_language_pair():
    """The mean of two annotators, missing where there is no score, documents as groups."""
    reading = read_any(io.StringIO(JUDGED))
    ice, cze = reading.tables
    assert (ice.name, cze.name) == ("ESA en-is_IS", "ESA en-cs_CZ")
    assert (reading.rows_read, reading.rows_kept, reading.dropped) == (7, 6, {"no score": 1})
    assert ice.judges == ("isl1", "annotator", "isl2")
    scores = ice.to_scores()
    assert scores.segments == (f"{ICE}:1", f"{ICE}:2")
    assert scores.values[0].tolist() == [90, 75]
    assert ice.groups == (ICE, ICE)
    assert bt.read_ratings(io.StringIO(JUDGED), metric="ESA en-cs_CZ").score.tolist() == [10, 30]


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        (
            "wmt_texts",
            ALPHA + ALPHA,
            "BT101",
            'line 3: Document "en-is_IS_#_literary_#_one" occurs twice in the file',
        ),
        ("wmt_texts", hypotheses(("", "x")), "BT183", "line 1: doc_id must name a document"),
        ("wmt_texts", hypotheses((ICE, ["x"])), "BT183", "line 1: doc_id must name a document"),
        ("wmt_texts", hypotheses((ICE, None)), "BT011", "No document has a translation"),
        ("wmt_texts", ALPHA[:-9], "BT016", "line 2: The line is not JSON"),
        ("wmt_judgements", JUDGED.replace("90.0", "900"), "BT171", 'line 1: "human" is "900"'),
        ("wmt_judgements", JUDGED.replace("90.0", "true"), "BT171", 'line 1: "human" is "True"'),
        (
            "wmt_judgements",
            JUDGED.replace('{"human": 10}', "7"),
            "BT183",
            'line 3: The judgment of "A" is not an object',
        ),
        (
            "wmt_judgements",
            objects({"doc_id": ICE, "scores": 3}),
            "BT183",
            "line 1: doc_id must name a document",
        ),
    ],
)
def test_damage(name, text, code, message):
    """Every damage has its place and its cure."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(io.StringIO(text), format=name)
    assert caught.value.code == code


def test_two_files_of_one_system(tmp_path):
    """A file beside its gzipped copy."""
    given = folder(tmp_path, A=ALPHA)
    (given / "A.jsonl.gz").write_bytes(b"")
    (given / "A.jsonl.gz").write_text(BETA, encoding="utf-8")
    with pytest.raises(bt.ReadError, match='System "A" has two files') as caught:
        read_any(given)
    assert caught.value.code == "BT131"


def test_links_out_of_a_folder_are_refused(tmp_path):
    """Nothing is shown that its owner did not mean to show."""
    (tmp_path / "secret.jsonl").write_text(ALPHA, encoding="utf-8")
    inside = tmp_path / "systems"
    inside.mkdir()
    (inside / "A.jsonl").symlink_to(tmp_path / "secret.jsonl")
    with pytest.raises(bt.ReadError) as caught:
        read_any(inside, format="wmt_texts")
    assert caught.value.code == "BT163"


def fuzz(name, trials):
    """Damaged in many ways."""
    rng = random.Random(f"{name} {trials}")  # noqa: S311  (not for secrets)
    given = FILES[name].encode()
    return {
        outcome(lambda data: read_any(data, format=name), io.BytesIO(damaged(given, rng)))
        for _ in range(trials)
    }


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_give_a_table_or_our_error(name):
    """Never a foreign exception."""
    assert {"table", "BT016"} <= fuzz(name, 100)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_many_damaged_files_give_a_table_or_our_error(name):
    """The same, often."""
    assert {"table", "BT016"} <= fuzz(name, 600)
