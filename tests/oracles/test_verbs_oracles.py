"""The verbs against SciPy, statsmodels, choix, evalica, trueskill, and loops written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import linalg, stats
from tests.everyday import few
from tests.made import by_system, drawn_counts, drawn_matches, drawn_scores, scores_of

import betterthan as bt
from betterthan.engine.blocks import stream
from betterthan.kernels.sign_flips.permutation import random_signs

SIDES = ("two-sided", "greater", "less")
TABLES = {
    "distinct": drawn_scores(3, 23, seed=1),
    "few": drawn_scores(3, 8, seed=2),
    "ties": scores_of(np.round(2 * drawn_scores(3, 30, seed=3).values)),
    "lower is better": drawn_scores(3, 20, seed=4, higher_is_better=False),
    "gaps": scores_of(
        np.where(np.random.default_rng(5).random((3, 26)) < 0.15, np.nan, drawn_scores(3, 26, seed=5).values)
    ),
}
each_table = pytest.mark.parametrize("table", TABLES)
each_side = pytest.mark.parametrize("alternative", SIDES)


def paired(scores):
    """Every ordered pair with the goodness of both on the segments they share."""
    for a, b in itertools.permutations(range(scores.n_systems), 2):
        both = ~np.isnan(scores.values[a] + scores.values[b])
        yield scores.systems[a], scores.systems[b], scores.goodness[a, both], scores.goodness[b, both]


def assert_pvalues(table, expected, **options):
    """Compare p-values of all ordered pairs with those of another program, to nine digits."""
    scores = TABLES[table]
    found = bt.compare(scores, missing="pairwise", **options)
    for a, b, x, y in paired(scores):
        assert found.pair(a, b).pvalue == pytest.approx(expected(x, y), rel=1e-9, abs=1e-12), (a, b)


@each_table
@each_side
def test_t_is_scipys(table, alternative):
    """ttest_rel, on the segments a pair shares."""
    assert_pvalues(
        table,
        lambda x, y: stats.ttest_rel(x, y, alternative=alternative).pvalue,
        test="t",
        alternative=alternative,
    )


def hall_interval(d, level):
    """Hall's interval of a mean: the cubic that takes the skewness out, solved for T by NumPy."""
    n, reach = d.size, stats.t.ppf(0.5 + level / 2, d.size - 1)
    most = 0.9 * np.sqrt(n) / reach
    g = np.clip(stats.skew(d, bias=False), -most, most)
    ends = []
    for q in (reach / np.sqrt(n), -reach / np.sqrt(n)):
        roots = np.roots([g**2 / 27, g / 3, 1, g / (6 * n) - q])
        t = roots[np.abs(roots.imag).argmin()].real
        ends.append(d.mean() - t * d.std(ddof=1))
    return ends


@each_table
def test_the_interval_of_a_mean_difference_is_the_outer_one_of_scipys_and_halls(table):
    """The interval of the paired t-test, widened where the differences are skewed; at two levels."""
    scores = TABLES[table]
    for level in (0.95, 0.8):
        found = bt.compare(scores, missing="pairwise", confidence=level)
        n_wider = 0
        for a, b, x, y in paired(scores):
            student, hall = stats.ttest_rel(x, y).confidence_interval(level), hall_interval(x - y, level)
            low, high = min(student[0], hall[0]), max(student[1], hall[1])
            pair = found.pair(a, b)
            assert (pair.low, pair.high) == pytest.approx((low, high), rel=1e-8)
            n_wider += (low, high) != tuple(student)
        assert n_wider > 0


@each_table
@each_side
def test_sign_is_scipys_binomial_test(table, alternative):
    """Wins against losses, ties left out."""

    def expected(x, y):
        wins, losses = int((x > y).sum()), int((x < y).sum())
        return stats.binomtest(wins, wins + losses, alternative=alternative).pvalue

    assert_pvalues(table, expected, test="sign", alternative=alternative)


@pytest.mark.parametrize("table", ["distinct", "few", "lower is better", "gaps"])
@each_side
def test_wilcoxon_is_scipys_exact_one(table, alternative):
    """Without ties among the differences SciPy is exact too."""
    assert_pvalues(
        table,
        lambda x, y: stats.wilcoxon(x, y, alternative=alternative, method="exact").pvalue,
        test="wilcoxon",
        alternative=alternative,
    )


