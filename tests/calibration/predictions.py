"""Scores of predictions as counts: labels, recognized words, summaries and short answers of two systems."""

from __future__ import annotations

from functools import cache, partial
from itertools import product

import numpy as np
from tests.calibration.cells import Cell

import betterthan as bt

LABELS = np.array(["ham", "spam", "phishing"])
SHARES = (0.6, 0.3, 0.1)
WORDS = np.array([f"w{i}" for i in range(60)])
LENGTHS = {"wer": (3, 16), "rouge-l": (10, 25), "exact-match": (1, 4), "token-f1": (1, 6)}
METRICS = ("accuracy", "f1-macro", "mcc", *LENGTHS)
LEAD = 0.7
"""How much better the second system is, in standard deviations of an item's difficulty, where it is better."""
_LARGE = 40_000


def chances_of_error(rng, n, lead):
    """Probability of an error of two systems on each item, which is hard or easy for both; shape (2, n)."""
    difficulty = rng.standard_normal(n)
    own = 0.5 * rng.standard_normal((2, n))
    return 1 / (1 + np.exp(1.5 - difficulty - own + np.array([[0.0], [lead]])))


def labels(rng, n, lead):
    """Gold labels and those of both systems."""
    gold = rng.choice(3, size=n, p=SHARES)
    wrong = rng.random((2, n)) < chances_of_error(rng, n, lead)
    guesses = np.where(wrong, (gold + rng.integers(1, 3, (2, n))) % 3, gold)
    return LABELS[gold].tolist(), [LABELS[row].tolist() for row in guesses]


def texts(rng, n, lead, lengths):
    """References and outputs in which words were replaced or left out."""
    sizes = rng.integers(*lengths, n)
    chances = chances_of_error(rng, n, lead)
    references, outputs = [], ([], [])
    for i, size in enumerate(sizes.tolist()):
        reference = rng.choice(WORDS, size)
        references.append(" ".join(reference))
        for row, chance in zip(outputs, chances[:, i].tolist(), strict=True):
            fate = rng.random(size)
            said = np.where(fate < chance, rng.choice(WORDS, size), reference)
            row.append(" ".join(said[fate > 0.25 * chance]))
    return references, list(outputs)


def counts_of(metric, n, lead, rng):
    """Counts of two systems, the second better by `lead`."""
    gold, both = texts(rng, n, lead, LENGTHS[metric]) if metric in LENGTHS else labels(rng, n, lead)
    return bt.score(dict(zip("AB", both, strict=True)), gold, metric=metric)


@cache
def true_difference(metric):
    """The lead of the second system over all items."""
    counts = counts_of(metric, _LARGE, LEAD, np.random.default_rng(20261119))
    a, b = counts.pooled()
    return float(b - a) if counts.higher_is_better else float(a - b)


def false_difference(metric, n, rng):
    """Whether two systems of one law differ significantly."""
    return float(bt.compare(counts_of(metric, n, 0.0, rng)).n_different > 0)


def covered(metric, n, rng):
    """Whether the interval of the difference holds the true one."""
    pair = bt.compare(counts_of(metric, n, LEAD, rng)).pair("B", "A")
    return float(pair.low <= true_difference(metric) <= pair.high)


CELLS = [
    Cell(
        table=f"compare-predictions/{quantity}",
        row=metric,
        column=f"{n} items",
        trial=partial(trial, metric, n),
        low=low,
        high=high,
        tables=2000 if n == 30 else 500,
        seconds=0.1,
    )
    for (quantity, trial, low, high), metric, n in product(
        (
            ("false difference", false_difference, 0.0, 0.06),
            ("coverage of the difference", covered, 0.93, 0.98),
        ),
        METRICS,
        (30, 200),
    )
]
