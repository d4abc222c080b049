"""What each segment adds to a sum on which a formula is applied last."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.errors import TableError
from betterthan.tables.counts import Counts, Formula


def _share(sums):
    return sums[..., 0] / sums[..., 1]


ACCURACY = Formula(name="accuracy", pooled=_share)
PERCENT = Formula(name="percent", pooled=_share, segment=lambda values: 100 * _share(values))


def counts_of(values, /, **more):
    """A table of right words and words; systems A, B, …, segments 1, 2, …."""
    values = np.asarray(values)
    fits = {
        "name": "accuracy",
        "systems": [chr(65 + i) for i in range(values.shape[0])],
        "segments": [str(j + 1) for j in range(values.shape[1])],
        "columns": ["right", "words"],
        "values": values,
        "formula": ACCURACY,
    }
    return Counts(**{**fits, **more})


counts = hnp.arrays(
    np.int64, st.tuples(st.integers(1, 4), st.integers(1, 5), st.just(2)), elements=st.integers(1, 50)
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": None}, "A metric name must be text, not NoneType"),
        ({"columns": ["right"]}, r"Counts \(systems × segments × columns\) must have the shape 1 × 2 × 1"),
        ({"columns": ["n", "n"]}, "Each column may occur once"),
        ({"values": [[[1, 2], [1, None]]]}, "Counts must not be missing. Leave out the segments"),
        ({"values": [[[1, 2], [1, np.inf]]]}, r"contain an infinite number at \(0, 1, 1\)"),
        ({"formula": "accuracy"}, "formula must be a Formula, not str"),
        ({"higher_is_better": 1}, "higher_is_better must be True or False, not 1"),
        ({"groups": ["d", "e", "f"]}, "There are 3 groups for 2 segments"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    """A sum with a gap has no meaning."""
    with pytest.raises(TableError, match=message):
        counts_of([[[1, 2], [3, 4]]], **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 3}, "A formula name must be text, not int"),
        ({"pooled": 3}, 'The formula "f" must be made of functions from sums to scores'),
        ({"segment": "mean"}, 'The formula "f" must be made of functions'),
    ],
)
def test_a_formula_has_a_name_and_functions(change, message):
    """Said when it is made, not when it is used."""
    with pytest.raises(TableError, match=message):
        Formula(**{"name": "f", "pooled": _share, **change})


def test_formulas_are_the_same_when_their_names_are():
    """A function has no content that could be compared."""
    again = Formula(name="accuracy", pooled=lambda sums: sums[..., 0] / sums[..., 1])

    assert again == ACCURACY
    assert hash(again) == hash(ACCURACY)
    assert again != PERCENT
    assert counts_of([[[1, 2]]], formula=again) == counts_of([[[1, 2]]])


@given(counts)
def test_pooled_adds_up_first_and_divides_last(values):
    """As a loop over segments would."""
    table = counts_of(values)
    expected = []
    for system in values.tolist():
        right = sum(segment[0] for segment in system)
        words = sum(segment[1] for segment in system)
        expected.append(right / words)

    np.testing.assert_allclose(table.pooled(), expected, rtol=1e-12)


@given(counts)
def test_per_segment_applies_the_formula_to_each(values):
    """Nothing is added up."""
    expected = [[right / words for right, words in system] for system in values.tolist()]

    np.testing.assert_allclose(counts_of(values).per_segment().values, expected, rtol=1e-12)


@given(counts)
def test_pooled_and_per_segment_agree_when_all_segments_are_alike(values):
    """Then the score of the sum is the score of any one."""
    alike = np.repeat(values[:, :1], 3, axis=1)
    table = counts_of(alike)

    np.testing.assert_allclose(table.per_segment().values, np.repeat(table.pooled()[:, None], 3, axis=1))


def test_pooled_is_not_the_mean_of_the_segments():
    """A long segment weighs more in a sum."""
    table = counts_of([[[1, 1], [1, 3]]])

    assert table.pooled().tolist() == [0.5]
    assert table.per_segment().values.mean() == pytest.approx(2 / 3)


def test_segments_may_have_their_own_formula():
    """As sentence BLEU has."""
    table = counts_of([[[1, 2], [1, 4]]], formula=PERCENT)

    assert table.pooled().tolist() == [pytest.approx(1 / 3)]
    assert table.per_segment().values.tolist() == [[50, 25]]


def test_per_segment_and_select_carry_everything_along():
    """Direction, groups, notes."""
    table = counts_of(
        [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], higher_is_better=False, groups=["d", "e"], notes=["Read."]
    )
    scores = table.per_segment()
    chosen = table.select(["B"], ["2", "1"])

    assert (scores.name, scores.systems, scores.segments) == (table.name, table.systems, table.segments)
    assert (scores.higher_is_better, scores.groups, scores.notes) == (False, ("d", "e"), ("Read.",))
    assert (chosen.higher_is_better, chosen.groups, chosen.notes) == (False, ("e", "d"), ("Read.",))
    assert chosen.values.tolist() == [[[7, 8], [5, 6]]]
    assert chosen.per_segment() == scores.select(["B"], ["2", "1"])
    assert table.select() == table
    assert (table.n_systems, table.n_segments) == (2, 2)


def test_a_formula_of_the_wrong_shape_is_found_out():
    """It must keep the leading axes and use up the last."""
    table = counts_of([[[1, 2], [3, 4]]], formula=Formula(name="all", pooled=np.sum))

    with pytest.raises(
        TableError, match="Scores made by the formula all must have the shape 1, but have a single"
    ):
        table.pooled()
    with pytest.raises(TableError, match="must have the shape 1 × 2, but have a single number"):
        table.per_segment()


def test_the_formula_of_a_dictionary_must_be_the_right_one():
    """It is kept by name."""
    with pytest.raises(TableError, match='The counts need the formula "accuracy", not "percent"'):
        Counts.from_dict(counts_of([[[1, 2]]]).to_dict(), formula=PERCENT)


def test_the_text_says_sizes_and_formula():
    """In one line."""
    shown = repr(counts_of([[[1, 2]]]))

    assert shown == "Counts('accuracy', 1 systems × 1 segments × 2 counts, formula accuracy)"
