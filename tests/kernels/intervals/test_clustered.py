"""Clustered errors against R: clubSandwich 0.5.8, vcovCR(type = "CR2") with Satterthwaite's degrees of freedom."""

import numpy as np
import pytest

from betterthan.kernels.comparisons import sandwich
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.sandwich import clustered_fit, difference_errors, robust_covariance
from betterthan.kernels.judges.adjusted_means import adjusted_means, available_means
from betterthan.kernels.resampling import clustered
from betterthan.kernels.resampling.clustered import ClusterTerm, few_clusters, many_clusters

PAIRS = np.triu_indices(5, 1)
DOCUMENT = np.array([0] * 12 + [1] * 3 + [2] + [3] * 4 + [4] * 3 + [5] * 5 + [6] * 2)


def congruent(seed):
    """The same numbers from 0 to 2²³ in every language."""
    while True:
        seed = (1103515245 * seed + 12345) % 2**31
        yield seed >> 8


def judged():
    """120 battles of five systems by seven judges, of whom only two saw the last system."""
    draw = congruent(12345)
    rows = []
    for _ in range(120):
        a = next(draw) % 5
        b = next(draw) % 4
        b += b >= a
        judge = next(draw) % 7
        won = float(next(draw) % 10 < 6 - 0.8 * a + 0.8 * b)
        rows.append((a, b, judge % 2 if 4 in (a, b) else judge, won))
    left, right, judge, won = np.array(rows).T
    return left.astype(int), right.astype(int), won, judge.astype(int)


def strengths(left, right, won):
    """Bradley–Terry."""
    wins = np.zeros((5, 5))
    np.add.at(wins, (np.where(won == 1, left, right), np.where(won == 1, right, left)), 1)
    return bradley_terry(wins).log_strength


def campaign():
    """Four systems, 30 segments in seven uneven documents, many gaps; the last system is in two documents only."""
    draw = (number % 1000 / 1000 for number in congruent(99))
    taste = [[next(draw) for _ in range(7)] for _ in range(4)]
    values = np.full((4, 30), np.nan)
    for segment, document in enumerate(DOCUMENT):
        hardness = 3 * next(draw)
        for system in range(4):
            gap = next(draw) < 0.3
            value = next(draw) + 0.5 * taste[system][document] + 0.2 * system + hardness
            if not gap and (system < 3 or document < 2):
                values[system, segment] = value
    return values


def test_bradley_terry_by_judges_is_that_of_r():
    """Of lm on the working responses and weights at the fit: standard errors and degrees of freedom of all pairs."""
    left, right, won, judge = judged()
    found = clustered_fit(strengths(left, right, won), left, right, won, np.ones(120), judge)
    errors = [0.499949895462602, 0.427355508395184, 0.384252777215890, 0.393103171970506, 0.546033831203915,
              0.18199591032788, 0.578911629156403, 0.462639550622968, 0.636775467946210, 0.489085577017806]  # fmt: skip
    degrees = [4.36546419289959, 4.94878175270284, 4.80589101594719, 1.87786609805208, 4.08591135497669,
               3.80788935091056, 1.47945845188402, 4.79484309814276, 1.82717014185258, 1.43276265901436]  # fmt: skip

    np.testing.assert_allclose(difference_errors(found.covariance)[PAIRS], errors, rtol=1e-12)
    np.testing.assert_allclose(found.degrees_of_pairs(5)[PAIRS], degrees, rtol=1e-11)


def test_counting_equal_battles_changes_nothing():
    """Rows of one judge, pair and outcome may be added up, and sides swapped."""
    left, right, won, judge = judged()
    theta = strengths(left, right, won)
    single = clustered_fit(theta, left, right, won, np.ones(120), judge)
    swap = np.arange(120) % 2 == 0
    sides = np.where(swap, right, left), np.where(swap, left, right), np.where(swap, 1 - won, won)
    rows, times = np.unique(np.column_stack([*sides, judge]), axis=0, return_counts=True)
    counted = clustered_fit(
        theta,
        rows[:, 0].astype(int),
        rows[:, 1].astype(int),
        rows[:, 2],
        times.astype(float),
        rows[:, 3].astype(int),
    )

    np.testing.assert_allclose(counted.covariance, single.covariance, atol=1e-13)
    np.testing.assert_allclose(
        counted.degrees_of_pairs(5)[PAIRS], single.degrees_of_pairs(5)[PAIRS], rtol=1e-9
    )


@pytest.mark.parametrize(
    ("unit", "errors", "degrees"),
    [
        (
            np.arange(30),
            [0.0824515332969722, 0.1019415086026027, 0.1219786520332400, 0.0951476865598467, 0.1232398322470182,
             0.1368740878644811],
            [18.6287809042732, 19.3227451468196, 12.0061581819422, 20.8641844512167, 12.6602427732233,
             12.0405207831000],
        ),
        (
            DOCUMENT,
            [0.0670863857841021, 0.1175777205166485, 0.2858522433460275, 0.1145671791735575, 0.3195880351773225,
             0.2709566918068048],
            [3.86689285377054, 3.72183384288352, 1.30254126452344, 4.02271156322024, 1.41331218406236,
             1.27727272339949],
        ),
    ],
    ids=["segments", "documents"],
)  # fmt: skip
def test_adjusted_means_are_those_of_r(unit, errors, degrees):
    """Of lm with a dummy a system and a segment."""
    found = adjusted_means(campaign(), unit)
    pairs = np.triu_indices(4, 1)

    np.testing.assert_allclose(difference_errors(found.covariance)[pairs], errors, rtol=1e-11)
    np.testing.assert_allclose(found.pair_degrees[pairs], degrees, rtol=1e-11)


