"""Ratings with marked errors: rating files of the metrics task and JSON lines, weighed as MQM is."""

from __future__ import annotations

import io
import json
import random

import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.read.formats.wmt.mqm import WeighedErrors, Weights
from betterthan.read.sniff import read_any, sniff


def error(category, severity, **more):
    """An error as the toolkit's dataclass writes it."""
    return {
        "start": 0,
        "end": 3,
        "category": category,
        "severity": severity,
        "score": None,
        "is_source_error": False,
    } | more


MAJOR, MINOR, COMMA = (
    error("Accuracy/Mistranslation", "Major"),
    error("Fluency/Grammar", "minor"),
    error("Fluency/Punctuation", "Minor"),
)


def rated(*rows):
    """Lines of a rating file."""
    texts = [(row[0], "None" if row[1] is None else json.dumps({"errors": row[1]}), *row[2:]) for row in rows]
    return "\n".join("\t".join(text) for text in texts) + "\n"


# By hand with the weights of Freitag et al. (2021): 5 + 0.1; nothing; 1.
FILE = rated(("A", [MAJOR, COMMA], "r1"), ("A", [], "r2"), ("B", None), ("B", [MINOR], "r1"))
LINES = "".join(
    json.dumps(
        {"source": "s", "hypothesis": "h", "errors": errors, "document_id": "d", "segment_id": segment}
        | {"system_id": system, "rater_id": rater, "src_lang": "en", "tgt_lang": "de"}
    )
    + "\n"
    for system, segment, rater, errors in [
        ("A", 0, "r1", [MAJOR, COMMA]),
        ("A", 1, "r2", []),
        ("B", 0, "r1", None),
        ("B", 1, "r1", [MINOR]),
    ]
)
FILES = {"rating_file": FILE, "rating_lines": LINES}
BY_HAND = {("A", 0, "r1"): -5.1, ("A", 1, "r2"): 0, ("B", 1, "r1"): -1}


def scores_of(ratings, first):
    """Score by system, segment (counted from 0) and judge."""
    return {
        (ratings.systems[a], int(ratings.segments[s]) - first, ratings.judges[j]): score
        for a, s, j, score in zip(
            ratings.system, ratings.segment, ratings.judge, ratings.score.tolist(), strict=True
        )
    }


@pytest.mark.parametrize(("name", "first"), [("rating_file", 1), ("rating_lines", 0)])
def test_errors_are_weighed(name, first):
    """As counted by hand; what was not rated is missing, not 0."""
    reading = read_any(io.StringIO(FILES[name]))
    assert reading.format.name == name
    (table,) = reading.tables
    assert scores_of(table, first) == pytest.approx(BY_HAND)
    assert table.higher_is_better
    assert (reading.rows_read, reading.rows_kept, reading.dropped) == (4, 3, {"not rated": 1})
    assert table.notes[0] == "3 errors were weighted; their positions in the text are not kept."


def test_a_file_of_the_task_is_known_by_its_name(tmp_path):
    """The name of the scores is between the pair and the ending, and the rater's where none is given."""
    path = tmp_path / "en-de.mqm.merged.seg.rating"
    path.write_text(rated(("A", [MAJOR]), ("A", None), ("B", []), ("B", [])), encoding="utf-8")
    assert sniff(path).because == "the name ends in .seg.rating"
    ratings = bt.read_ratings(path)
    assert (ratings.name, ratings.judges, ratings.segments) == ("mqm.merged", ("mqm.merged",), ("1", "2"))
    assert bt.read_scores(path).values[0, 0] == -5


def test_documents_and_pairs_of_json_lines():
    """Documents are groups; every language pair is a table."""
    other = LINES.replace('"de"', '"fr"')
    first, second = read_any(io.StringIO(LINES + other)).tables
    assert (first.name, second.name) == ("MQM en-de", "MQM en-fr")
    assert first.groups == ("d", "d")


