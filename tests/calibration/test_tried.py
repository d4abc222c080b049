"""Intervals that were tried: the page shows the stored numbers, and the methods are what they are called."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom, binomtest, bootstrap, chi2, f
from scipy.stats import t as student
from tests.calibration import page, simulate, tried
from tests.made import means_without_one

from betterthan.kernels.intervals.intervals import bca_interval
from betterthan.kernels.judges.reliability import krippendorff_alpha

MEASURED = tried.load()


def test_the_page_shows_the_stored_numbers():
    """Every table stands on the page, as it is stored."""
    text = page.PAGE.read_text(encoding="utf-8")
    assert tried.filled(text, MEASURED) == text, "python -m tests.calibration.tried --page"
    assert [match[2] for match in tried._MARKER.finditer(text)] == list(tried.MEASURES) == list(MEASURED)


@pytest.mark.parametrize("design", [(20, 0.01, "two to one"), (50, 0.1, "even"), (200, 0.04, "two to one")])
def test_enumerated_figures_are_reproduced(design):
    """To the digits that are stored."""
    n, changed, name = design
    again = tried.enumerated(n, changed, tried.RATIOS[name])
    stored = MEASURED["right-or-wrong"][f"{n}, {100 * changed:g}%, {name}"]
    assert again.keys() == stored.keys()
    for method, numbers in stored.items():
        assert again[method] == pytest.approx(numbers, abs=1e-5)


def test_only_newcombe_depends_on_the_accuracy():
    """As the page says: 6.5 points wide at an accuracy of 50% and 9.4 at 98%, and ours 7.6."""
    low, high = (tried.enumerated(100, 0.02, 1 / 2, accuracy) for accuracy in (0.5, 0.98))
    assert [round(100 * row["Newcombe"][1], 1) for row in (low, high)] == [6.5, 9.4]
    assert round(100 * low["ours"][1], 1) == 7.6
    assert [low[name] for name in tried.PAIRED] == [high[name] for name in tried.PAIRED]


def test_the_enumeration_is_complete():
    """The chances of all counts sum to 1, and the coverage is that of every pair of answers counted one by one."""
    n, gain, loss = 6, 0.2, 0.1
    covered = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            chance = binom.pmf(b, n, gain) * binom.pmf(c, n - b, loss / (1 - gain))
            low, high = tried.tango(np.array([b]), np.array([c]), n)
            covered += chance * (low[0] <= gain - loss <= high[0])
    assert tried.enumerated(n, gain + loss, 2 / 3)["Tango"][0] == pytest.approx(covered, abs=1e-9)
    everything = tried._weighed((np.full(1, -1.0), np.ones(1)), np.ones(1), 0.0, np.ones(1, dtype=bool))
    assert everything == [1.0, 2.0, 0.0]


# Airway hyper-responsiveness (Bentur et al. 2009) and complete response (Cavo et al. 2012): both right, only the first,
# only the second, none. Limits from the R packages ratesci (three digits) and contingencytables (four digits).
PUBLISHED = [
    ("tango", (1, 1, 7, 12), (-0.517, -0.026)),
    ("tango", (59, 6, 16, 80), (-0.1240, -0.0054)),
    ("bonett_price", (59, 6, 16, 80), (-0.1195, -0.0032)),
    ("newcombe", (59, 6, 16, 80), (-0.1186, -0.0046)),
]


@pytest.mark.parametrize(("method", "counts", "limits"), PUBLISHED)
def test_published_intervals_of_paired_shares(method, counts, limits):
    """The others' methods give what R's packages give."""
    both, first, second, _ = counts
    b, c, n = np.array([float(first)]), np.array([float(second)]), sum(counts)
    more = (np.array([float(both)]),) if method == "newcombe" else ()
    found = [float(end[0]) for end in getattr(tried, method)(b, c, n, *more)]
    digits = 4 if n > 21 else 3
    assert [round(end, digits) for end in found] == list(limits)


def test_tango_is_the_score_test_inverted():
    """At its limits the score statistic is z, with the likeliest chances found by search."""
    b, c, n = 7, 2, 40
    for limit in np.ravel(tried.tango(np.array([b]), np.array([c]), n)):
        ends = max(0.0, -limit), (1 - limit) / 2

        def against(loss, limit=limit):
            gain = loss + limit
            return -(b * np.log(gain) + c * np.log(loss) + (n - b - c) * np.log(1 - gain - loss))

        loss = minimize_scalar(against, bounds=ends, method="bounded", options={"xatol": 1e-12}).x
        variance = (2 * loss + limit - limit**2) / n
        assert abs((b - c) / n - limit) / np.sqrt(variance) == pytest.approx(tried.Z, abs=1e-5)


@pytest.mark.parametrize(("b", "c", "n"), [(0, 0, 20), (1, 0, 50), (9, 2, 50), (12, 2, 30)])
def test_ours_is_what_compare_gives(b, c, n):
    """The figures are of the interval that users see."""
    values = np.zeros((2, n))
    values[:, : n // 2] = 1.0
    values[0, n // 2 : n // 2 + b] = 1.0
    values[1, n // 2 + b : n // 2 + b + c] = 1.0
    pair = simulate.compare(simulate.scores_of(values), workers=1).pair("S0", "S1")
    low, high = tried.ours(np.array([float(b)]), np.array([float(c)]), n)
    assert (pair.low, pair.high) == pytest.approx((low[0], high[0]), abs=1e-12)


def test_bootstraps_agree_with_others():
    """BCa with the kernel's on the same draws, percentiles with SciPy's up to noise."""
    values = np.random.default_rng(1).lognormal(size=(3, 25))
    limits = tried.ratio_intervals(values, np.ones_like(values), np.random.default_rng(2))
    weights = np.random.default_rng(2).multinomial(25, np.full(25, 1 / 25), size=tried.RESAMPLES)
    drawn = weights @ values.T / 25
    expected = bca_interval(drawn, values.mean(axis=1), means_without_one(values), confidence=0.95)
    np.testing.assert_allclose(limits["BCa bootstrap"], expected)
    scipy = bootstrap((values[0],), np.mean, n_resamples=9999, method="percentile", rng=3).confidence_interval
    low, high = (end[0] for end in limits["percentile bootstrap"])
    assert (low, high) == pytest.approx((scipy.low, scipy.high), abs=0.1)


def test_empirical_likelihood_has_its_distance_at_the_limits():
    """At both limits -2 log of the likelihood ratio is the quantile, with Lagrange's multiplier found by bisection."""
    values = np.random.default_rng(4).exponential(size=(1, 15))
    n = values.shape[1]
    assert f.isf(0.05, 1, 10**7) == pytest.approx(chi2.isf(0.05, 1), abs=1e-4)
    for limit in np.ravel(tried.empirical_likelihood(values)):
        gap = values[0] - limit
        low, high = -1 / gap.max() + 1e-12, -1 / gap.min() - 1e-12
        for _ in range(200):
            half = (low + high) / 2
            low, high = (half, high) if (gap / (1 + half * gap)).sum() > 0 else (low, half)
        assert 2 * np.log1p(low * gap).sum() == pytest.approx(f.isf(0.05, 1, n - 1), rel=1e-6)


