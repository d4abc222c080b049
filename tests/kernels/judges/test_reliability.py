"""Agreement of judges: alpha, intraclass correlations, kappa, order."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from betterthan.errors import BetterThanError, UnknownName
from betterthan.kernels.intervals.intervals import influence_interval
from betterthan.kernels.judges.judge_pairs import (
    JudgedOrders,
    cohen_kappa,
    mean_kappa,
    order_kappa,
    pairwise_order,
    shared_units,
)
from betterthan.kernels.judges.left_out import left_out_interval
from betterthan.kernels.judges.reliability import (
    alpha_interval,
    intraclass_one_way,
    intraclass_two_way,
    krippendorff_alpha,
    spearman_brown,
)

_ = np.nan
# Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C: four observers of twelve units.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
)
# Printed there: nominal 0.743, ordinal 0.815, interval 0.849, ratio 0.797.
PRINTED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}
# Shrout and Fleiss (1979), table 2: six targets rated by four judges.
TARGETS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)

values = st.integers(0, 5)
rows = st.lists(st.tuples(st.integers(0, 6), values), min_size=1, max_size=40)


def units_of(matrix):
    """Judges × units as rows."""
    return np.tile(np.arange(matrix.shape[1]), len(matrix)), matrix.ravel()


def distance(level, numbers, one, other):
    """The squared difference as Krippendorff prints it, with sums over the categories in between."""
    if level == "nominal":
        return float(one != other)
    if level == "interval":
        return (one - other) ** 2
    if level == "ratio":
        return ((one - other) / (one + other)) ** 2 if one + other else 0.0
    low, high = min(one, other), max(one, other)
    between = sum(low <= v <= high for v in numbers)
    return (between - (numbers.count(one) + numbers.count(other)) / 2) ** 2


def literal_alpha(unit, value, level):
    """Alpha from its definition: all pairs within units, and all pairs."""
    by_unit = {}
    for u, v in zip(unit, value, strict=True):
        if v == v:  # noqa: PLR0124  (not missing)
            by_unit.setdefault(u, []).append(v)
    groups = [group for group in by_unit.values() if len(group) > 1]
    numbers = [v for group in groups for v in group]
    n = len(numbers)
    if n == 0:
        return np.nan
    within = sum(
        distance(level, numbers, a, b) / (len(group) - 1)
        for group in groups
        for i, a in enumerate(group)
        for j, b in enumerate(group)
        if i != j
    )
    between = sum(
        distance(level, numbers, a, b) for i, a in enumerate(numbers) for j, b in enumerate(numbers) if i != j
    )
    return 1 - within / n / (between / (n * (n - 1))) if between else np.nan


@pytest.mark.parametrize(("level", "printed"), PRINTED.items())
def test_alpha_is_as_printed_by_krippendorff(level, printed):
    """With missing values, on all four levels."""
    found = krippendorff_alpha(*units_of(OBSERVERS), level=level)
    assert found.alpha == pytest.approx(printed, abs=0.0005)
    assert (found.n_units, found.n_values) == (11, 40)


@given(rows, st.sampled_from(list(PRINTED)), st.randoms(use_true_random=False))
def test_alpha_is_that_of_the_definition(rows, level, random):
    """A loop over all pairs; the order of rows and the numbers of units do not matter."""
    unit, value = np.array([r[0] for r in rows]), np.array([float(r[1]) for r in rows])
    value[::5] = np.nan
    expected = literal_alpha(unit.tolist(), value.tolist(), level)
    found = krippendorff_alpha(unit, value, level=level).alpha
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    order = random.sample(range(len(rows)), len(rows))
    again = krippendorff_alpha(100 - unit[order] * 7, value[order], level=level).alpha
    np.testing.assert_allclose(again, found, rtol=1e-12, atol=1e-12)


def test_alpha_of_equal_values_is_not_defined():
    """Nothing varies, so nothing can agree beyond chance; also with values that are not exact in binary."""
    for level in PRINTED:
        assert np.isnan(krippendorff_alpha(np.array([0, 0, 1, 1]), np.full(4, 0.1), level=level).alpha)
        assert np.isnan(krippendorff_alpha(np.arange(4), np.arange(4.0), level=level).alpha)


def test_alpha_of_perfect_agreement_is_one():
    """Two judges who always say the same, and not always the same thing."""
    for level in PRINTED:
        assert (
            krippendorff_alpha(np.array([0, 0, 1, 1]), np.array([0.1, 0.1, 0.7, 0.7]), level=level).alpha == 1
        )


def test_odd_levels_are_refused():
    """With the known ones; a ratio needs a true zero."""
    with pytest.raises(UnknownName, match=r'Unknown level "intervall"\. Did you mean "interval"'):
        krippendorff_alpha(np.zeros(2, int), np.zeros(2), level="intervall")
    with pytest.raises(BetterThanError, match="Ratio-scale agreement needs values of 0 or more"):
        krippendorff_alpha(np.zeros(2, int), np.array([-1.0, 2]), level="ratio")


def test_intraclass_correlations_are_those_of_shrout_and_fleiss():
    """Table 4: ICC(1,1) .17, ICC(2,1) .29, ICC(3,1) .71; the intervals as R's psych::ICC prints them."""
    unit = np.repeat(np.arange(6), 4)
    found = {
        "one": intraclass_one_way(unit, TARGETS.ravel(), is_normal=True),
        "agreement": intraclass_two_way(TARGETS),
        "consistency": intraclass_two_way(TARGETS, kind="consistency"),
    }
    assert [round(icc.icc, 2) for icc in found.values()] == [0.17, 0.29, 0.71]
    printed = {"one": (-0.133, 0.72), "agreement": (0.019, 0.76), "consistency": (0.342, 0.95)}
    for name, (low, high) in printed.items():
        assert found[name].low == pytest.approx(low, abs=0.0005)
        assert found[name].high == pytest.approx(high, abs=0.005)
        assert (found[name].n_units, found[name].per_unit) == (6, 4)


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=5), min_size=2, max_size=6))
def test_the_one_way_correlation_follows_from_the_anova_of_scipy(groups):
    """ICC = (F − 1) / (F + k₀ − 1) with F of the one-way analysis of variance, also for unequal groups."""
    unit = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    value = np.array([float(v) for group in groups for v in group])
    found = intraclass_one_way(unit, value)
    sizes = np.array([len(group) for group in groups])
    spread = any(len(set(group)) > 1 for group in groups)
    if len(set(value)) == 1 or (sizes == 1).all():
        assert np.isnan(found.icc)
    elif not spread:
        assert found.icc == found.low == found.high == 1
    else:
        f = stats.f_oneway(*groups).statistic
        k = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(groups) - 1)
        assert found.icc == pytest.approx((f - 1) / (f + k - 1), rel=1e-9, abs=1e-9)
        assert found.low <= found.icc <= found.high


