"""Ranking and comparing battles: clusters of judges, covariates, and what is said about the graph."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.analysis.matches.matches import critical_values, fit_matches
from betterthan.analysis.rank import rank_matches
from betterthan.errors import BetterThanError, NotConverged, NotEstimable
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.tables.matches import Matches

NAMES = ("Kea", "Moa", "Tui", "Weka", "Kaka")


def battles(seed=1, n=600, n_judges=12, *, spread=0.4, covariates=0, ties=0.2):
    """Battles of five systems by judges who differ, single rows."""
    rng = np.random.default_rng(seed)
    m = len(NAMES)
    left = rng.integers(0, m, n)
    right = (left + rng.integers(1, m, n)) % m
    judge = rng.choice(n_judges, n, p=rng.dirichlet(np.full(n_judges, 5.0)))
    theta = np.linspace(0.8, -0.8, m) + rng.normal(0, spread, (n_judges, m))
    x = rng.normal(size=(n, covariates)) * [10.0**k for k in range(covariates)]
    style = (x / [10.0**k for k in range(covariates)]).sum(axis=1) * 0.5
    ahead = theta[judge, left] - theta[judge, right] + style
    outcome = (rng.random(n) < 1 / (1 + np.exp(-ahead))).astype(np.float64)
    outcome[rng.random(n) < ties] = 0.5
    more = {"covariates": x, "covariate_names": [f"x{k}" for k in range(covariates)]} if covariates else {}
    return Matches(systems=NAMES, left=left, right=right, outcome=outcome, group=judge, **more)


def statsmodels_fit(matches, policy="half"):
    """Strengths with sum 0 and coefficients from a logistic regression, and how sure contrasts of them are.

    The second is a function of contrasts that returns standard errors and Student's quantiles, by the definition of
    Bell and McCaffrey with the whole matrix of the projection.
    """
    sm = pytest.importorskip("statsmodels.api")
    kept = matches.outcome != 0.5 if policy == "drop" else np.ones(matches.outcome.size, dtype=bool)
    m = matches.n_systems
    design = (np.eye(m)[matches.left] - np.eye(m)[matches.right])[kept, :-1]
    n_extra = 0
    if matches.covariates is not None:
        x = matches.covariates[kept]
        design = np.column_stack([design, x / np.sqrt((x**2).mean(axis=0))])
        n_extra = x.shape[1]
    model = sm.GLM(matches.outcome[kept], design, family=sm.families.Binomial())
    fit = model.fit(tol=1e-14, maxiter=200)
    chance = fit.fittedvalues
    root = np.sqrt(chance * (1 - chance))
    rows, rest = design * root[:, None], (matches.outcome[kept] - chance) / root
    centre = np.zeros((m + n_extra, m - 1 + n_extra))
    centre[:m, : m - 1] = (np.eye(m) - 1 / m)[:, :-1]
    centre[m:, m - 1 :] = np.eye(n_extra)
    group = np.arange(kept.sum()) if matches.group is None else matches.group[kept]
    return centre @ fit.params, lambda contrasts: sureness(rows, rest, group, contrasts @ centre)


def sureness(rows, rest, group, contrasts):
    """Standard errors and quantiles of Student's t of contrasts of a least-squares fit, by groups."""
    from scipy import stats

    bread = np.linalg.inv(rows.T @ rows)
    left_over = np.eye(len(rows)) - rows @ bread @ rows.T
    variance, pulls = 0, []
    for one in np.unique(group):
        here = group == one
        values, vectors = np.linalg.eigh(left_over[np.ix_(here, here)])
        weights = ((vectors / np.sqrt(values)) @ vectors.T) @ rows[here] @ bread @ contrasts.T
        variance = variance + (rest[here] @ weights) ** 2
        pulls.append(left_over[:, here] @ weights)
    grams = np.einsum("ink,jnk->kij", pulls, pulls)
    degrees = np.trace(grams, axis1=1, axis2=2) ** 2 / (grams**2).sum(axis=(1, 2))
    return np.sqrt(variance), stats.t.ppf(0.975, degrees), degrees


def differences(m):
    """Contrasts of all pairs."""
    return np.array([np.eye(m)[a] - np.eye(m)[b] for a in range(m) for b in range(m) if a != b])


