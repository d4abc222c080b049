"""COMET's outputs: two systems of three segments.

The fixtures were written by the command line of COMET 2.2.7 itself, with a stand-in for the neural model, whose
weights are not at hand: the layout is COMET's, the scores are not.
"""

from __future__ import annotations

import copy
import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any, sniff

FIXTURES = Path(__file__).parent / "fixtures"
VALUES = {"a": [0.8312, 0.5, 0.25], "b": [0.75, 0.625, 0.125]}
SOURCES = ["ein Haus", "zwei Häuser", "drei"]
SCORED = {
    f"out/{system}.txt": [
        {"src": src, "mt": "x", "ref": "y", "COMET": value}
        for src, value in zip(SOURCES, values, strict=True)
    ]
    for system, values in VALUES.items()
}
COMPARED = {
    "model": "Unbabel/wmt22-comet-da",
    "statistical_results": [{"x_name": "out/a.txt", "y_name": "out/b.txt", "p_value": 0.5}],
    "source": SOURCES,
    "translations": [
        {"name": f"out/{system}.txt", "mt": ["x", "x", "x"], "scores": values}
        for system, values in VALUES.items()
    ],
}
PRINTED = "".join(
    [
        f"out/{system}.txt\tSegment {k}\tscore: {x:.4f}\n"
        for system in VALUES
        for k, x in enumerate(VALUES[system])
    ]
    + [f"out/{system}.txt\tscore: 0.5000\n" for system in VALUES]
)


@pytest.mark.parametrize("text", [json.dumps(SCORED, indent=4), json.dumps(COMPARED, indent=4), PRINTED])
def test_three_outputs_of_the_same_scores(text):
    """Files name the systems, without folder and suffix."""
    assert sniff(io.StringIO(text)).format == "comet"
    scores = bt.read_scores(io.StringIO(text))
    assert (scores.name, scores.systems, scores.higher_is_better) == ("COMET", ("a", "b"), True)
    assert scores.values.tolist() == list(VALUES.values())


@pytest.mark.parametrize("name", ["comet_score.json", "comet_compare.json", "comet_printed.txt"])
def test_what_the_tool_wrote(name):
    """The three outputs of one run agree, up to the digits that each of them has."""
    assert sniff(FIXTURES / name).format == "comet"
    scores = bt.read_scores(FIXTURES / name)
    assert (scores.systems, scores.segments) == (("a", "b"), ("1", "2", "3"))
    written = json.loads((FIXTURES / "comet_score.json").read_text(encoding="utf-8"))
    expected = [[segment["COMET"] for segment in written[f"out/{system}.txt"]] for system in "ab"]
    assert scores.values == pytest.approx(np.array(expected), abs=5e-5)


def test_segments_are_counted_from_one_everywhere():
    """By order in JSON; by their number, which counts from 0, where they are printed, whatever the order of lines."""
    assert bt.read_scores(io.StringIO(json.dumps(SCORED))).segments == ("1", "2", "3")
    straight = bt.read_scores(io.StringIO(PRINTED))
    lines = PRINTED.splitlines()
    random.Random(3).shuffle(lines)  # noqa: S311
    mixed = bt.read_scores(io.StringIO("\n".join(lines))).select(straight.systems, straight.segments)
    assert straight.segments == ("1", "2", "3")
    assert mixed.values.tolist() == straight.values.tolist()


def test_totals_and_other_text_are_counted():
    """Every line is accounted for."""
    reading = read_any(io.StringIO("Seed set to 1\n" + PRINTED))
    assert (reading.rows_read, reading.rows_kept) == (9, 6)
    assert reading.dropped == {"score of a whole system": 2, "other text": 1}


def test_missing_is_missing():
    """A segment without a score."""
    part = copy.deepcopy(SCORED)
    del part["out/a.txt"][1]["COMET"]
    part["out/b.txt"][2]["COMET"] = None
    assert bt.read_scores(io.StringIO(json.dumps(part))).n_missing == 2


def test_names_that_would_clash_stay_long():
    """Two folders with the same file name."""
    both = {"x/out.txt": SCORED["out/a.txt"], "y/out.txt": SCORED["out/b.txt"]}
    assert bt.read_scores(io.StringIO(json.dumps(both))).systems == ("x/out.txt", "y/out.txt")


def changed(path, value):
    """The JSON of comet-score with one place changed."""
    part = copy.deepcopy(SCORED)
    place = part
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(part)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (changed(["out/b.txt"], SCORED["out/b.txt"][:2]), "BT192", '"a" has 3 segments and "b" has 2'),
        (changed(["out/b.txt", 1, "src"], "vier"), "BT192", "Segment 2 of .* have different sources"),
        (changed(["out/b.txt", 1, "COMET"], "x"), "BT013", '"x" is not a number'),
        (changed(["out/b.txt", 1, "COMET"], [1]), "BT013", "is not a number"),
        (changed(["out/b.txt"], {}), "BT190", "has no list of segments"),
        (changed(["out/b.txt"], [{"mt": "x"}] * 3), "BT190", "No segment of .* has a score"),
        (json.dumps({**COMPARED, "translations": [{"name": "a"}]}), "BT190", "a name and a list of scores"),
        (json.dumps({**COMPARED, "source": ["x"]}), "BT192", '"source" has 1 segments'),
        ("{}", "BT011", "The file has no scores"),
        (json.dumps(SCORED)[:-9], "BT016", "The file is not JSON"),
        (PRINTED + PRINTED, "BT101", "already|twice|more than once|several"),
        ("nothing here\n", "BT011", "The file has no scores"),
    ],
)  # fmt: skip
def test_damage(text, code, message):
    """Every damage has its cure."""
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="comet")
    assert caught.value.code == code


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["scored", "compared", "printed"])
def test_damaged_files_give_a_table_or_our_error(name, trials):
    """Recognised or named, no foreign exception escapes."""
    text = {"scored": json.dumps(SCORED, indent=4), "compared": json.dumps(COMPARED), "printed": PRINTED}[
        name
    ]
    rng = random.Random(f"{name} {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(text.encode(), rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="comet"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 2