@given(st.integers(2, 6), st.integers(2, 4), st.integers(0, 10_000))
def test_severity_matters_for_agreement_and_not_for_consistency(n, k, seed):
    """Adding a number to one judge's values moves ICC(A,1) and leaves ICC(C,1)."""
    rng = np.random.default_rng(seed)
    given = rng.normal(size=(n, 1)) + rng.normal(size=(n, k))
    shifted = given + 5 * np.arange(k)
    for values in (given, shifted):
        literal = literal_two_way(values)
        for kind in ("agreement", "consistency"):
            found = intraclass_two_way(values, kind=kind)
            assert found.icc == pytest.approx(literal[kind], rel=1e-9)
            if found.icc > 0:
                assert found.low <= found.icc <= found.high
    before, after = (intraclass_two_way(v, kind="consistency").icc for v in (given, shifted))
    assert after == pytest.approx(before, rel=1e-6)
    assert abs(intraclass_two_way(shifted).icc) < abs(intraclass_two_way(given).icc) + 1e-12


def literal_two_way(values):
    """Both correlations from sums of squares in plain Python."""
    n, k = values.shape
    table = values.tolist()
    grand = sum(map(sum, table)) / (n * k)
    row = [sum(line) / k for line in table]
    column = [sum(line[j] for line in table) / n for j in range(k)]
    msr = k * sum((r - grand) ** 2 for r in row) / (n - 1)
    msc = n * sum((c - grand) ** 2 for c in column) / (k - 1)
    mse = sum((table[i][j] - row[i] - column[j] + grand) ** 2 for i in range(n) for j in range(k))
    mse /= (n - 1) * (k - 1)
    return {
        "agreement": (msr - mse) / (msr + (k - 1) * mse + k * (msc - mse) / n),
        "consistency": (msr - mse) / (msr + (k - 1) * mse),
    }


