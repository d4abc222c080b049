"""Results are collections of their rows: len, iteration, names in brackets, `in`, and the best."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.made import a_ranking, drawn_scores, scores_of
from tests.results.every_kind import SYSTEMS, result_of

import betterthan as bt
from betterthan.messages import Message
from betterthan.results.base import NamedRows, encode
from betterthan.results.registry import RESULT_KINDS

# The names of the rows, where they have some.
NAMES = {
    "aggregated": SYSTEMS,
    "audition": ("mcc", "f1_bad"),
    "board": SYSTEMS,
    "board_diff": ("Aster", "Birch", "Cedar", "Daphne"),
    "voters": ("code", "math"),
    "boards": ("code", "math"),
    "counts_explanation": ("pooled", "segment_mean", "bootstrap_mean"),
    "diagnosis": SYSTEMS,
    "explanation": ("mean", "median", "bradley_terry", "shift"),
    "judges": ("Ann", "Ben", "Cy"),
    "meta_evaluation": ("metric-0", "metric-1", "metric-2"),
    "ranking": SYSTEMS,
    "sentence_quality": SYSTEMS,
    "study": ("table-1",),
    "tag_ranking": SYSTEMS,
}
WITH_BEST = {
    "corrected",
    "aggregated",
    "board",
    "meta_evaluation",
    "ranking",
    "sentence_quality",
    "tag_ranking",
}
# One row a cell, a system and measure, or a measure: a tidy table is another shape there.
OTHER_COLUMNS = {"board", "boards", "study", "tag_ranking", "diagnosis"}


def plain(row):
    """A row with missing numbers that are equal."""
    return encode(row)


@pytest.mark.parametrize("kind", RESULT_KINDS)
def test_every_result_has_rows(kind):
    """As many as its length says, each a frozen object with named fields; a place may count from the end."""
    result = result_of(kind)
    rows = list(result)

    assert len(rows) == len(result)
    assert rows or kind == "checkup"
    assert bool(result)
    for i, row in enumerate(rows):
        assert type(row) is type(result).row_type
        assert plain(result[i]) == plain(result[i - len(rows)]) == plain(row)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(row, dataclasses.fields(row)[0].name, 1)
    for outside in (len(rows), -len(rows) - 1):
        with pytest.raises(
            IndexError, match=f"There are {len(rows)} rows, and none has the number {outside}"
        ):
            result[outside]
    with pytest.raises(TypeError, match="A row is identified by a name or an integer, not by float"):
        result[1.0]


@pytest.mark.parametrize("kind", sorted(set(RESULT_KINDS) - OTHER_COLUMNS))
def test_rows_agree_with_the_columns(kind):
    """Where both have a name, they have the same values, in the same order, as plain Python values."""
    result = result_of(kind)
    columns = result.columns()
    fields = {field.name for field in dataclasses.fields(type(result).row_type)}

    assert {len(column) for column in columns.values()} == {len(result)}
    shared = fields & set(columns)
    assert len(shared) >= min(3, len(columns))
    for name in shared:
        values = [getattr(row, name) for row in result]
        np.testing.assert_array_equal(values, list(columns[name]))
        plain = {str if isinstance(value, Message) else type(value) for value in values}
        assert plain <= {str, float, int, bool, type(None)}


@pytest.mark.parametrize("kind", NAMES)
def test_rows_are_found_by_name(kind):
    """A name that is not there is an UnknownName with a suggestion, and a KeyError, as Python expects."""
    result = result_of(kind)

    assert isinstance(result, NamedRows)
    for name in NAMES[kind]:
        assert name in result
        row = result[name]
        assert name in dataclasses.asdict(row).values()
    typo = f"{NAMES[kind][0]}x"
    assert typo not in result
    assert 0 not in result
    with pytest.raises(KeyError) as error:
        result[typo]
    assert isinstance(error.value, bt.UnknownName)
    assert error.value.suggestion == NAMES[kind][0]
    assert str(error.value).startswith(f'Unknown {type(result).row_noun} "{typo}". Did you mean')


@pytest.mark.parametrize("kind", RESULT_KINDS)
def test_the_best_is_the_first(kind):
    """Where rows are in an order of merit."""
    result = result_of(kind)
    if kind in WITH_BEST:
        real = [name for name in result._row_names() if not getattr(result[name], "is_synthetic", False)]
        assert result.best == real[0]
        assert result.best in result
    else:
        assert kind == "agreement" or not hasattr(result, "best")


def test_a_synthetic_labelling_is_never_the_best():
    """It is no system, even where it has the highest score."""
    ranking = result_of("tag_ranking")
    first = np.zeros(len(ranking), dtype=bool)
    first[0] = True

    assert dataclasses.replace(ranking, is_synthetic=first).best == ranking.systems[1]


def test_without_a_value_there_is_no_best():
    """Undefined is not a rank."""
    with pytest.raises(bt.NotEstimable, match="There is no best row, because"):
        a_ranking(strength=[np.nan, np.nan]).best  # noqa: B018


def test_numbers_of_an_optional_column_may_be_absent():
    """The spread over orders is there for Elo and TrueSkill only."""
    assert a_ranking()["Aster"].order_spread is None
    assert a_ranking(order_spread=np.array([1.0, 2.0]))["Birch"].order_spread == 2.0


def test_a_pair_is_found_by_two_names():
    """As by pair(), in both directions; one name gives all pairs of a system; iteration gives each pair once."""
    pairs = result_of("pairwise")

    assert len(pairs) == 6
    assert list(pairs) == pairs.pairs()
    for a in SYSTEMS:
        assert pairs[a] == tuple(pairs.pair(a, b) for b in pairs.systems if b != a)
        for b in SYSTEMS:
            assert plain(pairs[a, b]) == plain(pairs.pair(a, b))
            assert ((a, b) in pairs) == (a != b)
    assert "Aster" in pairs
    assert "Asters" not in pairs
    assert ("Aster", "Asters") not in pairs
    assert ("Aster",) not in pairs
    for key in ("Asters", ("Aster", "Asters")):
        with pytest.raises(KeyError, match=r'Unknown system "Asters"\. Did you mean "Aster"\?'):
            pairs[key]


def test_one_system_has_no_pairs():
    """And is a result all the same."""
    pairs = bt.compare(drawn_scores(2, 9))
    alone = dataclasses.replace(
        pairs,
        systems=("A",),
        **{
            name: getattr(pairs, name)[:1, :1]
            for name in ("effect", "low", "high", "size", "wins", "ties", "losses")
        },
        **{
            name: getattr(pairs, name)[:1, :1]
            for name in ("pvalue", "adjusted", "p_low", "p_high", "p_method")
        },
    )
    assert (len(alone), list(alone), bool(alone), alone["A"]) == (0, [], True, ())


def test_two_rankings_are_found_by_their_names():
    """Seen from the first: what is flipped turns round."""
    scores = scores_of([[9.0, 1.0, 1.0], [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]])
    agreement = bt.agreement({by: bt.rank(scores, by=by) for by in ("mean", "median")})
    forth, back = agreement["mean", "median"], agreement["median", "mean"]

    assert (forth.first, back.first) == ("mean", "median")
    assert forth.flipped_pairs == (("A", "B"),)
    assert back.flipped_pairs == (("B", "A"),)
    assert "mean" in agreement
    assert ("median", "mean") in agreement
    assert ("mean", "mode") not in agreement
    with pytest.raises(KeyError, match='Unknown ranking "mode"'):
        agreement["mean", "mode"]
    with pytest.raises(KeyError, match="Unknown pair of rankings"):
        agreement["mean", "mean"]


def test_identical_outputs_are_found_by_two_systems():
    """All segments on which the two agree word for word."""
    identical = result_of("identical_outputs")

    assert [twin.segment for twin in identical["Cedar", "Aster"]] == ["2"]
    assert identical["Aster", "Cedar"] == identical["Cedar", "Aster"]
    assert "Aster" in identical
    with pytest.raises(KeyError, match='Unknown system "Asta"'):
        identical["Asta", "Cedar"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: result_of("explanation").mechanism("means"),
        lambda: result_of("explanation").flip("means"),
        lambda: result_of("counts_explanation").aggregation("pool"),
        lambda: result_of("study").table("table-2"),
        lambda: result_of("study").chart("figure-2"),
        lambda: result_of("tag_ranking").above("mccs"),
        lambda: result_of("meta_evaluation").pvalue("metric-0", "metric-9"),
    ],
)
def test_a_method_that_takes_a_name_suggests_the_nearest(call):
    """Instead of a StopIteration or a ValueError of Python's own."""
    with pytest.raises(bt.UnknownName, match="Did you mean"):
        call()
