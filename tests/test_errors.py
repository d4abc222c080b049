"""The exception tree, and "did you mean"."""

import copy
import pickle
import time

import pytest

from betterthan.errors import (
    BetterThanError,
    BetterThanWarning,
    MissingExtra,
    MissingScores,
    NotConverged,
    NotEstimable,
    OverBudget,
    ReadError,
    TableError,
    UnknownName,
    some_of,
    unknown_name,
)

ERRORS = [
    BetterThanError("Something."),
    ReadError('"n/a" is not a number.', path="scores.tsv", line=14, code="BT101"),
    TableError("Shapes."),
    MissingScores("Cells."),
    NotEstimable("No answer.", systems=["A", "B"]),
    NotConverged("Still moving.", iterations=7, last_change=0.5),
    OverBudget("Too much."),
    UnknownName("Unknown.", choices=["a", "b"], suggestion="a"),
    MissingExtra("The chart", extra="charts"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
class TestEveryError:
    def test_can_be_caught_as_our_error_and_as_a_value_error(self, error):
        """One except clause is enough, and code that expects ValueError keeps working."""
        assert isinstance(error, BetterThanError)
        assert isinstance(error, ValueError)

    @pytest.mark.parametrize("sent", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])  # noqa: S301  (our own bytes)
    def test_arrives_whole_from_a_worker(self, error, sent):
        """An error raised in another process keeps its type, its message and its facts."""
        arrived = sent(error)

        assert type(arrived) is type(error)
        assert str(arrived) == str(error)
        assert vars(arrived) == vars(error)


def test_the_warning_is_a_user_warning():
    """Python shows it by default."""
    assert issubclass(BetterThanWarning, UserWarning)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ({}, "Odd."),
        ({"path": "a.tsv"}, "a.tsv: Odd."),
        ({"line": 3}, "line 3: Odd."),
        ({"path": "a.tsv", "line": 3}, "a.tsv, line 3: Odd."),
    ],
)
def test_a_read_error_says_the_place_as_far_as_known(place, text):
    """The place comes first, then the message."""
    error = ReadError("Odd.", **place)

    assert str(error) == text
    assert error.message == "Odd."


def test_a_missing_extra_says_how_to_install_it():
    """The cure can be pasted."""
    assert str(MissingExtra("The chart", extra="charts")) == (
        "The chart needs an optional package: pip install 'betterthan[charts]' installs it "
        "(in a clone: pip install '.[charts]')."
    )


@pytest.mark.parametrize(
    ("given", "suggestion"),
    [("bradley_tery", "bradley_terry"), ("COMET", "comet"), ("zzz", None), ("", None), (5, None)],
)
def test_an_unknown_name_is_answered_with_the_nearest(given, suggestion):
    """Slips and capitals are recognized; what resembles nothing gets no suggestion."""
    error = unknown_name("method", given, ["mean", "comet", "bradley_terry"])

    assert error.suggestion == suggestion
    assert error.choices == ("bradley_terry", "comet", "mean")
    assert f'Unknown method "{given}".' in str(error)
    assert ("Did you mean" in str(error)) == (suggestion is not None)


def test_many_choices_are_searched_in_no_time_and_listed_in_part():
    """A wrong segment among a hundred thousand long names is answered at once."""
    names = [f"a-rather-long-document-name-2024/segment-{i:06d}" for i in range(100_000)]
    start = time.process_time()
    error = unknown_name("segment", "a-rather-long-document-name-2024/segment-0500x1", names)

    assert time.process_time() - start < 5
    assert error.suggestion is not None
    assert "and 99980 more" in str(error)


@pytest.mark.parametrize(
    ("names", "text"),
    [([], ""), (["A"], "A"), (["A", "B"], "A, B"), (["A", "B", "C"], "A, B and 1 more"), ([1, 2], "1, 2")],
)
def test_some_names_are_listed_and_the_rest_counted(names, text):
    """Exactly the limit is listed in full."""
    assert some_of(names, limit=2) == text