def test_two_way_correlations_need_a_complete_design():
    """And say what to use instead; one judge or one unit leave them undefined."""
    with pytest.raises(
        BetterThanError, match=r"needs every judge's value of every unit. Use the one-way one"
    ):
        intraclass_two_way(np.array([[1, np.nan], [2, 3]]))
    with pytest.raises(UnknownName, match="Unknown kind of intraclass correlation"):
        intraclass_two_way(TARGETS, kind="absolute")
    assert np.isnan(intraclass_two_way(TARGETS[:1]).icc)
    assert np.isnan(intraclass_two_way(TARGETS[:, :1]).icc)
    assert np.isnan(intraclass_two_way(np.full((3, 2), 0.1)).icc)
    assert np.isnan(intraclass_one_way(np.zeros(3, int), np.arange(3.0)).icc)
    perfect = intraclass_two_way(np.array([[1.0, 1], [2, 2]]))
    assert (perfect.icc, perfect.low, perfect.high) == (1, 1, 1)


def test_the_mean_of_several_judgements_is_more_reliable():
    """Spearman–Brown: ICC(1,4) of Shrout and Fleiss is .44, from ICC(1,1)."""
    single = intraclass_one_way(np.repeat(np.arange(6), 4), TARGETS.ravel()).icc
    assert spearman_brown(single, 4) == pytest.approx(0.44, abs=0.005)
    assert spearman_brown(single, 1) == single


@given(st.lists(st.tuples(values, values), min_size=1, max_size=30))
@pytest.mark.parametrize(
    ("ours", "theirs"), [("none", None), ("linear", "linear"), ("quadratic", "quadratic")]
)
def test_kappa_is_that_of_scikit_learn(ours, theirs, rows):
    """On categories numbered from 0; undefined where both give one value throughout. Symmetric."""
    first, second = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    found = cohen_kappa(first, second, weights=ours)
    assert np.array_equal(
        found, cohen_kappa(second, first, weights=ours), equal_nan=True
    ) or found == pytest.approx(cohen_kappa(second, first, weights=ours), abs=1e-12)
    if len({*first, *second}) == 1:
        assert np.isnan(found)
        return
    expected = cohen_kappa_score(first.astype(int), second.astype(int), weights=theirs, labels=range(6))
    assert found == pytest.approx(expected, abs=1e-12)


def test_kappa_of_nothing_is_not_defined():
    """No shared unit, no agreement."""
    assert np.isnan(cohen_kappa(np.array([]), np.array([])))
    with pytest.raises(UnknownName, match="Unknown weighting of kappa"):
        cohen_kappa(np.zeros(1), np.zeros(1), weights="cubic")
    assert np.isnan(mean_kappa(np.array([0, 1]), np.array([0, 1]), np.array([1.0, 2]))).all()


judged = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), values, min_size=1, max_size=50
)


@given(judged)
def test_pairs_of_judges_are_those_of_a_plain_loop(judged):
    """Shared units, kappa and order of every two judges, from dictionaries."""
    segment, system, judge = (np.array(column) for column in zip(*judged, strict=True))
    value = np.array(list(judged.values()), dtype=float)
    expected, orders = {}, {}
    for a, b in combinations(range(5), 2):
        shared = sorted(
            (cell[:2], judged[cell], judged[(*cell[:2], b)])
            for cell in judged
            if cell[2] == a and (*cell[:2], b) in judged
        )
        if shared:
            expected[a, b] = [(x, y) for _, x, y in shared]
            signs = [
                (np.sign(x1 - x2), np.sign(y1 - y2))
                for (c1, x1, y1), (c2, x2, y2) in combinations(shared, 2)
                if c1[0] == c2[0]
            ]
            alike = sum(s == t for s, t in signs)
            opposite = sum(s * t < 0 for s, t in signs)
            ties = sum(
                int(s == 0) + int(t == 0) for s, t in signs
            )  # two truth values of NumPy would be or-ed
            orders[a, b] = (len(signs), alike, opposite, len(signs) - alike - opposite, ties)
    pairs = {
        (p.first, p.second): list(zip(p.x.tolist(), p.y.tolist(), strict=True))
        for p in shared_units(segment * 4 + system, judge, value)
    }
    assert pairs == expected
    found = pairwise_order(segment, system, judge, value)
    assert {(a, b): tuple(rest) for a, b, *rest in zip(*(c.tolist() for c in found), strict=True)} == orders
    columns = [np.array(pair, dtype=float).T for pair in expected.values()]
    kappas = np.array([cohen_kappa(x, y, weights="quadratic") for x, y in columns])
    known = ~np.isnan(kappas)
    mean = mean_kappa(segment * 4 + system, judge, value).kappa
    if known.any():
        weights = np.array([x.size for x, _ in columns])
        assert mean == pytest.approx(np.average(kappas[known], weights=weights[known]))
    else:
        assert np.isnan(mean)