@each_side
def test_wilcoxon_of_many_segments_is_scipys_normal_one(alternative):
    """Beyond 50 differences both take the normal distribution, with the correction for continuity and ties."""
    scores = scores_of(np.round(3 * drawn_scores(3, 150, seed=7).values))
    found = bt.compare(scores, test="wilcoxon", alternative=alternative)
    for a, b, x, y in paired(scores):
        expected = stats.wilcoxon(x, y, alternative=alternative, method="asymptotic", correction=True).pvalue
        assert found.pair(a, b).pvalue == pytest.approx(expected, rel=1e-9)


@each_table
def test_mood_is_scipys_median_test(table):
    """Chi-square with Yates' correction, ties below."""
    assert_pvalues(table, lambda x, y: stats.median_test(x, y, ties="below").pvalue, test="mood")


@pytest.mark.parametrize("table", ["few", "lower is better"])
@each_side
def test_permutation_is_scipys_when_it_enumerates(table, alternative):
    """All 2^n sign flips of ten segments at most; "equal" is equal up to rounding in both."""
    scores = TABLES[table].select(segments=TABLES[table].segments[:9])
    found = bt.compare(scores, test="permutation", method="exact", alternative=alternative)
    for a, b, x, y in paired(scores):
        expected = stats.permutation_test(
            (x - y,),
            lambda d, axis: d.mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
            alternative=alternative,
        ).pvalue
        assert found.pair(a, b).pvalue == pytest.approx(expected, rel=1e-9)
        assert found.settings.options["p"] == "exact"


@each_table
def test_an_uncertain_p_is_bracketed(table):
    """The exact p-value, where SciPy can enumerate it, lies between the ends."""
    scores = TABLES[table].select(segments=TABLES[table].segments[:11])
    found = bt.compare(scores, method="bracket", missing="pairwise")
    for a, b, x, y in paired(scores):
        d = x - y
        signs = np.array(list(itertools.product((1, -1), repeat=d.size)))
        exact = (np.abs(signs @ d) >= abs(d.sum()) - 1e-9).mean()
        pair = found.pair(a, b)
        assert pair.p_low - 1e-12 <= exact <= pair.p_high + 1e-12
        assert pair.pvalue == pair.p_high


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("bonferroni", "bonferroni"), ("holm", "holm"), ("benjamini_hochberg", "fdr_bh"), ("none", None)],
)
@pytest.mark.parametrize("test", few(["t", "sign", "wilcoxon", "mood"], 2))
def test_corrections_are_those_of_statsmodels(ours, theirs, test):
    """multipletests over all pairs."""  # noqa: D403
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    pairs = bt.compare(drawn_scores(6, 25, seed=8, gap=0.25), test=test, correction=ours).pairs()
    raw = [pair.pvalue for pair in pairs]
    expected = raw if theirs is None else multitest.multipletests(raw, method=theirs)[1]

    assert [pair.adjusted for pair in pairs] == pytest.approx(list(expected), rel=1e-12)


def test_one_sided_corrections_count_both_directions():
    """Whoever reads a matrix of one-sided p-values may claim either direction: m (m − 1) questions."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    found = bt.compare(drawn_scores(4, 25, seed=8), test="t", alternative="greater", correction="holm")
    off = ~np.eye(4, dtype=bool)
    expected = multitest.multipletests(found.pvalue[off], method="holm")[1]

    np.testing.assert_allclose(found.adjusted[off], expected, rtol=1e-12)


def literal_wins(scores, *, ties):
    """Who beats whom how often, by four nested loops in all."""
    m = scores.n_systems
    wins = np.zeros((m, m))
    for a, b in itertools.permutations(range(m), 2):
        for x, y in zip(scores.goodness[a], scores.goodness[b], strict=True):
            wins[a, b] += 1.0 if x > y else ties if x == y else 0.0
    return wins


@pytest.mark.parametrize(("ties", "weight"), [("drop", 0.0), ("half", 0.5)])
@pytest.mark.parametrize("table", ["distinct", "ties", "lower is better"])
def test_bradley_terry_of_scores_is_choixs(table, ties, weight):
    """Shares from the literal table of wins, to 1e-8."""
    choix = pytest.importorskip("choix")
    scores = TABLES[table]
    theta = choix.ilsr_pairwise_dense(literal_wins(scores, ties=weight), tol=1e-13, max_iter=2000)
    shares = np.exp(theta) / np.exp(theta).sum()
    found = by_system(bt.rank(scores, by="bradley_terry", ties=ties, n_resamples=2))

    assert [found[name] for name in scores.systems] == pytest.approx(list(shares), abs=1e-8)


def evalica_matches(evalica, left, right, outcome):
    """Arguments of evalica's ratings."""
    winner = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    return list(left), list(right), [winner[float(score)] for score in outcome]