def test_plain_means_are_those_of_r():
    """Of lm with a dummy a system: means, and differences."""
    found = available_means(campaign(), DOCUMENT)
    pairs = np.triu_indices(4, 1)
    errors = [0.1113254154102524, 0.1268125070953154, 0.1842752262903811, 0.3579224102939538]
    apart = [0.0567145712819161, 0.1286385503688187, 0.3132654853410163, 0.1397802080116926, 0.3513704629105534,
             0.2969244634486539]  # fmt: skip
    degrees = [3.526179810814681, 3.820108634108014, 1.610181917958800, 3.926771771962461, 1.558842752592032,
               1.578744489240394]  # fmt: skip

    np.testing.assert_allclose(np.sqrt(np.diagonal(found.covariance)), errors, rtol=1e-11)
    np.testing.assert_allclose(
        found.degrees, [3.455649253593634, 3.515151932061669, 4.279254401104590, 1.0], rtol=1e-11
    )
    np.testing.assert_allclose(difference_errors(found.covariance)[pairs], apart, rtol=1e-11)
    np.testing.assert_allclose(found.pair_degrees[pairs], degrees, rtol=1e-11)


def test_diagonal_information_needs_no_matrices(monkeypatch):
    """Both ways to the same numbers, also where the table is sparse."""
    monkeypatch.setattr(clustered, "_DENSE", 0)
    rng = np.random.default_rng(3)
    cluster, parameter = rng.integers(0, 9, 200), rng.integers(0, 4, 200)
    score = rng.normal(size=200)
    total = np.bincount(parameter).astype(float)
    blocks = [
        ClusterTerm(
            np.diag(np.sqrt(np.bincount(parameter[here], minlength=4))),
            np.bincount(parameter[here], score[here], 4),
        )
        for here in (cluster == i for i in range(9))
    ]
    few = few_clusters(np.diag(1 / total), blocks)
    many = many_clusters(cluster, parameter, np.ones(200), score, n_parameters=4)
    sparse = many_clusters(cluster * 1000, parameter, np.ones(200), score, n_parameters=4)
    contrasts = rng.normal(size=(5, 4))

    for other in (many, sparse):
        np.testing.assert_allclose(other.covariance, few.covariance, rtol=1e-10)
        np.testing.assert_allclose(other.degrees(contrasts), few.degrees(contrasts), rtol=1e-10)
        np.testing.assert_allclose(other.degrees_of_pairs(4), few.degrees_of_pairs(4), rtol=1e-10)


def test_what_one_cluster_alone_knows_has_no_degrees_of_freedom():
    """The only judge of a system: nothing about it; the others are not harmed."""
    left, right, won, judge = judged()
    judge = np.where((left == 4) | (right == 4), 0, judge)
    theta = strengths(left, right, won)
    found = clustered_fit(theta, left, right, won, np.ones(120), judge).degrees_of_pairs(5)

    assert np.isnan(found[4]).all()
    assert (found[:4, :4][~np.eye(4, dtype=bool)] > 2).all()


def test_many_clusters_are_nearly_the_same(monkeypatch):
    """The cheap formulas that thousands of judges get, beside the exact ones, for 300 judges and a thin system."""
    rng = np.random.default_rng(5)
    n, m = 6000, 8
    left = rng.integers(0, m, n)
    right = (left + rng.integers(1, m, n)) % m
    judge = rng.integers(0, 300, n)
    judge = np.where((left == 7) | (right == 7), judge % 3, judge)
    won = (rng.random(n) < 0.5).astype(float)
    wins = np.zeros((m, m))
    np.add.at(wins, (np.where(won == 1, left, right), np.where(won == 1, right, left)), 1)
    rows = bradley_terry(wins).log_strength, left, right, won, np.ones(n), judge
    exact = clustered_fit(*rows)
    monkeypatch.setattr(sandwich, "MOST_CLUSTERS", 10)
    cheap = clustered_fit(*rows)
    pairs = np.triu_indices(m, 1)

    assert type(exact) is not type(cheap)
    np.testing.assert_allclose(
        difference_errors(cheap.covariance)[pairs], difference_errors(exact.covariance)[pairs], rtol=0.05
    )
    np.testing.assert_allclose(cheap.degrees_of_pairs(m)[pairs], exact.degrees_of_pairs(m)[pairs], rtol=0.3)


def test_single_matches_are_clusters_of_one():
    """Robust errors without clusters are those with every match as its own."""
    left, right, won, _ = judged()
    theta = strengths(left, right, won)
    found = clustered_fit(theta, left, right, won, np.ones(120), np.arange(120))

    np.testing.assert_allclose(robust_covariance(theta, left, right, won), found.covariance, atol=1e-13)
