"""Intervals of mean differences by documents through the verbs: what the permutation test does not reject."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.everyday import few
from tests.made import drawn_scores, scores_of

import betterthan as bt

KINDS = ("normal", "ties", "penalties", "giant", "lognormal", "right or wrong", "one document")
EDGE = "disagree at the margin of significance"


def documents(rng, kind, n_documents):
    """The document of each segment."""
    sizes = np.full(n_documents, 4)
    if kind in ("lognormal", "right or wrong"):
        sizes = np.maximum(1, np.rint(np.exp(rng.normal(1, 1, n_documents)))).astype(int)
        sizes[0] += 1
    if kind == "giant":
        sizes[0] = 4 * (n_documents - 1)
    return np.repeat(np.arange(n_documents), sizes)


def drawn(kind, n_documents, *, seed, m=2):
    """Systems that differ by about as much as so many documents can show."""
    rng = np.random.default_rng([seed, n_documents, KINDS.index(kind)])
    of = documents(rng, kind, n_documents)
    shared = rng.normal(size=(m, n_documents))[:, of]
    gap = rng.normal() * 2 / np.sqrt(n_documents)
    values = rng.normal(size=(m, of.size)) + shared
    values[0] += gap
    if kind == "ties":
        values = np.rint(values / 2)
    elif kind == "penalties":
        values = -np.where(values < -1, rng.choice([1.0, 5.0, 25.0], size=values.shape), 0.0)
    elif kind == "right or wrong":
        values = (values > 0).astype(float)
    elif kind == "one document":
        values = np.tile(rng.normal(size=of.size), (m, 1)) + (of < rng.integers(1, 4)) * values
    return scores_of(values, groups=[f"d{i}" for i in of])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_documents", few([6, 9, 12, 14, 19, 24, 40, 60], 4))
def test_the_interval_leaves_out_zero_exactly_where_the_test_rejects_it(kind, n_documents):
    """Whatever the scores and the sizes of documents; so no note says that the two differ."""
    for seed in range(6):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = bt.compare(drawn(kind, n_documents, seed=seed))
        pair = found.pairs()[0]
        assert (pair.pvalue <= 0.05) == (pair.low > 0 or pair.high < 0)
        assert pair.low <= pair.effect <= pair.high
        assert not any(EDGE in note for note in found.notes)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_documents", few([10, 16, 30, 50], 2))
def test_agreement_with_the_test_is_no_push(kind, n_documents):
    """Limits that were found without a p-value are those that were found with one, but for a hair or a jump of p."""
    scores = drawn(kind, n_documents, seed=99, m=4)
    one, other = bt.compare(scores), bt.compare(scores, method="monte_carlo", n_resamples=99)
    wide = 0.01 * np.nanmax(one.high - one.low)

    np.testing.assert_allclose(one.low, other.low, atol=wide)
    np.testing.assert_allclose(one.high, other.high, atol=wide)


@pytest.mark.parametrize("n_documents", [10, 15, 30])
def test_a_pair_has_the_same_interval_alone_among_others_and_explained(n_documents):
    """12 systems, two of them, and the same two explained; both orders."""
    scores = drawn("lognormal", n_documents, seed=3, m=12)
    whole = bt.compare(scores)
    for a, b in (("A", "B"), ("L", "C"), ("F", "E")):
        pair = whole.pair(a, b)
        alone = bt.compare(scores, systems=(a, b)).pair(a, b)
        explained = bt.explain(scores, a, b)
        assert (alone.low, alone.high) == pytest.approx((pair.low, pair.high), rel=1e-9)
        assert (explained.low, explained.high) == pytest.approx((pair.low, pair.high), rel=1e-9)
        assert (whole.pair(b, a).low, whole.pair(b, a).high) == (-pair.high, -pair.low)


def test_workers_change_nothing():
    """One and two workers, to the last byte."""
    scores = drawn("giant", 20, seed=1, m=4)
    assert bt.compare(scores, workers=1) == bt.compare(scores, workers=2)


def test_the_interval_does_not_hang_on_how_the_question_is_put():
    """One-sided, Monte Carlo or exact: it is of the effect, and always two-sided."""
    scores = drawn("lognormal", 14, seed=2)
    first = bt.compare(scores).pair("A", "B")
    for options in (
        {"alternative": "greater"},
        {"method": "exact"},
        {"method": "bracket"},
        {"method": "analytic"},
    ):
        pair = bt.compare(scores, **options).pair("A", "B")
        assert (pair.low, pair.high) == pytest.approx((first.low, first.high), rel=1e-9)


def test_all_at_once_are_wider():
    """Simultaneous intervals hold those of single pairs, and of two systems they are the same."""
    scores = drawn("lognormal", 24, seed=4, m=5)
    one, together = bt.compare(scores), bt.compare(scores, simultaneous=True)
    off = ~np.eye(5, dtype=bool)

    assert (together.low <= one.low)[off].all()
    assert (together.high >= one.high)[off].all()
    two = scores.select(["A", "B"])
    assert bt.compare(two).pair("A", "B").low == bt.compare(two, simultaneous=True).pair("A", "B").low


def test_other_tests_keep_the_interval_of_the_standard_error():
    """That of t is symmetric about the difference; that of the permutation test is not."""
    scores = drawn("lognormal", 12, seed=5)
    t, bootstrap, swapped = (
        bt.compare(scores, test=test).pair("A", "B") for test in ("t", "bootstrap", "permutation")
    )

    assert t.high - t.effect == pytest.approx(t.effect - t.low)
    assert (t.low, t.high) == (bootstrap.low, bootstrap.high)
    assert swapped.high - swapped.effect != pytest.approx(swapped.effect - swapped.low, rel=1e-3)


def test_few_documents_keep_the_interval_of_the_standard_error():
    """With four, no difference could be rejected: Student's interval stays, and its note where it leaves out 0."""
    scores = drawn_scores(2, 40, gap=3, groups=[f"d{i // 10}" for i in range(40)])
    found, t = bt.compare(scores), bt.compare(scores, test="t")

    assert found.undecidable
    assert (found.pairs()[0].low, found.pairs()[0].high) == (t.pairs()[0].low, t.pairs()[0].high)
    assert any(EDGE in note for note in found.notes)


@pytest.mark.parametrize("lead", [0.0, 0.5])
def test_documents_that_all_say_the_same_are_not_certain(lead):
    """A constant lead, or none, has the width that is left when nothing varies, as with the t-test."""
    plain = np.random.default_rng(1).normal(size=40)
    scores = scores_of([plain, plain - lead], groups=[f"d{i // 4}" for i in range(40)])
    one, other = (bt.compare(scores, test=test).pair("A", "B") for test in ("permutation", "t"))

    assert (one.low, one.high) == (other.low, other.high)
    assert one.high > one.low


def test_win_rates_by_documents_agree_with_their_test():
    """Differences of win rates are means too."""
    found = bt.compare(drawn("lognormal", 20, seed=6, m=5), by="win_rate")
    above = np.triu_indices(5, 1)

    np.testing.assert_array_equal(found.pvalue[above] <= 0.05, ((found.low > 0) | (found.high < 0))[above])