@pytest.mark.parametrize(("ties", "weight"), [("drop", 0.0), ("half", 0.5)])
def test_bradley_terry_of_matches_is_evalicas(ties, weight):
    """Its scores, scaled to sum 1, to 1e-8."""
    evalica = pytest.importorskip("evalica")
    table = drawn_matches(6, 900, seed=3)
    names = [[table.systems[i] for i in side.tolist()] for side in (table.left, table.right)]
    result = evalica.bradley_terry(
        *evalica_matches(evalica, *names, table.outcome), tie_weight=weight, tolerance=1e-13, limit=100_000
    )
    found = by_system(bt.rank(table, ties=ties))
    expected = (result.scores / result.scores.sum()).to_dict()

    assert found == pytest.approx(expected, abs=1e-8)


def segment_by_segment(scores):
    """All matches as they are played: segments in turn, and in each the pairs (A, B), (A, C), …, (B, C), …"""
    for column in scores.goodness.T:
        for a, b in itertools.combinations(range(scores.n_systems), 2):
            yield a, b, 1.0 if column[a] > column[b] else 0.5 if column[a] == column[b] else 0.0


@pytest.mark.parametrize("table", ["distinct", "ties", "lower is better"])
def test_elo_of_scores_is_evalicas(table):
    """Segment by segment, K = 20, from 1500."""
    evalica = pytest.importorskip("evalica")
    scores = TABLES[table]
    left, right, outcome = zip(*segment_by_segment(scores), strict=True)
    result = evalica.elo(
        *evalica_matches(evalica, left, right, outcome), initial=1500.0, k=20.0, scale=400.0, base=10.0
    )
    found = by_system(bt.rank(scores, by="elo", order="segments", n_resamples=2))
    expected = result.scores.sort_index().to_numpy()

    assert [found[name] for name in scores.systems] == pytest.approx(list(expected), abs=1e-8)


@pytest.mark.parametrize("table", ["distinct", "ties", "lower is better"])
def test_trueskill_of_scores_is_the_packages(table):
    """Segment by segment, the package's defaults and its own normal distribution: to 1e-6."""
    package = pytest.importorskip("trueskill")
    scores = TABLES[table]
    ratings = [package.Rating() for _ in scores.systems]
    for a, b, outcome in segment_by_segment(scores):
        first, second = (b, a) if outcome == 0 else (a, b)
        ratings[first], ratings[second] = package.rate_1vs1(
            ratings[first], ratings[second], drawn=outcome == 0.5
        )
    found = by_system(bt.rank(scores, by="trueskill", order="segments", n_resamples=2))

    expected = [rating.mu for rating in ratings]
    assert [found[name] for name in scores.systems] == pytest.approx(expected, rel=1e-6)


