"""Winners coded by numbers: asked about, unless the file tells what they mean."""

import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.errors import ReadError

AB = ("model_a", "model_b")


def battles(winners, columns=AB, winner="winner"):
    """Battles of "good", always first, against "bad"."""
    n = len(winners)
    return {columns[0]: ["good"] * n, columns[1]: ["bad"] * n, winner: list(winners)}


def wins(matches):
    """Wins of "good", ties, and wins of "bad"."""
    good = matches.systems.index("good")
    result = [0.0, 0.0, 0.0]
    for left, outcome, weight in zip(matches.left, matches.outcome, matches.weight, strict=True):
        share = outcome if left == good else 1 - outcome
        result[int(2 - 2 * share)] += weight
    return tuple(result)


UNCLEAR = {
    "0 and 1": (["0", "1", "1"], AB),
    "numbers of a frame": ([0, 1, 1], AB),
    "with decimals": ([0.0, 1.0, 1.0], AB),
    "only 1": (["1", "1"], AB),
    "1 and 2 without numbered columns": (["1", "2", "1"], AB),
    "0 and 1 with numbered columns": (["0", "1"], ("model_1", "model_2")),
    "-1, 0 and 1": (["-1", "0", "1"], AB),
    "0, 1 and 2": (["0", "1", "2"], ("left", "right")),
    "with the word tie": (["0", "1", "tie"], AB),
}


@pytest.mark.parametrize(("winners", "columns"), few(UNCLEAR.values(), 4, tuples=True), ids=UNCLEAR)
def test_numbers_that_nothing_explains_stop(tmp_path, winners, columns):
    """In memory and in a file, with the option that settles it."""
    data = battles(winners, columns)
    path = tmp_path / "battles.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in (data, *zip(*data.values(), strict=True))))
    for source in (data, path):
        with pytest.raises(ReadError, match="coded by numbers") as error:
            bt.read_matches(source)
        assert error.value.code == "BT221"
        assert f'winner_labels={{"{winners[0]}": ' in error.value.message
        checked = bt.check(source)
        assert checked.exit_code == 1
        assert not checked.problems[0].is_doubt


CLEAR = {
    "shares with ties": (battles(["1", "0.5", "0", "1"]), (2, 1, 1)),
    "files written by betterthan": (battles([1, 1, 0], ("a", "b"), "outcome"), (2, 0, 1)),
    "numbered columns": (battles(["1", "2", "2"], ("model_1", "model_2")), (1, 0, 2)),
    "numbered columns and ties": (battles(["1", "2", "0"], ("system1_id", "system2_id")), (1, 1, 1)),
    "preferences": (battles(["1", "2", "1.5"], ("generator_1", "generator_2"), "preference"), (1, 1, 1)),
    "names": (battles(["good", "bad", "good"]), (2, 0, 1)),
    "letters": (battles(["a", "b", "A"]), (2, 0, 1)),
}


@pytest.mark.parametrize(("data", "expected"), CLEAR.values(), ids=CLEAR)
def test_numbers_that_the_file_explains_are_read(data, expected):
    """Without a word."""
    assert wins(bt.read_matches(data)) == expected


def test_numbers_that_are_names_and_sides_are_doubted():
    """Systems called 1 and 2: the winner may be a name or a side, and the two readings differ."""
    data = {"left": ["1", "2", "1"], "right": ["2", "1", "2"], "winner": ["2", "2", "1"]}
    with pytest.raises(
        ReadError, match=r'The winner "2" is the name of the left system but also a word for "right"'
    ):
        bt.read_matches(data)
    named = {name: [f"S{cell}" for cell in cells] for name, cells in data.items()}
    assert bt.rank(bt.read_matches(named), by="win_rate").systems[0] == "S2"


SAID = {
    "1 won": (["1", "0", "1"], {"1": "left", "0": "right"}, (2, 0, 1)),
    "counted from 0": ([1, 0, 1], {0: "left", 1: "right"}, (1, 0, 2)),
    "of floats": ([1.0, 0.0], {"1": "left", "0": "right"}, (1, 0, 1)),
    "three": (["-1", "0", "1"], {"-1": "left", "0": "tie", "1": "right"}, (1, 1, 1)),
    "words": (
        ["first", "second", "neither"],
        {"first": "left", "second": "right", "neither": "tie"},
        (1, 1, 1),
    ),
}


@pytest.mark.parametrize(("winners", "labels", "expected"), SAID.values(), ids=SAID)
def test_the_user_says_what_labels_mean(winners, labels, expected):
    """Numbers or words."""
    assert wins(bt.read_matches(battles(winners), winner_labels=labels)) == expected


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"1": "good"}, "is not an outcome"),
        ({"7": "left"}, "No winner is labeled 7. Labels in the data: 0, 1."),
    ],
)
def test_labels_must_be_there_and_mean_something(labels, said):
    """A slip is named."""
    with pytest.raises(ReadError, match=said) as error:
        bt.read_matches(battles(["0", "1"]), winner_labels=labels)
    assert error.value.code == "BT222"


def test_a_letter_that_is_also_a_system_is_doubted():
    """The side a, or the system A on the other side?"""
    with pytest.raises(
        ReadError, match='winner "A" is the name of the right system but also a word for "left"'
    ):
        bt.read_matches({"left": ["B", "A"], "right": ["A", "B"], "winner": ["a", "a"]})


def test_what_is_written_is_read_back(tmp_path):
    """Outcomes 0 and 1 without a tie, too."""
    matches = bt.read_matches(battles(["left", "right", "left"]))
    path = tmp_path / "out.csv"
    bt.write_table(matches, path)
    assert wins(bt.read_matches(path)) == (2, 0, 1)
