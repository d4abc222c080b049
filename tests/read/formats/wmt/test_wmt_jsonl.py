"""JSON lines of WMT24 (judgements) and WMT25 (automatic scores)."""

import io
import json
import random

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.read.sniff import read_any, sniff


def judged(system, line, annotator, score, *, langs="en-cs", doc="news_a"):
    """A line of the dump of WMT24; scores are texts there."""
    return {
        "langs": langs,
        "line_id": line,
        "src": "One.",
        "tgt": "Jeden.",
        "doc_id": doc,
        "domain": "news",
        "esa_spans": [{"start_i": 0, "end_i": 2, "severity": "minor"}],
        "esa_score": score,
        "system": system,
        "annotator": annotator,
        "times": [[1, 2]],
        "speech_info": None,
    }


def lines(*objects):
    """One object a line."""
    return "".join(json.dumps(one) + "\n" for one in objects)


DUMP = lines(
    judged("Claude", 4, "a1", "77"),
    judged("GPT-4", 4, "a1", "91.5"),
    judged("Claude", 5, "a2", 0),
    judged("Claude", 5, "a2", "10"),
    judged("GPT-4", 5, "a2", None),
    judged("GPT-4", 6, "a2", "12", doc="news_a#bad"),
)


def document(name, pair="en-cs", **metrics):
    """A line of the automatic scores of WMT25."""
    return {"language_pair": pair, "domain": "news", "document_id": name, "metric_scores": metrics}


SYSTEM = lines(
    document("d1", **{"chrF++": [50.5, 60], "MetricX-24": [3, 0.5]}),
    document("d2", **{"chrF++": [None], "MetricX-24": [1.25]}),
)
OTHER = lines(document("d2", **{"chrF++": [40], "MetricX-24": [2]}))


def test_judgements_become_ratings():
    """Scores in quotes are numbers, null is missing, the last of two judgments counts, checks go."""
    reading = read_any(io.StringIO(DUMP))
    (ratings,) = reading.tables
    assert (ratings.name, ratings.systems, ratings.segments) == ("ESA", ("Claude", "GPT-4"), ("4", "5"))
    assert ratings.score.tolist() == [77, 91.5, 10]
    assert [ratings.judges[j] for j in ratings.judge] == ["a1", "a1", "a2"]
    assert reading.dropped == {
        "no score": 1,
        "damaged on purpose": 1,
        "judged again by the same judge": 1,
    }
    assert (reading.rows_read, reading.rows_kept) == (6, 3)
    assert ratings.groups == ("news_a", "news_a")


def test_language_pairs_are_tables_of_their_own():
    """The same line of two test sets is not the same segment."""
    both = DUMP + lines(judged("Claude", 4, "b", "3", langs="en-de"), judged("X", 4, "b", "4", langs="en-de"))
    tables = read_any(io.StringIO(both)).tables
    assert [table.name for table in tables] == ["ESA en-cs", "ESA en-de"]
    assert bt.read_scores(io.StringIO(both), metric="ESA en-de").values.tolist() == [[3], [4]]


def test_the_layouts_are_recognised(tmp_path):
    """By their keys, from every reader without being named."""
    assert sniff(io.StringIO(DUMP)).format == "wmt_jsonl"
    assert sniff(io.StringIO(SYSTEM)).format == "wmt_scores"
    assert sniff(io.StringIO('{"item": "1", "system": "A", "score": 1}\n')).format == "long"
    (tmp_path / "GPT.jsonl").write_text(SYSTEM)
    assert sniff(tmp_path).because == "a folder with 1 files of metric_scores"
    assert bt.check(tmp_path / "GPT.jsonl").format == "wmt_scores"


def test_automatic_scores_of_a_folder(tmp_path):
    """A file a system; a document that a system lacks is missing, and so is null; MetricX is a penalty."""
    (tmp_path / "GPT.jsonl").write_text(SYSTEM)
    (tmp_path / "NLLB.jsonl").write_text(OTHER)
    tables = bt.read_metrics(tmp_path)
    chrf = tables["chrF++"]
    assert (chrf.systems, chrf.segments) == (("GPT", "NLLB"), ("d1:1", "d1:2", "d2:1"))
    nan = np.nan
    assert np.array_equal(chrf.values, [[50.5, 60, nan], [nan, nan, 40]], equal_nan=True)
    assert (chrf.groups, chrf.higher_is_better) == (("d1", "d1", "d2"), True)
    assert not tables["MetricX-24"].higher_is_better
    assert np.array_equal(tables["MetricX-24"].values, [[3, 0.5, 1.25], [nan, nan, 2]], equal_nan=True)
    reading = read_any(tmp_path)
    assert (reading.rows_read, reading.rows_kept) == (3, 3)
    assert {problem.code for problem in reading.problems} == {"BT102"}