@pytest.mark.parametrize("ties", ["half", "drop"])
@pytest.mark.parametrize("aggregated", [True, False])
def test_clustered_intervals_are_those_of_statsmodels(aggregated, ties):
    """Rows added up within a judge give what single rows give."""
    matches = battles()
    theta, sure = statsmodels_fit(matches, ties)
    given = matches.aggregated(keep_groups=True) if aggregated else matches
    found = bt.rank(given, ties=ties, scale="log")
    order = [NAMES.index(name) for name in found.systems]
    error, quantile, _ = sure(np.eye(5) - 1 / 5)
    reach = (quantile * error)[order]

    np.testing.assert_allclose(found.strength, theta[order], atol=1e-8)
    np.testing.assert_allclose(found.high - found.strength, reach, rtol=1e-6)
    np.testing.assert_allclose(found.strength - found.low, reach, rtol=1e-6)
    assert found.unit_note.startswith("Units: 12 groups (judges or sessions; effective number 8.34); ")


def test_clustered_comparisons_use_student():
    """The Wald statistic of statsmodels' covariance, with few degrees of freedom."""
    from scipy import stats

    matches = battles()
    theta, sure = statsmodels_fit(matches)
    found = bt.compare(matches.aggregated(keep_groups=True), correction="none")
    for pair in found.pairs():
        a, b = NAMES.index(pair.a), NAMES.index(pair.b)
        error, quantile, degrees = (float(x[0]) for x in sure((np.eye(5)[a] - np.eye(5)[b])[None]))
        z = abs(theta[a] - theta[b]) / error
        assert pair.pvalue == pytest.approx(2 * stats.t.sf(z, degrees), rel=1e-6)
        limit = theta[a] - theta[b] - quantile * error
        assert pair.low == pytest.approx(1 / (1 + np.exp(-limit)), rel=1e-6)


def test_degrees_of_freedom_are_those_of_the_pair():
    """Equal judges count fully, a system that two of them saw has one; infinite without judges."""
    matches = battles(n_judges=12)
    sees = (matches.left == 4) | (matches.right == 4)
    thin = dataclasses.replace(matches, group=np.where(sees, matches.group % 2, matches.group))
    found = fit_matches(thin).pair_degrees

    assert (found[4, :4] < 2.5).all()
    assert (found[:4, :4][~np.eye(4, dtype=bool)] > 5).all()
    assert np.isinf(fit_matches(dataclasses.replace(matches, group=None)).pair_degrees).all()
    assert critical_values(0.9, np.array([np.inf, np.nan])) == pytest.approx([1.6448536, np.nan], nan_ok=True)


def test_a_system_of_one_judge_has_no_verdict_and_is_named():
    """Its difference from the others cannot be told from that judge's taste; the others keep theirs."""
    matches = battles(n=900)
    sees = (matches.left == 4) | (matches.right == 4)
    matches = dataclasses.replace(matches, group=np.where(sees, 0, matches.group))
    pairs, ranked = bt.compare(matches), bt.rank(matches)
    last = ranked.systems.index("Kaka")

    assert np.isnan(pairs.pair("Kaka", "Kea").pvalue)
    assert np.isnan(pairs.pair("Kaka", "Kea").low)
    assert pairs.pair("Kaka", "Kea").verdict is None
    assert pairs.pair("Kea", "Weka").pvalue < 0.05
    assert np.isnan(ranked.low[last])
    assert np.isfinite(np.delete(ranked.low, last)).all()
    for found in (pairs, ranked, bt.rank(matches, by="win_rate")):
        assert any(note.startswith("All matches of Kaka belong to one group") for note in found.notes)
        assert str(found)


def test_uneven_groups_are_said_to_be_worth_less():
    """Many judges of whom one does most of the work are few; equal ones are only counted."""
    group = np.arange(600) % 12
    even = bt.rank(dataclasses.replace(battles(), group=group)).unit_note
    uneven = bt.rank(dataclasses.replace(battles(), group=np.where(np.arange(600) < 480, 0, group))).unit_note

    assert even.startswith("Units: 12 groups (judges or sessions); ")
    assert uneven.startswith("Units: 12 groups (judges or sessions; effective number 1.49); ")


