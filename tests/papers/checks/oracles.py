"""Slow, literal versions of what the commands compute."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.stats import norm


def wins_of(values: np.ndarray) -> np.ndarray:
    """How often the row is above the column; ties count for nobody."""
    return (values[:, None] > values[None]).sum(axis=2).astype(float)


def appendix_e(wins: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, int]:
    """Equations 3 and 4, until the squared norm of the change is below 1e-9."""
    strength, matches = start / start.sum(), wins + wins.T
    for step in itertools.count(1):
        new = np.array(
            [
                wins[i].sum()
                / sum(matches[i, j] / (strength[i] + strength[j]) for j in range(len(wins)) if j != i)
                for i in range(len(wins))
            ]
        )
        new /= new.sum()
        change = ((new - strength) ** 2).sum()
        strength = new
        if change < 1e-9:
            return strength, step
    raise AssertionError


def elo_by_segments(values: np.ndarray, k: float) -> np.ndarray:
    """All pairs of a segment, then those of the next; equation 5 with outcome 1, 1/2 or 0."""
    ratings = np.full(len(values), 1500.0)
    for segment in values.T:
        for i, j in itertools.combinations(range(len(values)), 2):
            outcome = 0.5 if segment[i] == segment[j] else float(segment[i] > segment[j])
            strength = 10 ** (ratings[[i, j]] / 400)
            change = k * (outcome - strength[0] / strength.sum())
            ratings[i] += change
            ratings[j] -= change
    return ratings


def trueskill_by_segments(values: np.ndarray, beta: float = 25 / 6) -> tuple[np.ndarray, np.ndarray]:
    """Means and deviations, played like :func:`elo_by_segments`, with the usual starting values."""
    mu, variance = np.full(len(values), 25.0), np.full(len(values), (25 / 3) ** 2)
    margin = np.sqrt(2) * beta * norm.ppf((1 + 0.1) / 2)
    for segment in values.T:
        for one, other in itertools.combinations(range(len(values)), 2):
            i, j = (one, other) if segment[one] >= segment[other] else (other, one)
            variance[[i, j]] += (25 / 300) ** 2
            c = np.sqrt(2 * beta**2 + variance[i] + variance[j])
            x, e = (mu[i] - mu[j]) / c, margin / c
            if segment[i] > segment[j]:
                v = norm.pdf(x - e) / norm.cdf(x - e)
                w = v * (v + x - e)
            else:
                mass = norm.cdf(e - x) - norm.cdf(-e - x)
                v = (norm.pdf(-e - x) - norm.pdf(e - x)) / mass
                w = v**2 + ((e - x) * norm.pdf(e - x) + (e + x) * norm.pdf(e + x)) / mass
            mu[i] += variance[i] / c * v
            mu[j] -= variance[j] / c * v
            variance[[i, j]] *= 1 - variance[[i, j]] / c**2 * w
    return mu, np.sqrt(variance)


def orders(strength: np.ndarray) -> np.ndarray:
    """-1, 0 or 1 for every pair."""
    above = np.triu_indices(len(strength), 1)
    return np.sign(strength[:, None] - strength[None])[above]