def test_the_inverted_wild_bootstrap_keeps_what_the_test_keeps():
    """Just inside a limit the studentized test by documents does not reject, just outside it does."""
    rng = np.random.default_rng(5)
    size = np.array([[3.0, 1, 9, 4, 2, 6, 12, 5]])
    total = size * (0.4 + rng.normal(size=size.shape))
    signs = 1.0 - 2.0 * (np.arange(2**8) >> np.arange(8)[:, None] & 1)
    for limit, outward in zip(
        tried.document_intervals(total, size, rng)["wild bootstrap inverted"], (-1, 1), strict=True
    ):
        for step, is_kept in ((-1e-3, True), (1e-3, False)):
            left = total - (limit[0] + outward * step) * size
            flipped = signs.T * left[0]
            residual = flipped - flipped.sum(axis=1, keepdims=True) / size.sum() * size
            t = np.abs(flipped.sum(axis=1)) / np.sqrt((residual**2).sum(axis=1))
            share = np.mean(t >= t[0] - 1e-12)  # the first vector turns no sign
            assert (share > 0.05) == is_kept


def test_the_simulations_run():
    """With few tables; ours is Student's t of the jackknife for differences of TER."""
    row = tried.ter_of(30, tables=4)["difference, n = 30"]
    assert row["ours"] == pytest.approx(row["Student's t"])
    assert set(tried.penalties_of("MQM penalties", 12, tables=4)) == set(
        MEASURED["penalties"]["MQM penalties, n = 12"]
    )
    assert set(tried.documents_of(10, tables=2)) == set(MEASURED["documents"]["10 documents, symmetric"])
    assert set(tried.alpha_of(20, 2, tables=2)) == set(MEASURED["agreement"]["20 outputs, 2 judges"])