def scipy_interval(values, statistic, name, *, method, n_resamples, confidence=0.95):
    """SciPy's bootstrap interval with the random numbers that our first block uses."""
    found = stats.bootstrap(
        (values,),
        statistic,
        method=method,
        n_resamples=n_resamples,
        confidence_level=confidence,
        vectorized=True,
        rng=stream(12345, f"bootstrap of {name}", 0),
    )
    return found.confidence_interval


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize(("by", "statistic"), [("mean", np.mean), ("median", np.median)])
@pytest.mark.parametrize("confidence", [0.95, 0.5])
def test_bootstrap_intervals_are_scipys_with_the_same_draws(method, by, statistic, confidence):
    """The same 500 resamples give the same percentile and BCa limits, system by system."""
    scores = drawn_scores(3, 41, seed=9)
    found = bt.rank(scores, by=by, interval=method, n_resamples=500, confidence=confidence)
    for name, row in zip(scores.systems, scores.values, strict=True):
        theirs = scipy_interval(
            row,
            statistic,
            by,
            method={"bca": "BCa"}.get(method, method),
            n_resamples=500,
            confidence=confidence,
        )
        assert by_system(found, "low")[name] == pytest.approx(theirs.low, rel=1e-9)
        assert by_system(found, "high")[name] == pytest.approx(theirs.high, rel=1e-9)


def test_bootstrap_intervals_are_scipys_with_other_draws():
    """Twenty thousand resamples of both agree to a few percent of the width."""
    scores = drawn_scores(2, 60, seed=10)
    found = bt.rank(scores, n_resamples=20_000, rng=1)
    for name, row in zip(scores.systems, scores.values, strict=True):
        theirs = stats.bootstrap((row,), np.mean, method="percentile", n_resamples=20_000, rng=2)
        width = theirs.confidence_interval.high - theirs.confidence_interval.low
        assert by_system(found, "low")[name] == pytest.approx(
            theirs.confidence_interval.low, abs=0.03 * width
        )
        assert by_system(found, "high")[name] == pytest.approx(
            theirs.confidence_interval.high, abs=0.03 * width
        )


DOCUMENTS = [*"aabbbcdddde", *"fffghhii"]


@pytest.mark.parametrize(("by", "statistic"), [("mean", np.mean), ("median", np.median)])
def test_documents_are_drawn_as_a_loop_draws_them(by, statistic):
    """Draw documents, lay their segments side by side, take the statistic: the same limits."""
    scores = drawn_scores(2, len(DOCUMENTS), seed=11, groups=DOCUMENTS)
    found = bt.rank(scores, by=by, units="groups", interval="percentile", n_resamples=300)
    names = sorted(set(DOCUMENTS))
    draws = stream(12345, f"bootstrap of {by}", 0).integers(0, len(names), size=(300, len(names)))
    for name, row in zip(scores.systems, scores.values, strict=True):
        of_document = [row[[i for i, d in enumerate(DOCUMENTS) if d == document]] for document in names]
        drawn = [statistic(np.concatenate([of_document[k] for k in draw])) for draw in draws]
        low, high = np.quantile(drawn, [0.025, 0.975])
        assert by_system(found, "low")[name] == pytest.approx(low, rel=1e-12)
        assert by_system(found, "high")[name] == pytest.approx(high, rel=1e-12)


@each_side
def test_documents_are_permuted_as_a_loop_permutes_them(alternative):
    """All sign flips of whole documents, written out."""
    scores = drawn_scores(2, len(DOCUMENTS), seed=12, groups=DOCUMENTS)
    d = scores.values[0] - scores.values[1]
    sums = [
        d[[i for i, name in enumerate(DOCUMENTS) if name == document]].sum()
        for document in sorted(set(DOCUMENTS))
    ]
    flipped = np.array([np.dot(signs, sums) for signs in itertools.product((1, -1), repeat=len(sums))])
    extreme = {
        "two-sided": np.abs(flipped) >= abs(d.sum()) - 1e-12,
        "greater": flipped >= d.sum() - 1e-12,
        "less": flipped <= d.sum() + 1e-12,
    }[alternative]
    found = bt.compare(scores, units="groups", alternative=alternative).pair("A", "B")

    assert found.pvalue == pytest.approx(extreme.mean(), rel=1e-12)


