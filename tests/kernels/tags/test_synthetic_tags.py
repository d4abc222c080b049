from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.kernels.tags.confusion import confusion_counts, precision_bad, recall_bad, recall_ok
from betterthan.kernels.tags.synthetic_tags import all_bad, all_good, optimistic, pessimistic, random_tags


def rates(gold, tags):
    """Precision and recall of BAD, recall of OK."""
    sums = confusion_counts(gold, tags[None], np.array([0, gold.size]))[0, 0]
    return tuple(float(rate(sums)) for rate in (precision_bad, recall_bad, recall_ok))


def gold_of(n, share):
    """Gold tags with exactly so many BAD words, in random places."""
    return np.random.default_rng(1).permutation(n) < round(share * n)


@pytest.mark.parametrize("share", [0.05, 0.18, 0.5])
def test_the_rates_of_the_paper_hold(share):
    """Section 3.1, whatever the share of BAD words."""
    gold, rng = gold_of(36_000, share), np.random.default_rng(0)
    precision, recall, _ = rates(gold, optimistic(gold, rng))
    assert precision == pytest.approx(0.9, abs=0.002)
    assert recall == pytest.approx(0.1, abs=0.002)
    tags = pessimistic(gold, rng)
    _, recall, recall_of_ok = rates(gold, tags)
    assert recall == pytest.approx(0.9, abs=0.001)
    assert recall_of_ok == pytest.approx(0.1, abs=0.001)
    assert tags.mean() == pytest.approx(0.9, abs=0.001)


def test_two_percent_are_bad_when_eighteen_are():
    """98 % OK is true of the optimist for the share of BAD words that the paper's data have."""
    gold = gold_of(10_000, 0.18)
    assert np.count_nonzero(optimistic(gold, np.random.default_rng(0))) == 200


def test_random_tags_follow_the_share_and_nothing_else():
    """Recall is the same for both classes: the share of BAD words."""
    gold = gold_of(100_000, 0.2)
    tags = random_tags(gold, np.random.default_rng(2))
    _, recall, recall_of_ok = rates(gold, tags)
    error = 4 * np.sqrt(0.16 / 20_000)
    assert recall == pytest.approx(0.2, abs=error)
    assert 1 - recall_of_ok == pytest.approx(0.2, abs=error)


@given(st.lists(st.booleans(), max_size=30), st.integers(0, 99))
def test_any_number_of_words(words, seed):
    """Also none, and of one class only; the same generator gives the same tags."""
    gold = np.array(words, dtype=bool)
    assert all_bad(gold).sum() == gold.size == all_bad(gold).size
    assert all_good(gold).sum() == 0
    for made in (optimistic, pessimistic, random_tags):
        one, other = (made(gold, np.random.default_rng(seed)) for _ in range(2))
        assert one.shape == gold.shape
        assert (one == other).all()
        if not gold.any() and made is not pessimistic:
            assert not one.any()
