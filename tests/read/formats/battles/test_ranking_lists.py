"""Rankings in a column: text and JSON, ties, lists of the best, judges, and what is wrong with them."""

import io
import itertools

import numpy as np
import pytest

import betterthan as bt
from betterthan.analysis.matches.ranking_lists import rankings_of
from betterthan.read.sniff import read_any, sniff

TEXT = "judge,ranking\nx,A > B = C > D\nx,B > A > *\ny,A > D\n"


def read(text, **options):
    """The matches of a file."""
    return read_any(io.StringIO(text), bt.Options(**options)).tables[0]


def test_a_row_becomes_matches_of_every_two():
    """Ties, and all other systems below."""
    assert sniff(io.StringIO(TEXT)).format == "ranking_lists"
    matches = read(TEXT, cluster=True)
    assert matches.systems == ("A", "B", "C", "D")
    assert matches.n_matches == 6 + 5 + 1
    assert matches.ties().sum() == 2
    assert matches.wins()[0].tolist() == [0, 1, 2, 3]
    assert sorted(set(zip(matches.segment.tolist(), matches.group.tolist(), strict=True))) == [
        (0, 0),
        (1, 0),
        (2, 1),
    ]
    assert read(TEXT).group is None
    assert read(TEXT, columns={"judge": "judge"}).group is not None


def test_json_says_the_same():
    """As JSON lines, and as JSON in cells; and from a frame."""
    lines = '{"ranking": ["A", ["B", "C"], "D"]}\n{"ranking": ["B", "A", "*"]}\n{"ranking": ["A", "D"]}\n'
    columns = {"ranking": ["A > B = C > D", "B > A > *", "A > D"]}
    assert read(lines) == read(TEXT)
    assert read_any(columns, bt.Options()).tables[0] == read(TEXT)


@pytest.mark.parametrize(
    ("row", "code", "words"),
    [
        ("A > > B", "BT124", "no name"),
        ("A > B > A", "BT123", "ranked twice"),
        ("[1, 2]", "BT121", "names of systems"),
        ('["A", "B"', "BT121", "not JSON"),
        ("", "BT121", "empty"),
        ("* > A", "BT124", "no name"),
    ],
)
def test_errors_name_the_row(row, code, words):
    """With the place."""
    quoted = row.replace('"', '""')
    with pytest.raises(bt.ReadError, match=words) as error:
        read(f'ranking,x\nA > B,1\nB > A,2\n"{quoted}",3\n')
    assert error.value.code == code
    assert error.value.line == 4


def test_rankings_are_recovered_from_their_matches():
    """Every choice of every ranking, also of the best only and with judges."""
    rng = np.random.default_rng(0)
    rows, expected = [], {}
    names = "ABCDEF"
    for _ in range(300):
        items = rng.permutation(list(names))[: rng.integers(2, 7)].tolist()
        places = []
        while items:
            k = 2 if len(items) > 1 and rng.random() < 0.3 else 1
            places.append(items[:k])
            items = items[k:]
        is_best_only = rng.random() < 0.3
        left = set(names) if is_best_only else {name for place in places for name in place}
        for place in places:
            if len(left) > 1:
                key = frozenset(left), frozenset(place)
                expected[key] = expected.get(key, 0) + 1
            left = left - set(place)
        rows.append(
            " > ".join(" = ".join(place) for place in places) + (" > *" if is_best_only and left else "")
        )
    columns = {"ranking": rows, "judge": [f"J{i % 7}" for i in range(300)]}
    matches = read_any(columns, bt.Options(cluster=True)).tables[0]
    found = rankings_of(matches)
    got = {
        (frozenset(itertools.compress(names, a)), frozenset(itertools.compress(names, c))): w
        for a, c, w in zip(found.stages.available, found.stages.chosen, found.weight, strict=True)
    }
    assert got == expected
    assert found.times.sum() == found.weight.sum() == sum(expected.values())
    assert np.unique(found.cluster).size == 7


def test_battles_are_not_rankings():
    """Without segments, and with segments that do not make a ranking."""
    battles = {"left": ["A", "B", "C"], "right": ["B", "C", "A"], "winner": ["left"] * 3}
    with pytest.raises(bt.TableError, match="needs rankings"):
        bt.rank(battles, by="plackett_luce")
    circle = bt.Matches(
        systems=["A", "B", "C"], left=[0, 1, 2], right=[1, 2, 0], outcome=[1, 1, 1], segment=[0, 0, 0]
    )
    with pytest.raises(bt.TableError, match="do not form a ranking"):
        bt.rank(circle, by="plackett_luce")
    with pytest.raises(bt.NotEstimable, match="never won"):
        bt.rank({"ranking": ["A > B"] * 3}, by="plackett_luce")
    with pytest.raises(bt.BetterThanError, match="analytic intervals"):
        bt.rank({"ranking": ["A > B", "B > A"]}, by="plackett_luce", interval="percentile")