@each_side
def test_the_clustered_t_is_that_of_matrices(alternative):
    """Bias-reduced errors (CR2) and Satterthwaite's degrees of freedom, with every matrix written out."""
    scores = drawn_scores(3, len(DOCUMENTS), seed=13, groups=DOCUMENTS)
    n = len(DOCUMENTS)
    member = np.array([[d == document for d in DOCUMENTS] for document in sorted(set(DOCUMENTS))])
    residual = np.eye(n) - np.ones((n, n)) / n  # the mean taken out
    weights = []
    for rows in member:
        root = np.linalg.inv(linalg.sqrtm(residual[np.ix_(rows, rows)]))
        weights.append(residual[:, rows] @ root @ np.ones(rows.sum()) / n)
    weights = np.array(weights)
    size = np.linalg.eigvalsh(weights @ weights.T)
    t = stats.t(size.sum() ** 2 / (size**2).sum())
    found = bt.compare(scores, test="t", units="groups", alternative=alternative)
    for a, b, x, y in paired(scores):
        mean, error = (x - y).mean(), np.sqrt(((weights @ (x - y)) ** 2).sum())
        upper = t.sf(mean / error)
        expected = {"two-sided": 2 * min(upper, 1 - upper), "greater": upper, "less": 1 - upper}[alternative]
        pair = found.pair(a, b)
        assert pair.pvalue == pytest.approx(expected, rel=1e-9)
        assert (pair.low, pair.high) == pytest.approx(
            (mean - t.ppf(0.975) * error, mean + t.ppf(0.975) * error), rel=1e-9
        )


@each_side
def test_the_clustered_t_of_equal_documents_is_that_of_statsmodels(alternative):
    """OLS of the differences on a constant with standard errors clustered by document."""
    api = pytest.importorskip("statsmodels.api")
    codes = np.arange(21) // 3
    scores = drawn_scores(3, 21, seed=13, groups=[str(code) for code in codes])
    found = bt.compare(scores, test="t", units="groups", alternative=alternative)
    for a, b, x, y in paired(scores):
        fit = api.OLS(x - y, np.ones(x.size)).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
        half = float(fit.pvalues[0]) / 2
        upper = half if fit.params[0] > 0 else 1 - half
        expected = {"two-sided": 2 * half, "greater": upper, "less": 1 - upper}[alternative]
        pair = found.pair(a, b)
        assert pair.pvalue == pytest.approx(expected, rel=1e-9)
        assert (pair.low, pair.high) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-9)


def accuracy(counts):
    """Right over all, of summed counts."""
    return counts[..., 0] / counts[..., 1]


@each_side
@pytest.mark.parametrize("units", ["segments", "groups"])
def test_the_corpus_score_is_permuted_as_a_loop_permutes_it(alternative, units):
    """The same random swaps, one at a time: sum, apply the formula, count; (b + 1) / (B + 1)."""
    table = drawn_counts(3, 16, seed=2, groups=list("aabbccddeeffgghh"))
    values = table.values if units == "segments" else table.values.reshape(3, 8, 2, 2).sum(axis=2)
    swaps = random_signs(400, values.shape[1], stream(12345, "permutation of counts", 0)) < 0
    found = bt.compare(
        table, units=units, method="monte_carlo", n_resamples=400, alternative=alternative, correction="none"
    )
    for a, b in itertools.permutations(range(3), 2):
        observed = accuracy(values[a].sum(axis=0)) - accuracy(values[b].sum(axis=0))
        extreme = 0
        for swap in swaps:
            first = np.where(swap[:, None], values[b], values[a]).sum(axis=0)
            second = np.where(swap[:, None], values[a], values[b]).sum(axis=0)
            gap = accuracy(first) - accuracy(second)
            reached = {
                "two-sided": abs(gap) >= abs(observed) - 1e-12,
                "greater": gap >= observed - 1e-12,
                "less": gap <= observed + 1e-12,
            }
            extreme += reached[alternative]
        pair = found.pair(table.systems[a], table.systems[b])
        assert pair.pvalue == pytest.approx((extreme + 1) / 401)
        assert pair.effect == pytest.approx(observed)


def test_the_corpus_permutation_is_near_the_one_over_all_swaps():
    """Of eight segments all 256 swaps can be made; 9999 random ones come close."""
    table = drawn_counts(2, 8, seed=3)
    a, b = table.values
    gaps = []
    for swap in itertools.product((False, True), repeat=8):
        s = np.array(swap)[:, None]
        gaps.append(accuracy(np.where(s, b, a).sum(axis=0)) - accuracy(np.where(s, a, b).sum(axis=0)))
    exact = np.mean(np.abs(gaps) >= abs(gaps[0]) - 1e-12)

    found = bt.compare(table).pair("A", "B").pvalue
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 9999))