def test_missing_values_are_no_judgements():
    """NaN makes no shared unit."""
    rows = list(shared_units(np.zeros(3, int), np.arange(3), np.array([1.0, np.nan, 2.0])))
    assert [(row.first, row.second) for row in rows] == [(0, 2)]


def test_the_kappa_of_order_by_hand():
    """A tenth of the judgments are ties: chance agrees on 0.1² + 0.9² / 2 = 0.415 of the pairs."""
    orders = JudgedOrders(*(np.array([n]) for n in (0, 1, 50, 30, 15, 5, 10)))
    assert order_kappa(orders) == pytest.approx((0.6 - 0.415) / (1 - 0.415))
    nothing = JudgedOrders(*(np.array([], dtype=int) for _ in range(7)))
    assert np.isnan(order_kappa(nothing))
    always_tied = JudgedOrders(*(np.array([n]) for n in (0, 1, 5, 5, 0, 0, 10)))
    assert np.isnan(order_kappa(always_tied))


def test_the_interval_of_the_intraclass_correlation_is_the_jackknifes():
    """Units left out one at a time, with unequal numbers of judgments."""
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 5, size=15)
    unit = np.repeat(np.arange(15), sizes)
    value = rng.exponential(size=15)[unit] + rng.normal(size=unit.size)

    def log_f(units, values):
        groups = [values[units == one] for one in np.unique(units)]
        between = sum(g.size * (g.mean() - values.mean()) ** 2 for g in groups) / (len(groups) - 1)
        within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (values.size - len(groups))
        return np.log(between / within)

    whole = log_f(unit, value)
    pull = np.array([14 * (whole - log_f(unit[unit != one], value[unit != one])) for one in range(15)])
    ends = influence_interval(np.array([whole]), pull[:, None], confidence=0.95)
    found = intraclass_one_way(unit, value)
    expected = [float((np.exp(end[0]) - 1) / (np.exp(end[0]) + found.per_unit - 1)) for end in ends]
    assert [found.low, found.high] == pytest.approx(expected, rel=1e-9)


def campaign(seed, *, judges=4, segments=7, systems=3):
    """Rows of unit, judge, value and segment: outputs of a segment are alike, and a third of the cells is missing."""
    rng = np.random.default_rng(seed)
    segment, system, judge = (column.ravel() for column in np.indices((segments, systems, judges)))
    quality = rng.exponential(size=segments)[segment] + rng.normal(size=(segments, systems))[segment, system]
    value = np.round(2 * (quality + rng.normal(size=segment.size)))
    keep = rng.random(segment.size) < 2 / 3
    return tuple(column[keep] for column in (segment * systems + system, judge, value, segment))


def without_each(cluster, statistic):
    """The statistic of the rows without each cluster in turn."""
    return np.array([statistic(cluster != one) for one in np.unique(cluster)])


# Computed in R 4.2.2 with outer(), rank(), atanh(), qt() and sd(): alpha of all units and without each, and Hall's
# interval of the pulls. The mean of six kappas is also that of psych 2.2.9, cohen.kappa(levels = 1:10).
IN_R = {
    "interval": (0.849107142857, -0.549599295652, 0.982934761527),
    "ordinal": (0.815387503755, -0.630879768811, 0.971268658524),
    "targets": (0.147307850390, -0.265521305307, 0.592235931541),
    "kappa": (0.3351081352124, 0.0854757509808, 0.6573548699558),
}


@pytest.mark.parametrize("level", ["interval", "ordinal"])
def test_intervals_of_alpha_are_those_of_r(level):
    """Krippendorff's observers, who leave a wide interval: without one unit alpha would be 0.96."""
    rows = units_of(OBSERVERS)
    found = krippendorff_alpha(*rows, level=level).alpha, *alpha_interval(*rows, level=level)
    assert found == pytest.approx(IN_R[level], abs=1e-9)


