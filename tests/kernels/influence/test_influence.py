"""The fewest segments that turn a verdict, against trying all subsets."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.everyday import examples

from betterthan.errors import UnknownName
from betterthan.kernels.influence import influence
from betterthan.kernels.influence.influence import (
    flips_mean,
    flips_median,
    flips_wins,
)

eighths = st.integers(-16, 16).map(lambda k: k / 8)
gaps = hnp.arrays(np.float64, st.integers(1, 8), elements=eighths)
score_pairs = st.integers(1, 8).flatmap(lambda n: hnp.arrays(np.float64, (2, n), elements=eighths))
untils = st.sampled_from(["reversed", "level"])

LEADS = {
    flips_mean: lambda d: d.sum(),
    flips_wins: lambda d: np.sign(d).sum(),
}


def turned(lead, now, until):
    """Whether the sign of `now` is another than that of `lead`."""
    return now * lead < 0 or (until == "level" and now == 0)


def fewest(statistic, n, until):
    """Brute force over all subsets that leave a segment; None if there is none."""
    lead = statistic(np.arange(n))
    if lead == 0:
        return None
    for k in range(1, n):
        for removed in itertools.combinations(range(n), k):
            kept = np.setdiff1d(np.arange(n), removed)
            if turned(lead, statistic(kept), until):
                return k
    return None


@pytest.mark.parametrize("flips", LEADS)
@given(d=gaps, until=untils)
def test_no_fewer_segments_turn_a_verdict_on_differences(flips, d, until):
    """Mean and wins are exact."""
    found = flips(d, until=until)
    best = fewest(lambda kept: LEADS[flips](d[kept]), d.size, until)

    assert found.is_exact
    assert (found.n_removed if found.is_possible else None) == best
    if found.is_possible:
        rest = np.delete(d, found.indices)
        assert turned(LEADS[flips](d), LEADS[flips](rest), until)


@given(score_pairs, untils)
@settings(max_examples=examples(100))
def test_no_fewer_segments_turn_the_medians(scores, until):
    """Small tables are searched to the end."""
    found = flips_median(*scores, until=until)
    best = fewest(
        lambda kept: np.median(scores[0, kept]) - np.median(scores[1, kept]), scores.shape[1], until
    )

    assert found.is_exact
    assert (found.n_removed if found.is_possible else None) == best


@given(score_pairs, untils)
@settings(max_examples=examples(100))
def test_large_tables_remove_at_most_one_segment_too_many(scores, until):
    """Without the search over subsets, and what is removed does turn the medians."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(influence, "_FEW_SUBSETS", 0)
        found = flips_median(*scores, until=until)
    best = fewest(
        lambda kept: np.median(scores[0, kept]) - np.median(scores[1, kept]), scores.shape[1], until
    )

    assert found.is_possible == (best is not None)
    if found.is_possible:
        assert best <= found.n_removed <= best + 1
        assert found.n_removed == best or not found.is_exact
        kept = np.delete(scores, found.indices, axis=1)
        lead = np.median(scores[0]) - np.median(scores[1])
        assert turned(lead, np.median(kept[0]) - np.median(kept[1]), until)


@given(gaps, untils)
def test_the_other_system_gets_the_same_answer(d, until):
    """Swapping the systems removes as many segments."""
    for flips in LEADS:
        assert flips(d, until=until).n_removed == flips(-d, until=until).n_removed


def test_missing_segments_keep_their_numbers():
    """Indices are those of the table, and a missing segment is never removed."""
    d = np.array([np.nan, 5.0, -1.0, np.nan, 1.0, -1.0])

    assert flips_mean(d).indices.tolist() == [1]
    assert flips_wins(np.array([np.nan, 5.0, 2.0, -1.0])).indices.tolist() == [1, 2]
    first, second = np.array([np.nan, 5.0, 1.0, 2.0, -3.0]), np.array([0.0, 0.0, 0.5, np.nan, 0.0])
    assert flips_median(first, second).indices.tolist() == [1]
    assert not flips_median(np.full(3, np.nan), np.zeros(3)).is_possible


def test_rounding_is_no_lead():
    """0.1 + 0.2 − 0.3 is not zero in binary, and still nobody leads."""
    assert not flips_mean(np.array([0.1, 0.2, -0.3])).is_possible


def test_one_segment_decides_the_figure_one_medians():
    """A leads B by 11 to 7; without the middle segment the medians are 8.5 and 9.5."""
    a, b = np.array([1.0, 5, 11, 12, 17]), np.array([2.0, 6, 7, 13, 18])
    found = flips_median(a, b)

    assert found.n_removed == 1
    kept = np.delete(np.array([a, b]), found.indices, axis=1)
    assert np.median(kept[0]) < np.median(kept[1])


def test_unknown_ends_are_refused():
    """With the choices."""
    with pytest.raises(UnknownName, match='Unknown until "reverse"'):
        flips_mean(np.ones(2), until="reverse")
    with pytest.raises(UnknownName, match='Unknown until "reverse"'):
        flips_median(np.ones(2), np.zeros(2), until="reverse")


def test_a_segment_put_back_gives_the_medians_that_sorting_gives():
    """Also with ties and with one segment kept."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        values = rng.integers(0, 9, rng.integers(2, 12)) / 4
        kept = np.zeros(values.size, dtype=bool)
        kept[rng.permutation(values.size)[: 2 * rng.integers(0, values.size // 2) + 1]] = True
        others = np.nonzero(~kept)[0]
        medians = [np.median(values[np.append(np.nonzero(kept)[0], other)]) for other in others]
        assert influence._medians_with(values, kept, others).tolist() == medians


def test_many_segments_are_put_back_at_once():
    """One by one, 100,000 segments would take a quarter of an hour."""
    rng = np.random.default_rng(6)
    scores = np.array([rng.normal(0.3, 1, 100_001), rng.normal(0, 1, 100_001)])
    found = flips_median(*scores)
    kept = np.delete(scores, found.indices, axis=1)
    assert found.is_possible
    assert np.median(kept[0]) < np.median(kept[1])