def test_the_pooled_interval_is_that_of_a_loop():
    """Draw segments, sum their counts, apply the formula."""
    table = drawn_counts(2, 15, seed=4)
    draws = stream(12345, "bootstrap of pooled scores", 0).integers(0, 15, size=(200, 15))
    found = bt.rank(table, interval="percentile", n_resamples=200)
    for name, values in zip(table.systems, table.values, strict=True):
        drawn = [accuracy(values[draw].sum(axis=0)) for draw in draws]
        low, high = np.quantile(drawn, [0.025, 0.975])
        assert by_system(found, "low")[name] == pytest.approx(low)
        assert by_system(found, "high")[name] == pytest.approx(high)


@each_side
def test_the_bootstrap_test_is_that_of_a_loop(alternative):
    """Shifted to the null: how often is a resampled mean as many of its errors from the one seen as that is from 0?"""
    scores = drawn_scores(3, 20, seed=14)
    draws = stream(12345, "bootstrap test", 0).integers(0, 20, size=(300, 20))
    found = bt.compare(scores, test="bootstrap", n_resamples=300, alternative=alternative)
    for a, b, x, y in paired(scores):
        d = x - y
        t = stats.ttest_1samp(d, 0.0).statistic
        drawn = stats.ttest_1samp(d[draws], d.mean(), axis=1).statistic
        extreme = {"two-sided": np.abs(drawn) >= abs(t), "greater": drawn >= t, "less": drawn <= t}[
            alternative
        ]
        assert found.pair(a, b).pvalue == pytest.approx((extreme.sum() + 1) / 301)


@each_side
def test_monte_carlo_is_that_of_a_loop(alternative):
    """The same random signs, one at a time; (b + 1) / (B + 1)."""
    scores = drawn_scores(3, 20, seed=15)
    signs = random_signs(300, 20, stream(12345, "permutation", 0)).astype(np.float64)
    found = bt.compare(scores, method="monte_carlo", n_resamples=300, alternative=alternative)
    for a, b, x, y in paired(scores):
        d = x - y
        sums = signs @ d
        extreme = {
            "two-sided": np.abs(sums) >= abs(d.sum()) - 1e-12,
            "greater": sums >= d.sum() - 1e-12,
            "less": sums <= d.sum() + 1e-12,
        }[alternative]
        assert found.pair(a, b).pvalue == pytest.approx((extreme.sum() + 1) / 301)


@pytest.mark.parametrize(("method", "name"), [("auto", "maximum statistic"), ("monte_carlo", "permutation")])
def test_the_maximum_statistic_is_that_of_a_loop(method, name):
    """Successive maxima of studentised statistics, written out, and never below the pair's own p-value.

    Sampled p-values and their maxima come from the same permutations.
    """
    scores = drawn_scores(4, 20, seed=16, gap=0.2)
    signs = random_signs(200, 20, stream(12345, name, 0)).astype(np.float64)
    pairs = list(itertools.combinations(range(4), 2))
    gaps = [scores.values[a] - scores.values[b] for a, b in pairs]
    observed = np.array([abs(d.sum()) / np.sqrt((d**2).sum()) for d in gaps])
    drawn = np.array([np.abs(signs @ d) / np.sqrt((d**2).sum()) for d in gaps])
    order = np.argsort(-observed)
    adjusted, floor = {}, 0.0
    for place, k in enumerate(order):
        reached = (drawn[order[place:]].max(axis=0) >= observed[k] - 1e-12).sum()
        floor = max(floor, (reached + 1) / 201)
        adjusted[pairs[k]] = floor
    found = bt.compare(scores, method=method, correction="max_statistic", n_resamples=200)
    for (a, b), expected in adjusted.items():
        pair = found.pair(scores.systems[a], scores.systems[b])
        assert pair.adjusted == pytest.approx(max(expected, pair.pvalue))
