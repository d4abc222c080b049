"""Lists of better and worse systems become matches without ties."""

import io
import random

import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.read.sniff import read_any, sniff

FIVE = "LP DATA SID BETTER WORSE\n"
ROWS = """\
de-en newstest2018 1 B.2 A.1
de-en newstest2018 1 B.2 C.3
de-en newstest2018 2 A.1 C.3
de-en newstest2018 4 C.3 B.2
"""
TABLE = (
    "doc\tdoc_seg_id\tbetter\tworse\nd 1\t1\tB.2\tA.1\nd 1\t1\tB.2\tC.3\nd 1\t2\tA.1\tC.3\nd 2\t1\tC.3\tB.2\n"
)


def matches(text, **options):
    """The only table."""
    (table,) = read_any(io.StringIO(text), bt.Options(**options)).tables
    return table


def won(table):
    """Winner, loser and segment of each row."""
    return [
        (table.systems[a], table.systems[b], s)
        for a, b, s in zip(table.left, table.right, table.segment.tolist(), strict=True)
    ]


EXPECTED = [("B.2", "A.1", 0), ("B.2", "C.3", 0), ("A.1", "C.3", 1), ("C.3", "B.2", 2)]


@pytest.mark.parametrize(
    "text", [FIVE + ROWS, "LP SID BETTER WORSE\n" + ROWS, TABLE], ids=["five", "four", "tsv"]
)
def test_the_better_system_wins(text):
    """With a full header, with WMT18's header of four names over five fields, and with tabs."""
    table = matches(text)
    assert won(table) == EXPECTED
    assert table.systems == ("A.1", "B.2", "C.3")
    assert set(table.outcome.tolist()) == {1.0}
    assert table.group is None
    assert table.notes == ("Pairs read: 4 on 3 segments; there are no ties.",)
    assert sniff(io.StringIO(text)).format == "better_worse"


def test_pairs_are_clustered_by_segment_when_clusters_are_asked_for():
    """They come from the same judgments."""
    table = matches(FIVE + ROWS, cluster=True)
    assert table.group.tolist() == table.segment.tolist() == [0, 0, 1, 2]


def test_several_language_pairs_are_not_mixed():
    """One is chosen, the lines of the others are counted."""
    both = FIVE + ROWS + "ru-en newstest2018 1 X Y\n"
    with pytest.raises(bt.ReadError, match=r"2 language pairs \(de-en: 4, ru-en: 1\)") as caught:
        matches(both)
    assert caught.value.code == "BT178"
    reading = read_any(io.StringIO(both), bt.Options(language_pair="de-en"))
    assert (won(reading.tables[0]), reading.dropped) == (EXPECTED, {"another language pair": 1})
    assert (reading.rows_read, reading.rows_kept) == (5, 4)


def test_repeated_and_contradicting_pairs_are_reported():
    """And kept."""
    text = FIVE + ROWS + "de-en newstest2018 1 A.1 B.2\n" + ROWS.split("\n", maxsplit=1)[0] + "\n"
    reading = read_any(io.StringIO(text))
    assert [problem.code for problem in reading.problems] == ["BT179"]
    assert reading.problems[0].message.startswith("1 pairs occur twice on the same segment and 1 in both")
    assert reading.tables[0].n_matches == 6
    assert not read_any(io.StringIO(FIVE + ROWS)).problems


def test_swapping_the_columns_turns_every_match_round():
    """Antisymmetry: the strengths change their order."""
    swapped = "\n".join(" ".join([*row.split()[:3], *row.split()[:2:-1]]) for row in ROWS.strip().split("\n"))
    assert [(b, a, s) for a, b, s in won(matches(FIVE + swapped))] == EXPECTED


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (FIVE + ROWS + "de-en n 1 B.2\n", "BT177", "line 6: The line has 4 fields where 5"),
        (FIVE + ROWS + "de-en n 1 2 B.2 A.1 x\n", "BT177", "line 6: The line has 7 fields where 5"),
        (FIVE + "de-en n 1 A A\n", "BT123", 'line 2: "A" is listed as better than itself'),
        (TABLE + "d\t1\t\tA.1\n", "BT124", "line 6: The line has an empty field"),
        (TABLE + "\t1\tB\tA.1\n", "BT127", "line 6: The line has an empty field"),
        (FIVE, "BT126", "There are no pairs below the header"),
        (ROWS, "BT120", "line 1: The header must end with BETTER and WORSE"),
    ],
)
def test_damage(text, code, message):
    """Every damage has its place and its cure."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="better_worse")
    assert caught.value.code == code


def fuzz(text, trials):
    """Damaged in many ways."""
    rng = random.Random(f"pairs {trials}")  # noqa: S311  (not for secrets)
    return {
        outcome(lambda data: read_any(data, format="better_worse"), io.BytesIO(damaged(text.encode(), rng)))
        for _ in range(trials)
    }


@pytest.mark.parametrize("text", [FIVE + ROWS, TABLE], ids=["five", "tsv"])
def test_damaged_files_give_a_table_or_our_error(text):
    """Never a foreign exception."""
    assert {"table", "BT177"} <= fuzz(text, 100)


@pytest.mark.slow
@pytest.mark.parametrize("text", [FIVE + ROWS, TABLE], ids=["five", "tsv"])
def test_many_damaged_files_give_a_table_or_our_error(text):
    """The same, often."""
    assert {"table", "BT177"} <= fuzz(text, 600)