def test_one_group_has_no_errors():
    """Two or more are needed, for intervals of every kind."""
    matches = dataclasses.replace(battles(), group=np.zeros(600, dtype=np.int64))
    for options in ({}, {"by": "win_rate"}, {"interval": "percentile", "n_resamples": 5}):
        with pytest.raises(NotEstimable, match="belong to one"):
            bt.rank(matches, **options)


def test_win_rates_are_clustered_like_a_loop():
    """The squared excess of each judge over what his own pull leaves, in Wilson's interval."""
    from scipy import stats

    matches = battles()
    found = bt.rank(matches.aggregated(keep_groups=True), by="win_rate")
    for name, rate, low, high in zip(found.systems, found.strength, found.low, found.high, strict=True):
        i = NAMES.index(name)
        excess, played = np.zeros(12), np.zeros(12)
        for left, right, outcome, judge in zip(
            matches.left, matches.right, matches.outcome, matches.group, strict=True
        ):
            if i in (left, right):
                excess[judge] += (outcome if left == i else 1 - outcome) - rate
                played[judge] += 1
        share = played / played.sum()
        variance = (excess**2 / (1 - share)).sum() / played.sum() ** 2
        pull = share**2 / (1 - share)
        degrees = 1 / ((share**2).sum() + pull.sum() ** 2 - (pull**2).sum())
        t = stats.t.ppf(0.975, degrees)
        for end in (low, high):  # Wilson: the rates that lie t errors away, their error scaled to the rate
            scaled = variance * end * (1 - end) / (rate * (1 - rate))
            assert abs(rate - end) == pytest.approx(t * np.sqrt(scaled))
    assert found.settings.options["ci"] == "95,clustered"


def test_a_win_rate_of_one_is_not_certain():
    """Wilson's interval has a width also at the ends."""
    matches = Matches(systems=["A", "B"], left=[0] * 5, right=[1] * 5, outcome=[1] * 5)
    found = bt.rank(matches, by="win_rate")

    assert found.strength.tolist() == [1.0, 0.0]
    np.testing.assert_allclose(found.low, [0.565518, 0], atol=1e-6)
    assert found.settings.options["ci"] == "95,wilson"
    assert found.settings.seed is None