@pytest.mark.parametrize("name", FILES)
def test_weights_can_be_given_and_unknown_severities_stop(name):
    """All of them are listed with their counts."""
    text = FILES[name].replace('"Major"', '"Critical"')
    with pytest.raises(bt.ReadError, match=r"Critical \(Accuracy/Mistranslation\): 1\.") as caught:
        read_any(io.StringIO(text))
    assert caught.value.code == "BT150"
    (table,) = read_any(io.StringIO(text), bt.Options(mqm_weights={"Critical": 10})).tables
    assert min(table.score) == pytest.approx(-10.1)


def test_an_error_without_a_severity_weighs_what_its_score_says():
    """And a note says so; without a score it stops the run."""
    text = rated(("A", [error(None, None, score=-2.5)]), ("B", []))
    (table,) = read_any(io.StringIO(text)).tables
    assert table.score.tolist() == [-2.5, 0]
    assert table.notes[1] == "1 errors without a severity are weighted by their own score."
    with pytest.raises(bt.ReadError, match=r"no severity \(Style\): 1"):
        read_any(io.StringIO(rated(("A", [error("Style", None)]), ("B", []))))


def test_the_sum_does_not_depend_on_the_order():
    """Nor on which category stands first."""
    marked = WeighedErrors(Weights({}))
    errors = [MAJOR, MINOR, COMMA, error("Non-translation!", "Major"), error("Source error", "Major")]
    literal = -(5 + 1 + 0.1 + 25 + 0)
    for _ in range(5):
        random.Random(1).shuffle(errors)  # noqa: S311
        assert marked.score(errors, None, 1) == pytest.approx(literal)


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        ("rating_file", FILE + "A\n", "BT182", "line 5: The line has 1 fields"),
        ("rating_file", FILE + "A\tNo\n", "BT182", 'line 5: "No" is neither JSON nor None'),
        ("rating_file", FILE + "A\t{}\n", "BT182", 'line 5: "errors" must be a list'),
        ("rating_file", FILE + "A\t[1]\n", "BT182", 'line 5: "errors" must be a list'),
        ("rating_file", FILE + 'A\t{"errors":[3]}\n', "BT182", 'line 5: "errors" must be a list'),
        (
            "rating_file",
            FILE + "A\tNone\n",
            "BT162",
            'line 4: System "B" has 2 lines, the last here, but others have 3',
        ),
        (
            "rating_file",
            FILE + 'A\t{"errors":[{"severity":5}]}\n',
            "BT182",
            'line 5: The severity of an error is "5"',
        ),
        ("rating_file", "A\tNone\nB\tNone\n", "BT011", "2 rows were left out: not rated"),
        ("rating_file", 'A\t{"errors":' + "[" * 100_000 + "\n", "BT182", "is neither JSON nor None"),
        (
            "rating_lines",
            LINES.replace('"system_id": "A"', '"system_id": ""', 1),
            "BT105",
            '"system_id" is missing',
        ),
        (
            "rating_lines",
            LINES.replace('"segment_id": 0', '"segment_id": [0]', 1),
            "BT025",
            r'"segment_id" is "\[0\]"',
        ),
        (
            "rating_lines",
            LINES.replace('"errors": []', '"errors": {}'),
            "BT182",
            'line 2: "errors" must be a list',
        ),
        ("rating_lines", LINES[:-20], "BT016", "line 4: The line is not JSON"),
    ],
)
def test_damage(name, text, code, message):
    """Every damage has its place and its cure."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(io.StringIO(text), format=name)
    assert caught.value.code == code


def fuzz(name, trials):
    """Damaged in many ways."""
    rng = random.Random(f"{name} {trials}")  # noqa: S311  (not for secrets)
    given = FILES[name].encode()
    return {
        outcome(lambda data: read_any(data, format=name), io.BytesIO(damaged(given, rng)))
        for _ in range(trials)
    }


@pytest.mark.parametrize(("name", "code"), [("rating_file", "BT182"), ("rating_lines", "BT016")])
def test_damaged_files_give_a_table_or_our_error(name, code):
    """Never a foreign exception."""
    assert {"table", code} <= fuzz(name, 100)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code"), [("rating_file", "BT182"), ("rating_lines", "BT016")])
def test_many_damaged_files_give_a_table_or_our_error(name, code):
    """The same, often."""
    assert {"table", code} <= fuzz(name, 600)
