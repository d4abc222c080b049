"""Relative rankings of several systems a row, as the WMT campaigns published them."""

import csv
import io
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt
from betterthan.read.formats.battles.rankings import read_rankings
from betterthan.read.sniff import read_any, sniff

HEADER = [
    *("srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"),
    *(f"system{i}{what}" for i in range(1, 6) for what in ("Number", "Id")),
    *(f"system{i}rank" for i in range(1, 6)),
]


def table(*rows, languages=("Czech", "English")):
    """Rows (segment, judge, systems, ranks) in the layout of WMT13: twenty-one columns."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(HEADER)
    for segment, judge, systems, ranks in rows:
        numbered = [cell for i, name in enumerate(systems, 1) for cell in (i, name)]
        writer.writerow([*languages, segment, -1, segment, judge, *numbered, *ranks])
    return io.StringIO(text.getvalue())


FIXTURE = (
    (3, "x", "ABCDE", (1, 2, 2, 5, -1)),
    (3, "y", "EDCBA", (1, 1, 4, 2, 3)),
    (8, "x", "BADCE", (3, -1, -1, -1, -1)),
)


def rows_of(matches):
    """Matches as (winner's side, names, segment, group)."""
    return [
        (matches.systems[a], matches.systems[b], outcome, segment, group)
        for a, b, outcome, segment, group in zip(
            matches.left.tolist(),
            matches.right.tolist(),
            matches.outcome.tolist(),
            matches.segment.tolist(),
            matches.group.tolist(),
            strict=True,
        )
    ]


def test_a_row_of_five_becomes_the_matches_of_all_judged_pairs():
    """Six pairs of four judged systems, ten of five, none of one; 1 is best and equal ranks are ties."""
    reading = read_any(table(*FIXTURE))
    (matches,) = reading.tables
    found = rows_of(matches)
    assert reading.format.name == "rankings"
    assert found[:6] == [
        ("A", "B", 1.0, 0, 0),
        ("A", "C", 1.0, 0, 0),
        ("A", "D", 1.0, 0, 0),
        ("B", "C", 0.5, 0, 0),
        ("B", "D", 1.0, 0, 0),
        ("C", "D", 1.0, 0, 0),
    ]
    assert len(found) == 16
    assert found[6] == ("E", "D", 0.5, 0, 1)
    assert (reading.rows_read, reading.rows_kept) == (3, 2)
    assert reading.dropped == {"fewer than two judged": 1}
    assert matches.notes == (
        "Rankings read: 3; they make 16 matches, 2 of them ties.",
        "5 of 15 outputs shown were not judged.",
    )


def test_the_layout_is_recognised_and_two_systems_a_row_are_battles():
    """WMT13 and WMT16 are told apart by the number of systems."""
    found = sniff(table(*FIXTURE))
    assert (found.format, found.kind) == ("rankings", "matches")
    assert found.because == "5 systems and their ranks in each row"
    pairs = (
        "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
    )
    assert sniff(io.StringIO(pairs + "ron,eng,1,1,j,A,1,B,2,77\n")).format == "battles"


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from("xyz"),
            st.permutations("ABCDEF").map(lambda p: p[:5]),
            st.lists(st.sampled_from([-1, 1, 2, 3, 4, 5]), min_size=5, max_size=5),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_wins_and_ties_are_those_of_a_plain_loop(rows):
    """Counted from the rows by a loop over pairs."""
    wins, ties = {}, {}
    for _, _, systems, ranks in rows:
        for (a, x), (b, y) in combinations(zip(systems, ranks, strict=True), 2):
            if x > 0 and y > 0:
                if x == y:
                    ties[a, b] = ties.get((a, b), 0) + 1
                    ties[b, a] = ties.get((b, a), 0) + 1
                else:
                    key = (a, b) if x < y else (b, a)
                    wins[key] = wins.get(key, 0) + 1
    if not (wins or ties):
        with pytest.raises(bt.ReadError, match="No row ranks two systems"):
            read_rankings(table(*rows))
        return
    matches = read_rankings(table(*rows))
    m = matches.systems
    for counted, found in ((wins, matches.wins()), (ties, matches.ties())):
        expected = [[counted.get((a, b), 0) for b in m] for a in m]
        np.testing.assert_array_equal(found, expected)


COLLAPSED = (
    (1, "x", ("A", "B,C", "D", "E", "F+G"), (1, 2, 3, -1, 3)),
    (2, "x", ("F", "G", "A", "H+I", "C"), (1, 2, 3, 4, 5)),
)


def test_systems_with_one_output_share_its_matches():
    """A comma always parts names; a plus only where both names occur by themselves."""
    matches = read_rankings(table(*COLLAPSED))
    assert matches.systems == ("A", "B", "C", "D", "F", "G", "H+I")
    first = [row[:3] for row in rows_of(matches) if row[3] == 0]
    assert set(first) == {
        *{("B", "C", 0.5), ("F", "G", 0.5), ("A", "B", 1.0), ("A", "C", 1.0), ("A", "D", 1.0)},
        *{
            ("A", "F", 1.0),
            ("A", "G", 1.0),
            ("B", "D", 1.0),
            ("C", "D", 1.0),
            ("B", "F", 1.0),
            ("B", "G", 1.0),
        },
        *{("C", "F", 1.0), ("C", "G", 1.0), ("D", "F", 0.5), ("D", "G", 0.5)},
    }
    assert len(first) == 15
    assert (
        matches.notes[-1] == "2 pairs of systems shown as one, with identical outputs, were counted as ties."
    )
    dropped = read_rankings(table(*COLLAPSED), identical="drop")
    assert dropped.n_matches == matches.n_matches - 2
    assert dropped.notes[-1].endswith("were left out.")


def test_an_unknown_treatment_is_refused():
    """With the known ones."""
    with pytest.raises(bt.UnknownName, match='Unknown treatment of identical outputs "half"'):
        read_rankings(table(*FIXTURE), identical="half")


@pytest.mark.parametrize(
    ("rows", "code", "message"),
    [
        (
            [(1, "x", "ABCDE", (1, 2, 0, 4, 5))],
            "BT121",
            r'line 2: "0" is not a rank \(column "system3rank"\)',
        ),
        ([(1, "x", "ABCDE", (1, 1.5, 3, 4, 5))], "BT121", 'line 2: "1.5" is not a rank'),
        ([(1, "x", "ABCDE", (1, 2, -2, 4, 5))], "BT121", 'line 2: "-2" is not a rank'),
        ([(1, "x", "ABCDE", (1, "two", 3, 4, 5))], "BT013", '"two" is not a number'),
        ([(1, "x", ["A", "B", "", "D", "E"], (1, 2, 3, 4, 5))], "BT124", "A system is ranked but not named"),
        ([(1, "x", "ABADE", (1, 2, 3, 4, 5))], "BT123", 'System "A" is ranked twice in the row'),
        ([(1, "", "ABCDE", (1, 2, 3, 4, 5))], "BT127", 'no value in column "judgeId"'),
        ([(1, "x", "ABCDE", (1, -1, -1, -1, -1))], "BT126", "No row ranks two systems"),
    ],
)
def test_what_is_no_ranking_is_refused_with_its_line(rows, code, message):
    """Nothing is guessed and nothing dropped in silence."""
    with pytest.raises(bt.ReadError, match=message) as raised:
        read_rankings(table(*rows))
    assert raised.value.code == code


def test_an_empty_cell_without_a_rank_is_not_judged():
    """Four systems in a row made for five."""
    matches = read_rankings(table((1, "x", ["A", "B", "C", "D", ""], (1, 2, 3, 4, ""))))
    assert matches.n_matches == 6


def test_one_pair_of_languages_at_a_time():
    """Systems of two language pairs never met."""
    text = table(*FIXTURE).getvalue() + "\n".join(
        table(*FIXTURE[:2], languages=("German", "English")).getvalue().splitlines()[1:]
    )
    with pytest.raises(bt.ReadError, match=r'2 language pairs .* Choose one with languages="Czech-English"'):
        read_rankings(io.StringIO(text))
    reading = read_any(io.StringIO(text), bt.Options(language_pair="German-English"))
    assert (reading.tables[0].n_matches, reading.dropped) == (16, {"other languages": 3})
    with pytest.raises(bt.UnknownName, match='Unknown pair of languages "German-Engish"'):
        read_rankings(io.StringIO(text), languages="German-Engish")


def test_a_frame_is_as_good_as_a_file_and_judges_are_optional():
    """Without a judge every row is a group of its own; without columns the message names them."""
    rows = {
        f"system{i}{what}": cells for i in (1, 2) for what, cells in (("Id", [f"S{i}"] * 2), ("rank", [i, 1]))
    }
    matches = read_rankings(rows)
    assert matches.segment is None
    assert matches.group.tolist() == [0, 1]
    assert matches.outcome.tolist() == [1.0, 0.5]
    with pytest.raises(bt.ReadError, match="No columns system1Id, system1rank"):
        read_rankings({"a": [1], "b": [2]})


def test_rankings_can_be_ranked():
    """By Bradley–Terry with errors clustered by judge, and by TrueSkill."""
    rng = np.random.default_rng(2)
    rows = []
    for segment in range(40):
        seen = rng.normal(size=5) - np.arange(5)
        rows.append((segment, f"j{segment % 8}", "ABCDE", (np.argsort(np.argsort(-seen)) + 1).tolist()))
    matches = read_rankings(table(*rows))
    for by in ("bradley_terry", "trueskill"):
        ranking = bt.rank(matches, by=by)
        assert ranking.systems[0] == "A"
        assert ranking.systems[-1] == "E"
        assert (ranking.low < ranking.high).all()