def in_both_orders(seed, *, left=0.0, n=200, m=3):
    """Every question in both orders, with an advantage of standing left."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, m, n)
    b = (a + rng.integers(1, m, n)) % m
    first, second = np.concatenate([a, b]), np.concatenate([b, a])
    favour = rng.normal(0, 1, n)
    ahead = np.concatenate([favour, -favour]) + left
    outcome = (rng.random(2 * n) < 1 / (1 + np.exp(-ahead))).astype(float)
    return Matches(
        systems=NAMES[:m], left=first, right=second, outcome=outcome, segment=np.tile(np.arange(n), 2)
    )


def test_questions_in_several_rows_are_clusters():
    """The same as naming them as groups; a segment a row changes nothing."""
    matches = in_both_orders(1)
    named = dataclasses.replace(matches, group=matches.segment, segment=None)
    alone = dataclasses.replace(matches, segment=np.arange(400))
    found, same = bt.compare(matches), bt.compare(named)

    np.testing.assert_array_equal(found.pvalue, same.pvalue)
    assert found.unit_note.startswith("Units: 200 segments (questions); ")
    assert bt.compare(alone).settings.options["se"] == "robust"


def test_questions_of_one_judge_each_add_nothing():
    """The judge holds all that his questions share."""
    matches = dataclasses.replace(battles(n=600), segment=None)
    nested = dataclasses.replace(matches, segment=matches.group * 9 + np.arange(600) % 9)

    np.testing.assert_array_equal(bt.compare(nested).pvalue, bt.compare(matches).pvalue)


def test_judges_and_questions_are_clusters_at_once():
    """Two-way: what both say, less what both count; never less than either says alone."""
    matches = dataclasses.replace(battles(n=600), segment=np.arange(600) % 50)
    both = fit_matches(matches)
    single = [fit_matches(dataclasses.replace(matches, **{name: None})) for name in ("group", "segment")]
    cells = fit_matches(
        dataclasses.replace(matches, segment=None, group=matches.group * 50 + matches.segment)
    )
    summed = single[0].covariance + single[1].covariance - cells.covariance
    off = ~np.eye(5, dtype=bool)

    np.testing.assert_allclose(both.covariance, summed, atol=0.03 * np.abs(summed).max())
    for one in single:
        assert (both.pair_errors >= one.pair_errors)[off].all()
    fewest = np.minimum(*(each.pair_degrees for each in single))
    np.testing.assert_allclose(both.pair_degrees[off], fewest[off])
    units = "12 groups (judges or sessions; effective number 8.34) and 50 segments (questions)"
    assert bt.rank(matches).unit_note.startswith(f"Units: {units}; ")
    for by in ("bradley_terry", "win_rate"):
        assert np.isfinite(bt.rank(matches, by=by).low).all()


def test_three_judges_who_look_alike_are_still_three():
    """The error by questions is the larger one here, and does not have the degrees of freedom of the questions."""
    rng = np.random.default_rng(4)
    judge, question = np.divmod(np.arange(240), 80)
    outcome = (rng.random(80) < 0.5).astype(float)[question]  # the judges agree on every question
    rows = {"left": np.zeros(240, int), "right": np.ones(240, int), "outcome": outcome}
    fit = fit_matches(Matches(systems=NAMES[:2], **rows, group=judge, segment=question))

    assert fit.clusterings[0].covariance[0, 0] < fit.clusterings[1].covariance[0, 0]
    assert round(float(fit.pair_degrees[0, 1]), 9) == 2


def test_two_ways_leave_no_covariate_without_an_error():
    """What both ways count at once is subtracted from their sum, so the rest can be near 0; neither way alone is."""
    for seed in range(4):
        matches = dataclasses.replace(battles(seed, n=200, covariates=1), segment=np.arange(200) % 7)
        both = fit_matches(matches).style
        for name in ("group", "segment"):
            alone = fit_matches(dataclasses.replace(matches, **{name: None})).style
            assert both.errors[0] >= alone.errors[0] * (1 - 1e-9)
            assert both.degrees[0] <= alone.degrees[0] * (1 + 1e-9)


def test_the_side_is_tested():
    """statsmodels: one step from the fit without the constant; nothing is said where sides mean nothing."""
    biased = bt.compare(in_both_orders(3, left=0.6))
    fair = bt.compare(in_both_orders(3))
    position = {name: [n for n in found.notes if n.startswith("Position")] for name, found in
                (("biased", biased), ("fair", fair))}  # fmt: skip

    assert position["biased"][0].endswith(": position matters.")
    assert position["fair"][0].endswith(": no significant position bias.")
    matches = in_both_orders(3)
    winners_left = dataclasses.replace(
        matches,
        left=np.where(matches.outcome == 1, matches.left, matches.right),
        right=np.where(matches.outcome == 1, matches.right, matches.left),
        outcome=np.ones(400),
    )
    assert not any(note.startswith("Position") for note in bt.compare(winners_left).notes)


def test_the_advantage_of_the_left_is_that_of_a_constant_covariate():
    """The same parameter fitted in full, clustered in the same way."""
    matches = in_both_orders(4, left=0.2)
    (note,) = (n for n in bt.compare(matches).notes if n.startswith("Position"))
    full = dataclasses.replace(matches, covariates=np.ones((400, 1)), covariate_names=["left"])
    (held,) = (n for n in bt.compare(full).notes if n.startswith("left:"))
    odds = float(note.split("(odds ratio ")[1].split(",")[0])
    log_odds = float(held.split("log odds ")[1].split(" ")[0])

    assert np.log(odds) == pytest.approx(log_odds, abs=0.02)


@pytest.mark.parametrize("ties", few(["half", "drop", "davidson"], 1))
def test_whole_groups_are_drawn_for_percentiles(ties):
    """Battles of a judge come and go together, so percentiles are as wide as clustered errors."""
    matches = battles(n=1500, n_judges=30, spread=0.8)
    drawn = bt.rank(matches, ties=ties, interval="percentile", scale="log", n_resamples=400)
    alone = dataclasses.replace(matches, group=None)
    single = bt.rank(alone, ties=ties, interval="percentile", scale="log", n_resamples=400)
    assert (drawn.high - drawn.low).mean() > 1.3 * (single.high - single.low).mean()
    robust = bt.rank(matches, ties=ties, scale="log")
    ratio = (drawn.high - drawn.low) / (robust.high - robust.low)
    assert 0.75 < ratio.mean() < 1.15
    assert drawn.settings.seed == 12345


def test_drawn_groups_equal_a_loop_over_them():
    """Wins and ties of each drawn judge, as often as drawn."""
    matches = battles(n=80, n_judges=6).aggregated(keep_groups=True)
    clusters = rank_matches._clusters_to_draw(matches)
    drawn = rank_matches._drawn_clusters(clusters, 3, np.random.default_rng(5))
    times = bootstrap_counts(3, clusters.weights.shape[1], np.random.default_rng(5))
    numbers = np.unique(matches.group)
    for k in range(3):
        weight = matches.weight * times[k][np.searchsorted(numbers, matches.group)]
        again = dataclasses.replace(matches, weight=weight)
        np.testing.assert_array_equal(drawn.wins[k], again.wins())
        np.testing.assert_array_equal(drawn.ties[k], again.ties())


def test_draws_without_strengths_are_counted():
    """A few are left out and said; when all are lost there is no interval."""
    rows = {"systems": ["A", "B"], "left": [0] * 6, "right": [1] * 6}
    few = Matches(**rows, outcome=[1, 1, 1, 1, 1, 0])
    found = bt.rank(few, interval="percentile", n_resamples=200)
    assert any(
        "of 200 bootstrap samples have no finite strengths and were left out" in note for note in found.notes
    )
    judged = Matches(**rows, outcome=[1, 1, 1, 0, 0, 0], group=[0, 0, 0, 1, 1, 1])
    with pytest.raises(NotEstimable, match="Strengths do not exist in any of the bootstrap samples"):
        bt.rank(judged, interval="percentile", n_resamples=1, rng=2)


@pytest.mark.parametrize("ties", few(["half", "drop"], 1))
@pytest.mark.parametrize("clustered", [True, False])
def test_covariates_are_held_equal_as_statsmodels_does(clustered, ties):
    """Strengths, their intervals, and the coefficients in the notes."""
    matches = battles(covariates=2)
    matches = matches if clustered else dataclasses.replace(matches, group=None)
    theta, sure = statsmodels_fit(matches, ties)
    found = bt.rank(matches, ties=ties, scale="log")
    order = [NAMES.index(name) for name in found.systems]
    errors, quantiles, _ = sure(
        np.block([[np.eye(5) - 1 / 5, np.zeros((5, 2))], [np.zeros((2, 5)), np.eye(2)]])
    )
    reach = quantiles if clustered else np.full(7, 1.959963984540054)
    tolerance = 1e-6 if clustered else 0.02  # without clusters the factor is n / (n − 1)

    np.testing.assert_allclose(found.strength, theta[:5][order], atol=1e-8)
    np.testing.assert_allclose(found.high - found.strength, (reach * errors)[:5][order], rtol=tolerance)
    effects, pairs = found.effects, bt.compare(matches, ties=ties)
    np.testing.assert_allclose(effects.log_odds, theta[5:], atol=1e-8)
    np.testing.assert_allclose(effects.high - effects.log_odds, (reach * errors)[5:], rtol=tolerance)
    for k in range(2):
        b, e = theta[5 + k], reach[5 + k] * errors[5 + k]
        limits = f" (95% CI {b - e:+.3g} to {b + e:+.3g})." if clustered else ""
        start = f"x{k}: log odds {b:+.3g} per standard deviation{limits}"
        assert any(note.startswith(start) for note in pairs.notes)
    assert found.settings.options["covariates"] == "x0,x1"
    first, second = found.systems[:2]
    assert pairs.pair(first, second).size == pytest.approx(found.strength[0] - found.strength[1], abs=1e-9)


def test_sides_and_units_of_covariates_do_not_matter():
    """Swapping left and right, or metres for kilometres, changes neither strengths nor notes."""
    matches = battles(covariates=2)
    flip = np.arange(600) % 3 == 0
    swapped = dataclasses.replace(
        matches,
        left=np.where(flip, matches.right, matches.left),
        right=np.where(flip, matches.left, matches.right),
        outcome=np.where(flip, 1 - matches.outcome, matches.outcome),
        covariates=np.where(flip[:, None], -matches.covariates, matches.covariates) * [1000, 0.001],
    )
    found, again = bt.rank(matches, scale="log"), bt.rank(swapped, scale="log")

    np.testing.assert_allclose(found.strength, again.strength, atol=1e-9)
    np.testing.assert_allclose(found.low, again.low, atol=1e-9)
    assert found.notes == again.notes


def test_covariates_explain_what_looked_like_strength():
    """Two equal systems, one of which writes longer answers that people like."""
    rng = np.random.default_rng(3)
    length = rng.normal(1.0, 1.0, 4000)
    outcome = (rng.random(4000) < 1 / (1 + np.exp(-length))).astype(float)
    rows = {"systems": ["long", "short"], "left": [0] * 4000, "right": [1] * 4000, "outcome": outcome}
    naive = bt.rank(Matches(**rows))
    fair = bt.rank(Matches(**rows, covariates=length[:, None], covariate_names=["length"]), scale="log")

    assert naive.differs_from_next[0]
    assert not fair.differs_from_next[0]
    assert abs(fair.strength[0]) < 0.15


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"by": "win_rate"},
            'cannot be adjusted for with by="win_rate". Use by="bradley_terry", or leave the covariates out.',
        ),
        ({"by": "elo"}, 'Covariates cannot be adjusted for with by="elo"'),
        (
            {"ties": "davidson"},
            'Covariates cannot be combined with ties="davidson". Use ties="half" or ties="drop".',
        ),
        ({"prior": 0.5}, "Covariates cannot be combined with prior=0.5"),
        (
            {"interval": "percentile"},
            'Covariates cannot be combined with interval="percentile". Use interval="robust"',
        ),
    ],
)
def test_covariates_are_never_ignored(options, message):
    """What cannot hold them equal refuses."""
    with pytest.raises(BetterThanError) as caught:
        bt.rank(battles(covariates=1), **options)
    assert message in str(caught.value)


def test_covariates_that_say_nothing_or_everything_are_refused():
    """Always 0, or deciding every match."""
    matches = battles(covariates=1, ties=0)
    with pytest.raises(NotEstimable, match="always 0"):
        bt.rank(dataclasses.replace(matches, covariates=np.zeros((600, 1))))
    with pytest.raises(NotConverged, match="leave some out"):
        bt.rank(dataclasses.replace(matches, covariates=(2 * matches.outcome - 1)[:, None]))
    lost = dataclasses.replace(
        matches,
        outcome=np.where(matches.left == 4, 0.0, np.where(matches.right == 4, 1.0, matches.outcome)),
    )
    with pytest.raises(NotEstimable, match=r"Kaka never won\. Leave out the covariates"):
        bt.rank(lost)


CIRCLE = {"systems": ["A", "B", "C"], "left": [0, 1, 2, 0], "right": [1, 2, 0, 1], "outcome": [1, 1, 1, 1]}


def test_the_graph_is_described():
    """Connected or not, and who has played least."""
    assert bt.rank(Matches(**CIRCLE)).notes == ("Comparison graph: connected; fewest matches: C (2).",)
    lost = Matches(**{**CIRCLE, "outcome": [1, 1, 0, 1]})
    notes = bt.rank(lost, prior=0.5).notes
    assert (
        notes[-1] == "Comparison graph: not connected, C never won and A never lost; fewest matches: C (2)."
    )
    rows = {"left": [0, 1, 2, 3], "right": [1, 0, 3, 2], "outcome": [1, 1, 1, 1]}
    apart = Matches(systems=["A", "B", "C", "D"], **rows)
    notes = bt.rank(apart, prior=0.5).notes
    assert notes[-1] == (
        "Comparison graph: 2 sets of systems not connected by any decided match; fewest matches: A (2)."
    )


def test_the_systems_concerned_are_carried_by_the_error():
    """Not all of them."""
    with pytest.raises(NotEstimable) as caught:
        bt.rank(Matches(**{**CIRCLE, "outcome": [1, 1, 0, 1]}))
    assert caught.value.systems == ("C", "A")
    two = Matches(
        systems=["A", "B", "C", "D", "E"],
        left=[0, 1, 2, 3, 4],
        right=[1, 0, 3, 4, 2],
        outcome=[1, 1, 1, 1, 1],
    )
    with pytest.raises(NotEstimable, match="between these sets of systems: A, B; C, D, E") as caught:
        bt.rank(two)
    assert caught.value.systems == ("A", "B")


def test_a_system_without_a_match_is_named():
    """A prior cannot tell anything about it."""
    matches = Matches(systems=["A", "B", "C"], left=[0, 1], right=[1, 0], outcome=[1, 1])
    for options in ({}, {"prior": 0.5}, {"by": "win_rate"}, {"by": "elo"}):
        with pytest.raises(NotEstimable, match="There are no matches of C") as caught:
            bt.rank(matches, **options)
        assert caught.value.systems == ("C",)
    with pytest.raises(NotEstimable, match="There are no matches of C"):
        bt.compare(matches)


@pytest.mark.slow
def test_a_thousand_systems_are_ranked_in_seconds():
    """Nothing is done pair by pair in Python."""
    rng = np.random.default_rng(1)
    m, t = 1000, 300_000
    left = rng.integers(0, m, t)
    right = (left + rng.integers(1, m, t)) % m
    theta = rng.normal(0, 0.7, m)
    outcome = (rng.random(t) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
    systems = [f"s{i:04d}" for i in range(m)]
    found = bt.rank(Matches(systems=systems, left=left, right=right, outcome=outcome).aggregated())

    pairs = bt.compare(Matches(systems=systems, left=left, right=right, outcome=outcome).aggregated())
    better = pairs.better()
    place = np.array([pairs.systems.index(name) for name in found.systems])
    np.testing.assert_array_equal(found.rank_low, 1 + better.sum(axis=0)[place])
    np.testing.assert_array_equal(found.rank_high, m - better.sum(axis=1)[place])
    assert pairs.n_different == better.sum() > 0
    assert all(found.letters)


@pytest.mark.slow
@pytest.mark.parametrize("n_judges", [5, 12, 40])
@pytest.mark.parametrize("even", [50.0, 1.0])
def test_clustered_intervals_cover_what_they_promise(n_judges, even):
    """Judges who differ, equally busy or not at all: about 95 % of the true differences lie inside."""
    m, n, spread = 6, 1500, 0.3
    truth = np.linspace(-0.5, 0.5, m)
    rng = np.random.default_rng(n_judges)

    def drawn(judge, effects, size):
        left = rng.integers(0, m, size)
        right = (left + rng.integers(1, m, size)) % m
        theta = truth + effects
        ahead = theta[judge, left] - theta[judge, right]
        return left, right, (rng.random(size) < 1 / (1 + np.exp(-ahead))).astype(float)

    many = 400_000
    every = drawn(np.arange(many), rng.normal(0, spread, (many, m)), many)
    target = bradley_terry(
        Matches(systems=list("abcdef"), left=every[0], right=every[1], outcome=every[2]).wins()
    )
    inside = []
    for _ in range(300):
        judge = rng.choice(n_judges, n, p=rng.dirichlet(np.full(n_judges, even)))
        left, right, outcome = drawn(judge, rng.normal(0, spread, (n_judges, m)), n)
        fit = fit_matches(
            Matches(systems=list("abcdef"), left=left, right=right, outcome=outcome, group=judge)
        )
        off = np.abs(
            np.subtract.outer(fit.log_strength - target.log_strength, fit.log_strength - target.log_strength)
        )
        reach = critical_values(0.95, fit.pair_degrees) * fit.pair_errors
        inside.append((off <= reach)[np.triu_indices(m, 1)].mean())
    assert 0.93 < np.mean(inside) < 0.985


@pytest.mark.parametrize(("n_judges", "is_few"), [(2, True), (9, True), (10, False)])
@pytest.mark.parametrize("verb", [bt.rank, bt.compare])
def test_few_judges_are_called_rough(verb, n_judges, is_few):
    """A t-test with one degree of freedom may be significant; the table says how little that rests on."""
    rng = np.random.default_rng(0)
    left = rng.integers(0, 3, 200)
    matches = bt.Matches(
        systems=["A", "B", "C"],
        left=left,
        right=(left + rng.integers(1, 3, 200)) % 3,
        outcome=(rng.random(200) < 0.5).astype(float),
        group=rng.integers(0, n_judges, 200),
    )
    said = f"Only {n_judges} groups (judges or sessions): confidence intervals from so few are approximate."
    assert (said in verb(matches).notes) == is_few
