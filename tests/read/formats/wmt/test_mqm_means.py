"""Published means: MQM of segments and direct assessments of systems, separated by blanks."""

from __future__ import annotations

import io
import random

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.read.sniff import read_any, sniff

# The header has blanks, rows have tabs or blanks.
MEANS = "system mqm_avg_score seg_id\nA.1\t2.5\t1\nA.1\t0.0\t2\nB.7 1.333333 2\nB.7 None 1\n"
SYSTEMS = "LP HUMAN SYSTEM\nde-en -0.25 online-A.0\nde-en 0.125 MSRA.7\nfi-en 0.5 MSRA.7\n"
FILES = {"mqm_means": MEANS, "da_systems": SYSTEMS}


@pytest.mark.parametrize("name", FILES)
def test_the_layouts_are_recognised(name):
    """By their headers and rows."""
    assert sniff(io.StringIO(FILES[name])).format == name


def test_means_go_by_the_number_of_the_segment():
    """None is missing; positive means are penalties, negative ones are not."""
    (table,) = read_any(io.StringIO(MEANS)).tables
    assert (table.name, table.systems, table.segments) == ("MQM", ("A.1", "B.7"), ("1", "2"))
    assert np.array_equal(table.values, [[2.5, 0], [np.nan, 1.333333]], equal_nan=True)
    assert not table.higher_is_better
    negated = MEANS.replace("2.5", "-2.5").replace("1.3", "-1.3")
    assert bt.read_scores(io.StringIO(negated)).higher_is_better


def test_the_order_of_rows_does_not_matter():
    """Identity before order."""
    head, *rows = MEANS.splitlines()
    again = bt.read_scores(io.StringIO("\n".join([head, *reversed(rows)])))
    first = bt.read_scores(io.StringIO(MEANS)).select(again.systems, again.segments)
    assert np.array_equal(first.values, again.values, equal_nan=True)


def test_assessments_of_systems_by_language_pair():
    """Not for paired tests."""
    reading = read_any(io.StringIO(SYSTEMS))
    assert [(table.name, table.values.ravel().tolist()) for table in reading.tables] == [
        ("de-en DA", [-0.25, 0.125]),
        ("fi-en DA", [0.5]),
    ]
    assert (reading.rows_read, reading.rows_kept) == (3, 3)
    assert [problem.code for problem in reading.problems] == ["BT203"]
    assert bt.read_metrics(io.StringIO(SYSTEMS))["fi-en DA"].segments == ("system",)
    with pytest.raises(bt.ReadError) as caught:
        bt.read_scores(io.StringIO(SYSTEMS))
    assert caught.value.code == "BT103"


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        (
            "mqm_means",
            MEANS + "A.1 1 2\n",
            "BT101",
            'line 6: Segment "2" of system "A.1" already has a score',
        ),
        ("mqm_means", MEANS + "A.1 x 3\n", "BT013", 'line 6: "x" is not a number'),
        ("mqm_means", MEANS + "A.1 3\n", "BT177", "line 6: The line has 2 fields"),
        ("mqm_means", "system mqm_avg_score seg_id\n", "BT011", "no rows below the header"),
        (
            "da_systems",
            SYSTEMS + "de-en 1 MSRA.7\n",
            "BT101",
            r'line 5: System "MSRA\.7" already has a score',
        ),
        ("da_systems", SYSTEMS + "de-en MSRA.7 1\n", "BT177", "line 5: The line is not LP SCORE SYSTEM"),
        ("da_systems", "LP HUMAN SYSTEM\n", "BT011", "no rows below the header"),
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


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_give_a_table_or_our_error(name):
    """Never a foreign exception."""
    assert {"table", "BT177"} <= fuzz(name, 100)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_many_damaged_files_give_a_table_or_our_error(name):
    """The same, often."""
    assert {"table", "BT177"} <= fuzz(name, 600)