def test_a_language_pair_is_part_of_the_name_where_there_are_several():
    """Both pairs have a document d1, and these are two documents."""
    text = lines(document("d1", chrF=[1, 2]), document("d1", "en-de", chrF=[3]))
    tables = read_any(io.StringIO(text)).tables
    assert [(table.name, table.values.tolist()) for table in tables] == [
        ("chrF en-cs", [[1, 2]]),
        ("chrF en-de", [[3]]),
    ]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (lines(judged("A", 1, "a", "101")), "BT171", 'line 1: "esa_score" is "101"'),
        (lines(judged("A", 1, "a", True)), "BT171", '"esa_score" is "True"'),
        (lines(judged("A", 1, "a", [1])), "BT171", "not a score from 0 to 100"),
        (lines(judged("", 1, "a", "1")), "BT105", '"system" is missing'),
        (lines(judged({}, 1, "a", "1")), "BT025", '"system" is "{}"'),
        (lines(judged("A", 1, "a", "1"), judged("A", 1, "a", "1", doc="b")), "BT173", 'line 2: Segment "1" belongs'),
        (lines(judged("A", 1, "a", None)), "BT011", "The file contains no judgments"),
        (DUMP + "{\n", "BT016", "line 7: The line is not JSON"),
    ],
)  # fmt: skip
def test_damaged_judgements(text, code, message):
    """Every damage has its place and its cure."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="wmt_jsonl")
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (lines(document("d", a=[1, 2], b=[1])), "BT175", 'line 1: Document "d" has 1 scores here and 2 before'),
        (lines(document("d", a=[1]), document("d", a=[1])), "BT101", 'line 2: Document "d" of en-cs already has'),
        (lines(document("d", a=["x"])), "BT013", '"x" is not a number \\(score of "a"\\)'),
        (lines(document("d", a=[1e400])), "BT014", '"inf" is infinite \\(score of "a"\\)'),
        (lines(document("d", a=3)), "BT176", 'The scores of "a" are not a list'),
        (lines(document("d", a=[])), "BT176", 'The scores of "a" are not a list'),
        (lines(document(3, a=[1])), "BT176", "language_pair and document_id must be texts"),
        (lines(document("d")), "BT011", "No document has scores"),
    ],
)  # fmt: skip
def test_damaged_scores(text, code, message):
    """Every damage has its place and its cure."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="wmt_scores")
    assert caught.value.code == code


def test_a_system_in_two_files_is_refused(tmp_path):
    """A file beside its copy."""
    (tmp_path / "GPT.jsonl").write_text(SYSTEM)
    (tmp_path / "GPT.jsonl.gz").write_bytes(SYSTEM.encode())
    with pytest.raises(bt.ReadError, match='System "GPT" has two files'):
        bt.read_metrics(tmp_path)


def fuzz(name, text, trials):
    """Damaged in many ways, and nested deeply."""
    rng = random.Random(f"{name} {trials}")  # noqa: S311  (not for secrets)
    deep = text.replace("[", "[" * 100_000, 1)
    return [
        outcome(lambda data: read_any(data, format=name), io.BytesIO(damaged(given.encode(), rng)))
        for given in [text] * trials + [deep] * 3
    ]


CASES = [("wmt_jsonl", DUMP), ("wmt_scores", SYSTEM)]


@pytest.mark.parametrize(("name", "text"), CASES)
def test_damaged_files_give_a_table_or_our_error(name, text):
    """Never a foreign exception."""
    assert {"table", "BT016"} <= set(fuzz(name, text, 100))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), CASES)
def test_many_damaged_files_give_a_table_or_our_error(name, text):
    """The same, often."""
    assert {"table", "BT016"} <= set(fuzz(name, text, 600))
