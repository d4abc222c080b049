"""Ranking and comparing counts: the pooled score, its interval and its permutation test."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import accuracy_counts, by_system, drawn_counts, drawn_scores

import betterthan as bt

FAST = {"n_resamples": 99}


def test_pooling_weights_segments_by_their_size():
    """One long segment and one short: the pooled score follows the long one, the mean of segments does not."""
    table = accuracy_counts([[[9, 10], [0, 2]], [[6, 10], [2, 2]]])

    assert by_system(bt.rank(table, **FAST)) == pytest.approx({"A": 9 / 12, "B": 8 / 12})
    assert by_system(bt.rank(table, by="mean", **FAST)) == pytest.approx({"A": 0.45, "B": 0.8})
    assert bt.rank(table, **FAST).systems == ("A", "B")
    assert bt.rank(table.per_segment(), **FAST).systems == ("B", "A")


def test_pooled_and_segment_scores_agree_when_all_segments_are_alike():
    """Equal sizes: the ratio of sums is the mean of ratios, and so are the intervals of many draws."""
    right = np.random.default_rng(0).integers(0, 11, (3, 40))
    table = accuracy_counts(np.stack([right, np.full((3, 40), 10)], axis=2))
    pooled, mean = bt.rank(table, n_resamples=4000), bt.rank(table, by="mean", n_resamples=4000)

    assert by_system(pooled) == pytest.approx(by_system(mean))
    assert by_system(pooled, "low") == pytest.approx(by_system(mean, "low"), abs=0.01)


def test_an_error_rate_is_ranked_from_low_to_high():
    """The strengths stay as they are; the order turns round, and the tests with it."""
    table = drawn_counts(3, 30, seed=6)
    turned = bt.Counts(
        **{
            name: getattr(table, name)
            for name in ("name", "systems", "segments", "values", "columns", "formula")
        },
        higher_is_better=False,
    )
    one, other = bt.rank(table, **FAST), bt.rank(turned, **FAST)

    assert one.systems == other.systems[::-1]
    assert by_system(one) == by_system(other)
    assert other.unit == "accuracy, lower is better"
    first, second = bt.compare(table).pair("A", "B"), bt.compare(turned).pair("A", "B")
    assert first.pvalue == second.pvalue
    assert first.effect == -second.effect


def test_documents_can_be_the_units():
    """Sums of documents are drawn and swapped as one."""
    table = drawn_counts(2, 24, seed=7, groups=[str(i // 4) for i in range(24)])
    found = bt.rank(table, units="groups", **FAST)

    assert "|units:groups|" in found.settings.signature
    assert by_system(found) == pytest.approx(by_system(bt.rank(table, **FAST)))
    # Six documents have 32 different swaps up to direction, so p cannot be much below 1/32.
    assert bt.compare(table, units="groups").pair("A", "B").pvalue > 0.02


def test_every_other_mechanism_ranks_segment_scores():
    """By name, and by a function of the caller."""
    table = drawn_counts(3, 25)
    for by in ("median", "win_rate", "elo", lambda goodness: goodness.max(axis=1)):
        one, other = (
            bt.rank(data, by=by, n_resamples=9, n_orders=4) for data in (table, table.per_segment())
        )
        assert one == other


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": "bca"}, 'interval="bca" is not available for pooled scores'),
        ({"units": "groups"}, "has no groups"),
        ({"by": "poold"}, 'Did you mean "pooled"|Unknown method'),
    ],
)
def test_what_does_not_fit_counts_is_refused(options, message):
    """With what to do instead."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.rank(drawn_counts(), **options)


def test_scores_cannot_be_pooled():
    """Their sums are not kept."""
    with pytest.raises(bt.BetterThanError, match='Use by="mean" for scores'):
        bt.rank(drawn_scores(), by="pooled")


def test_the_smallest_p_is_one_over_all_resamples():
    """(b + 1) / (B + 1): A is right everywhere, B nowhere."""
    table = accuracy_counts(np.stack([[np.full(30, 5), np.zeros(30)], np.full((2, 30), 5)], axis=2))

    assert bt.compare(table, method="monte_carlo", n_resamples=499).pair("A", "B").pvalue == 1 / 500