def test_intervals_of_targets_are_those_of_r():
    """Alpha, and Cohen's kappa with squared distances, of the six targets of Shrout and Fleiss."""
    unit, value = units_of(TARGETS.T)
    found = krippendorff_alpha(unit, value).alpha, *alpha_interval(unit, value)
    assert found == pytest.approx(IN_R["targets"], abs=1e-9)
    assert mean_kappa(unit, np.repeat(np.arange(4), 6), value) == pytest.approx(IN_R["kappa"], abs=1e-9)


@pytest.mark.parametrize("by_segments", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_intervals_leave_out_one_cluster_at_a_time(seed, by_segments):
    """Alpha and mean kappa are computed anew from the rows that are left."""
    unit, judge, value, segment = campaign(seed)
    cluster = segment if by_segments else unit

    def alpha(keep):
        return krippendorff_alpha(unit[keep], value[keep]).alpha

    def kappa(keep):
        return mean_kappa(unit[keep], judge[keep], value[keep]).kappa

    everything = np.ones(unit.size, dtype=bool)
    paired = np.bincount(unit)[unit] > 1  # a single value of a unit is compared with nothing
    expected = left_out_interval(
        alpha(everything), without_each(cluster[paired], lambda keep: alpha(np.flatnonzero(paired)[keep]))
    )
    assert alpha_interval(unit, value, cluster=cluster) == pytest.approx(expected, rel=1e-9)
    expected = left_out_interval(
        kappa(everything), without_each(cluster[paired], lambda keep: kappa(np.flatnonzero(paired)[keep]))
    )
    found = mean_kappa(unit, judge, value, cluster=cluster)
    assert found == pytest.approx((kappa(everything), *expected), rel=1e-9)


def test_standardised_values_and_ranks_are_not_made_anew():
    """The interval of ranks is that of the ranks as values."""
    unit, _judge, value, segment = campaign(3)
    paired = np.bincount(unit)[unit] > 1
    ranks = np.where(paired, 0.0, np.nan)
    ranks[paired] = stats.rankdata(value[paired])
    expected = alpha_interval(unit, ranks, cluster=segment)
    assert alpha_interval(unit, value, cluster=segment, level="ordinal") == pytest.approx(expected, rel=1e-9)


def test_dependent_outputs_make_intervals_wider():
    """Twelve systems that are equally good on every segment: 240 outputs of 20 segments know less than 240 would."""
    rng = np.random.default_rng(4)
    segment, _, judge = (column.ravel() for column in np.indices((20, 12, 3)))
    unit = np.repeat(np.arange(240), 3)
    value = rng.normal(size=20)[segment] + rng.normal(size=unit.size)
    for interval in (
        lambda **how: alpha_interval(unit, value, **how),
        lambda **how: mean_kappa(unit, judge, value, **how)[1:],
        lambda **how: intraclass_one_way(unit, value, **how)[1:3],
    ):
        alone, together = (np.ptp(interval(**how)) for how in ({}, {"cluster": segment}))
        assert together > 1.5 * alone


def test_fewer_than_four_clusters_say_nothing():
    """Of twelve outputs in three documents agreement is known, and its interval is not."""
    unit, value = np.repeat(np.arange(12), 2), np.arange(24.0) % 7
    document = unit // 4
    assert np.isnan(alpha_interval(unit, value, cluster=document)).all()
    assert np.isnan(mean_kappa(unit, np.tile([0, 1], 12), value, cluster=document)[1:]).all()
    found = intraclass_one_way(unit, value, cluster=document)
    assert not np.isnan(found.icc)
    assert np.isnan([found.low, found.high]).all()


def test_where_alpha_is_unknown_so_is_its_interval():
    """Three units, or judges who never differ."""
    assert np.isnan(alpha_interval(np.repeat(np.arange(3), 2), np.arange(6.0))).all()
    assert np.isnan(alpha_interval(np.repeat(np.arange(5), 2), np.repeat(np.arange(5.0), 2))).all()
    assert np.isnan(mean_kappa(np.arange(4), np.zeros(4, int), np.arange(4.0))).all()
    alike = mean_kappa(np.repeat(np.arange(5), 2), np.tile([0, 1], 5), np.repeat(np.arange(5.0), 2))
    assert alike.kappa == 1
    assert np.isnan(alike[1:]).all()
