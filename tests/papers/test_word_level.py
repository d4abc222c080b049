"""Logacheva, Lukasik and Specia (2016), Metrics for evaluation of word-level MT quality estimation: what can be tested.

The tables of the paper rest on the submissions to WMT15, which are not at hand; its statements about labelings and
measures hold or fail on any tags with the same share of BAD words, 18 %.
"""

from __future__ import annotations

import numpy as np
import pytest

import betterthan as bt
from betterthan.kernels.tags.confusion import f1_bad, f1_mult, f1_ok, f1_weighted
from betterthan.kernels.tags.spans import phrase_f1_bad_as_published, span_counts

SHARE = 0.18  # of BAD words: the only one at which "98 % OK", precision 0.9 and recall 0.1 go together


def task(seed=0, n=600, m=8):
    """Sentences of 10 to 30 words with errors in runs, and systems that find errors by chance and by phrase."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(10, 31, n)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    gold = runs(rng, offsets[-1], SHARE)
    finds, alarms = np.linspace(0.15, 0.6, m), np.linspace(0.06, 0.16, m)
    guesses = [
        np.where(gold, runs(rng, gold.size, a), runs(rng, gold.size, b))
        for a, b in zip(finds, alarms, strict=True)
    ]
    return bt.WordTags(
        systems=[f"S{i}" for i in range(m)],
        segments=[str(i) for i in range(n)],
        gold=gold,
        predicted=guesses,
        offsets=offsets,
    )


def runs(rng, n, share):
    """Marks that come in runs of two or so, with this share in all."""
    stay = 0.5
    enter = share * (1 - stay) / (1 - share)
    marks, now = np.empty(n, bool), False
    for i, u in enumerate(rng.random(n)):
        now = u < (stay if now else enter)
        marks[i] = now
    return marks


@pytest.fixture(scope="module")
def tags():
    """One campaign for all."""
    return task()


def test_the_product_is_zero_if_a_factor_is_and_never_above_either():
    """2.1: "equal to zero if one of the components is zero … will not exceed the value of any"."""
    sums = np.random.default_rng(0).integers(0, 20, (500, 4)).astype(float)
    both, bad, ok = f1_mult(sums), f1_bad(sums), f1_ok(sums)
    known = ~np.isnan(both)
    assert ((bad[known] == 0) | (ok[known] == 0)).tolist() == (both[known] == 0).tolist()
    assert (both[known] <= np.minimum(bad[known], ok[known])).all()


def test_the_weighted_average_is_dominated_by_ok(tags):
    """2.1: it ranks all-good, which finds nothing, near the real systems; the product has 0."""
    shown = bt.with_synthetic(tags)
    sums = bt.tag_counts(shown).values.sum(axis=1)
    weighted = dict(zip(shown.systems, f1_weighted(sums).tolist(), strict=True))
    assert weighted["all-good"] > 0.7
    assert weighted["all-good"] > 5 * weighted["all-bad"]
    share_ok = 1 - tags.gold.mean()
    assert weighted["all-good"] == pytest.approx(share_ok * 2 * share_ok / (1 + share_ok))


def test_f1_of_bad_alone_favours_pessimists(tags):
    """1 and 3.1: all-bad and pessimistic beat systems by F1-BAD; the product ranks them last."""
    found = bt.audition(tags, by=["f1_bad", "f1_mult"], n_resamples=99)
    beaten = [dict(zip(found.synthetic, row.tolist(), strict=True)) for row in found.below]
    assert beaten[0]["all-bad"] > 0
    assert beaten[0]["pessimistic"] > 0
    assert beaten[1]["all-bad"] == beaten[1]["all-good"] == beaten[1]["pessimistic"] == 0
    assert found.total[1] < found.total[0]


def test_the_literal_phrase_measure_favours_pessimists_most(tags):
    """3.1: "Phrase-F1-BAD ranks these systems the highest: 16 out of 17". Literally read, so it is (E34)."""
    literal = bt.audition(tags, by=["phrase_f1_bad"], as_published=True, n_resamples=99)
    bounded = bt.audition(tags, by=["phrase_f1_bad"], n_resamples=99)
    m = len(tags.systems)
    assert literal.below[0, literal.synthetic.index("all-bad")] >= m - 1
    assert bounded.below[0, bounded.synthetic.index("all-bad")] < m / 2


def test_literal_precision_exceeds_one():
    """E34: three gold spans, one predicted span over all of them."""
    gold = np.array([True, False, True, False, True])
    sums = span_counts(gold, np.ones((1, 5), bool), np.array([0, 5]))[0, 0]
    assert sums[0] / sums[3] == 3
    assert float(phrase_f1_bad_as_published(sums)) == 1


def test_the_coefficient_is_too_optimistic(tags):
    """3.1: "the optimistic dataset is rated higher than most of system outputs" by MCC, not by the product."""
    found = bt.audition(tags, by=["mcc", "f1_mult"], n_resamples=99)
    at = found.synthetic.index("optimistic")
    assert found.below[0, at] > found.below[1, at]
    # Its value follows from precision 0.9, recall 0.1 and the share of BAD words alone.
    b = float(tags.gold.mean())
    tp, fn, fp = 0.1 * b, 0.9 * b, 0.1 * b / 9
    tn = 1 - tp - fn - fp
    expected = (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    assert found.value[0, len(tags.systems) + at] == pytest.approx(expected, abs=0.005)


def test_the_printed_coefficient_is_no_correlation():
    """E35: with a plus and no root, chance has not 0 and perfection not 1."""

    def printed(tp, fp, fn, tn):
        return (tp * tn + fp * fn) / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))

    assert printed(50, 50, 50, 50) != 0
    assert printed(50, 0, 0, 50) == pytest.approx(1 / 2500)


def test_two_percent_of_the_optimist_go_with_eighteen_percent_of_errors():
    """3.1: "98% words are tagged as OK", precision 0.9, recall 0.1 hold together at b = 0.18 only."""
    flagged = 0.1 * SHARE / 0.9
    assert flagged == pytest.approx(0.02)
    gold = np.arange(50_000) < SHARE * 50_000
    tags = bt.WordTags(systems=["S"], segments=["1"], gold=gold, predicted=gold[None], offsets=[0, gold.size])
    shown = bt.with_synthetic(tags)
    assert shown.predicted[shown.systems.index("optimistic")].mean() == pytest.approx(0.02)
    assert shown.predicted[shown.systems.index("pessimistic")].mean() == pytest.approx(0.9)


def test_a_half_tells_apart_what_the_whole_cannot():
    """Note 3: Bonferroni's level depends on the number of pairs, so d is no bound of its halves.

    Four systems find 4, 3, 2, 1 of the four BAD words of each of six sentences, so that every pair has p = 2/64. That
    is enough for the one pair of a half, and not for six pairs.
    """
    words = np.tile([True, True, True, True, False], 6)
    found_words = [np.tile(np.arange(5) < n, 6) for n in (4, 3, 2, 1)]
    tags = bt.WordTags(
        systems=[*"ABCD"],
        segments=[*"123456"],
        gold=words,
        predicted=found_words,
        offsets=np.arange(0, 31, 5),
    )
    found = bt.audition(tags, by=["accuracy"], correction="bonferroni")
    assert (found.d[0], found.d_top[0], found.d_bottom[0]) == (0, 1, 1)
    assert found.n_groups[0] == 1
    assert bt.compare(bt.tag_counts(tags, by="accuracy")).pair("A", "B").pvalue == pytest.approx(
        2 / 64, abs=0.006
    )