def test_slopes_of_alpha_are_those_of_weighted_outputs():
    """Alpha is the kernel's, and each output's pull is how much alpha changes with the output's weight."""
    scores = np.random.default_rng(6).exponential(size=(9, 1)) + np.random.default_rng(7).normal(size=(9, 3))
    parts = np.stack(
        [3 * scores.var(axis=1, ddof=1), (scores**2).sum(axis=1), scores.sum(axis=1), np.full(9, 3.0)], axis=1
    )
    alpha, slopes = tried._alpha_with_slopes(parts.sum(axis=0))
    output = np.repeat(np.arange(9), 3)
    assert alpha == pytest.approx(krippendorff_alpha(output, scores.ravel()).alpha)
    step = 1e-6
    changed = [tried._alpha_with_slopes(parts.sum(axis=0) + step * part)[0] for part in parts]
    # How (n - 1) / n changes is left out of the slopes.
    n = 27.0
    factor = [(n + 3 * step - 1) / (n + 3 * step) / ((n - 1) / n)] * 9
    expected = [(1 - (1 - new) / f - alpha) / step for new, f in zip(changed, factor, strict=True)]
    assert parts @ slopes == pytest.approx(expected, abs=1e-5)


def test_student_and_fisher_of_alpha_are_the_jackknifes():
    """With alpha computed anew from the outputs that are left."""
    scores = np.random.default_rng(8).normal(size=(12, 1)) + np.random.default_rng(9).normal(size=(12, 2))
    output = np.repeat(np.arange(12), 2)

    def alpha(keep):
        return krippendorff_alpha(output[keep], scores.ravel()[keep]).alpha

    middle = alpha(output >= 0)
    without = np.array([alpha(output != one) for one in range(12)])
    error = np.sqrt(11 / 12 * ((without - without.mean()) ** 2).sum())
    limits = tried.alpha_intervals(scores[None], np.random.default_rng(1))
    reach = student.isf(0.025, 11) * error
    assert np.ravel(limits["Student's t"]) == pytest.approx([middle - reach, middle + reach])
    reach /= 1 - middle**2
    expected = np.tanh([np.arctanh(middle) - reach, np.arctanh(middle) + reach])
    assert np.ravel(limits["t, Fisher's scale"]) == pytest.approx(expected)


def test_intervals_of_a_share_are_scipys():
    """Wilson and Clopper–Pearson, for every number of successes."""
    for k in range(21):
        test = binomtest(k, 20)
        low, high = tried._clopper_pearson(np.array([float(k)]), np.array([20.0]))
        assert (low[0], high[0]) == pytest.approx(tuple(test.proportion_ci(method="exact")))
        ends = tried._wilson(np.array([k / 20]), 20)
        assert [end[0] for end in ends] == pytest.approx(list(test.proportion_ci(method="wilson")), abs=1e-12)
