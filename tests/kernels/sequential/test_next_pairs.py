"""Recommended pairs: fewer battles than a uniform design for the same error of the best systems."""

import numpy as np

from betterthan.kernels.sequential.next_pairs import best_systems, next_pairs, top_error


def wrong(strengths, rng, n, *, adaptive, batch=60, top=3):
    """Whether the best systems are wrong after n battles."""
    m = len(strengths)
    first, second = np.triu_indices(m, 1)
    chance = 1 / (1 + np.exp(strengths[second] - strengths[first]))
    wins = np.zeros((m, m))
    for done in range(0, n, batch):
        if adaptive and done >= 2 * first.size:
            counts = next_pairs(wins, top, batch)[first, second]
        else:
            counts = np.bincount(
                (np.arange(batch) + rng.integers(first.size)) % first.size, minlength=first.size
            )
        won = rng.binomial(counts, chance)
        wins[first, second] += won
        wins[second, first] += counts - won
    return set(best_systems(wins, top).tolist()) != set(np.argsort(-strengths)[:top].tolist())


def test_fewer_battles_are_needed():
    """With 70% of the battles of a uniform design the best three of ten are not wrong more often."""
    strengths = 0.15 * np.arange(10)
    uniform = np.mean(
        [wrong(strengths, np.random.default_rng([1, i]), 1200, adaptive=False) for i in range(40)]
    )
    adaptive = np.mean(
        [wrong(strengths, np.random.default_rng([2, i]), 840, adaptive=True) for i in range(40)]
    )
    assert adaptive <= uniform + 2 * np.sqrt(uniform * (1 - uniform) / 20)


def test_battles_reduce_the_expected_error():
    """More of the same results leave less."""
    wins = np.array([[0.0, 6.0, 7.0], [4.0, 0.0, 6.0], [3.0, 4.0, 0.0]])
    assert top_error(4 * wins, 1) < top_error(wins, 1)
    counts = next_pairs(wins, 1, 7)
    assert counts.sum() == 14
    assert (counts == counts.T).all()
