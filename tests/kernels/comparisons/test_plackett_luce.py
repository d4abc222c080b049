"""Plackett–Luce: equal to choix without ties, and to the likelihood over all subsets with ties."""

import itertools

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import NotConverged
from betterthan.kernels.comparisons.davidson import davidson
from betterthan.kernels.comparisons.plackett_luce import Stages, plackett_luce

# Rankings of up to six items, best first, and the maximum-likelihood log strengths of choix 0.4.1 (opt_rankings).
RANKINGS = (
    "410523 240351 02 204513 03 534 21543 125 04253 243 530241 1532 0423 130524 120354 023145 "
    "310425 35 01324 051 01425 405132 024 530124 204 403125 12504 10 1043 125043 015243 102453 "
    "03251 03124 012 43 310 013425 31 12035 "
)
OF_CHOIX = [0.96560870, 0.43289557, -0.03112675, -0.48004387, -0.44841949, -0.43891416]
# The first was chosen from the four, and choix.ilsr_top1.
CHOICES = (
    "2315 0352 2301 4230 1345 3045 0253 2450 0435 5342 3041 5214 0153 1435 1302 3504 5412 3041 "
    "2304 5421 1345 0531 4510 5021 1240 1450 3420 4325 1452 4320 3524 4102 3124 2504 3015 5130 "
    "2415 5124 4132 1234 5410 2154 1423 1352 0235 2415 0452 3140 5014 5302 5314 1432 1023 4352 "
    "5423 4035 1402 4250 3102 2405 "
)
OF_CHOICES = [-0.26420797, 0.38069337, -0.12874430, 0.04130103, -0.21781616, 0.18877403]


def stages_of(rankings, n_items):
    """All choices of rankings, as lists of places with tied items."""
    available, chosen = [], []
    for places in rankings:
        left = [i for place in places for i in place]
        for place in places:
            if len(left) > 1:
                available.append(np.isin(np.arange(n_items), left))
                chosen.append(np.isin(np.arange(n_items), place))
            left = [i for i in left if i not in place]
    return Stages(np.array(available), np.array(chosen))


def test_without_ties_it_is_that_of_choix():
    """To seven digits, the tolerance of their solver."""
    stages = stages_of([[[int(i)] for i in text] for text in RANKINGS.split()], 6)
    fit = plackett_luce(stages, np.ones(len(stages.chosen)))
    np.testing.assert_allclose(fit.log_strength, OF_CHOIX, atol=1e-6)
    assert fit.orders == ()


def test_choices_of_the_best_are_those_of_choix():
    """Only the first place of every list."""
    members = [[int(i) for i in text] for text in CHOICES.split()]
    available = np.array([np.isin(np.arange(6), four) for four in members])
    chosen = np.array([np.arange(6) == four[0] for four in members])
    fit = plackett_luce(Stages(available, chosen), np.ones(len(members)))
    np.testing.assert_allclose(fit.log_strength, OF_CHOICES, atol=1e-7)


def drawn(n, seed=0):
    """Rankings of five items with ties of two and three."""
    rng = np.random.default_rng(seed)
    rankings = []
    for _ in range(n):
        items = rng.permutation(5)[: rng.integers(2, 6)].tolist()
        places = []
        while items:
            k = min(len(items), int(rng.choice([1, 2, 3], p=[0.7, 0.2, 0.1])))
            places.append(items[:k])
            items = items[k:]
        rankings.append(places)
    return rankings


def log_likelihood(stages, weight, theta, log_prevalence):
    """By listing every subset."""
    total = 0.0
    for available, chosen, w in zip(stages.available, stages.chosen, weight, strict=True):
        items = np.flatnonzero(available).tolist()
        value = {
            subset: np.exp(log_prevalence[k] + theta[list(subset)].sum() / k)
            for k in (1, 2, 3)
            for subset in itertools.combinations(items, k)
        }
        total += w * np.log(value[tuple(np.flatnonzero(chosen).tolist())] / sum(value.values()))
    return total


def test_with_ties_the_likelihood_over_all_subsets_is_highest():
    """The value is theirs, its slope is 0, and its curvature gives the covariance."""
    stages = stages_of(drawn(150), 5)
    weight = np.ones(len(stages.chosen))
    fit = plackett_luce(stages, weight)
    assert fit.orders == (2, 3)
    at = np.concatenate([fit.log_strength, fit.log_prevalence])

    def value(x):
        return log_likelihood(stages, weight, x[:5], {1: 0.0, 2: x[5], 3: x[6]})

    assert value(at) == pytest.approx(fit.log_likelihood)
    np.testing.assert_allclose(fit.score.sum(axis=0), 0, atol=1e-7)
    step, unit = 1e-3, np.eye(7)
    for contrast in (unit[0] - unit[1], unit[5], unit[6]):
        slope = (value(at + step * contrast) - value(at - step * contrast)) / (2 * step)
        curvature = (value(at + step * contrast) - 2 * value(at) + value(at - step * contrast)) / step**2
        assert slope == pytest.approx(0, abs=1e-3)
        information = np.linalg.pinv(fit.inverse)
        assert -curvature == pytest.approx(contrast @ information @ contrast, rel=1e-3)


def test_pairs_with_ties_are_davidsons_model():
    """A ranking of two items is a battle; a tie has twice the weight of Davidson's parameter."""
    pairs = (
        [[[0], [1]]] * 7
        + [[[1], [0]]] * 3
        + [[[0, 1]]] * 5
        + [[[1], [2]]] * 4
        + [[[2], [1]]] * 2
        + [[[1, 2]]]
    )
    wins, ties = np.zeros((3, 3)), np.zeros((3, 3))
    wins[0, 1], wins[1, 0], wins[1, 2], wins[2, 1] = 7, 3, 4, 2
    ties[0, 1] = ties[1, 0] = 5
    ties[1, 2] = ties[2, 1] = 1
    stages = stages_of(pairs, 3)
    fit = plackett_luce(stages, np.ones(len(pairs)))
    np.testing.assert_allclose(fit.log_strength, davidson(wins, ties).log_strength, atol=1e-8)


def test_strengths_that_do_not_exist():
    """One item is always first."""
    with pytest.raises(NotConverged, match="may not exist"):
        plackett_luce(stages_of([[[0], [1]]] * 3, 2), np.ones(3))


def test_intervals_cover():
    """Rankings of five of eight systems: the share of 60 draws times 8 strengths."""
    rng = np.random.default_rng(2)
    theta = np.linspace(-0.8, 0.8, 8)
    covered = []
    for _ in range(60):
        rows = []
        for _ in range(60):
            shown = rng.permutation(8)[:5]
            order = shown[np.argsort(-(theta[shown] + rng.gumbel(size=5)))]
            rows.append(" > ".join(f"S{i}" for i in order))
        board = bt.rank({"ranking": rows}, by="plackett_luce", scale="log")
        truth = np.array([theta[int(name[1])] for name in board.systems])
        covered.append(((board.low < truth) & (truth < board.high)).mean())
    assert np.mean(covered) == pytest.approx(0.95, abs=0.03)
