"""Random samples: fixed size, exact probabilities, strata."""

import numpy as np
import pytest

from betterthan.kernels.judges.drawing import inclusion_probabilities, mixed_with_uniform, systematic_sample


def test_probabilities_add_up_and_stay_below_one():
    """Also when several sizes are too large, and when all are drawn."""
    rng = np.random.default_rng(1)
    for n in (1, 7, 40, 50):
        size = rng.pareto(0.7, 50) + 1e-6
        probability = inclusion_probabilities(size, n)
        assert probability.sum() == pytest.approx(n)
        assert probability.max() <= 1
        ratio = (probability / size)[probability < 1]
        assert ratio == pytest.approx(ratio[:1].repeat(ratio.size))


def test_every_unit_is_included_with_its_probability():
    """Within four standard errors of 4,000 samples, and all samples have the same size."""
    rng = np.random.default_rng(2)
    size = mixed_with_uniform(rng.exponential(size=30))
    probability = inclusion_probabilities(size, 9)
    strata = np.arange(30) % 3
    hits = np.zeros(30)
    for _ in range(4000):
        chosen = systematic_sample(probability, strata, rng)
        assert chosen.sum() == 9
        hits += chosen
    error = np.sqrt(probability * (1 - probability) / 4000)
    assert (np.abs(hits / 4000 - probability) <= 4 * error + 1e-12).all()


def test_strata_have_their_share():
    """Each has its expected number, rounded up or down."""
    rng = np.random.default_rng(3)
    strata = np.repeat([0, 1, 2], [50, 30, 20])
    for _ in range(50):
        chosen = systematic_sample(np.full(100, 0.23), strata, rng)
        counts = np.bincount(strata[chosen])
        assert (np.abs(counts - 0.23 * np.array([50, 30, 20])) < 1).all()


def test_all_pairs_can_be_drawn():
    """Without strata and with equal probabilities each pair is as likely as in a simple random sample."""
    rng = np.random.default_rng(4)
    together = np.zeros((6, 6))
    for _ in range(6000):
        chosen = systematic_sample(np.full(6, 0.5), np.zeros(6, dtype=int), rng)
        together += np.outer(chosen, chosen)
    pairs = together[np.triu_indices(6, 1)] / 6000
    assert np.abs(pairs - 0.2).max() < 4 * np.sqrt(0.2 * 0.8 / 6000)
