"""Metrics against human scores: levels of the tests of metrics, and coverage of the intervals.

Humans and metrics see the same quality of the systems. A metric shares some of the humans' noise, and may have likes
and dislikes of single systems (biases). Three things can be meant by "equally good metrics", and each test keeps its
level under the hypothesis that it states:

* "interchangeable": neither metric prefers any system;
* "biases": each metric prefers some systems, drawn alike for all metrics;
* "these systems": fixed biases with which both metrics have the same expected value, for these systems only.
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
from scipy.special import ndtr
from tests.calibration.cells import Cell

import betterthan as bt

SYSTEMS = (8, 14, 25)
SEGMENTS = 150
QUALITY, BIAS, DOCUMENT = 0.25, 0.15, 0.5
TRUTH_TABLES = 300


def campaign(rng, quality, biases, n=SEGMENTS, n_documents=None):
    """Human scores (m, n) and metrics (k, m, n); systems do well on some documents, for people and metrics alike."""
    k, m = biases.shape
    noise = rng.normal(size=(m, n))
    if n_documents is not None:
        noise += DOCUMENT * rng.normal(size=(m, n_documents))[:, documents(n, n_documents)]
    human = quality[:, None] + rng.normal(size=n) + noise
    shared = 0.7 * rng.normal(size=n) + 0.5 * noise
    return human, quality[:, None] + biases[:, :, None] + shared + rng.normal(size=(k, m, n))


def documents(n, n_documents):
    """The document number of each segment; all documents are equally long."""
    return np.arange(n) * n_documents // n


def table(name, values, n_documents=None):
    """Scores of systems A0, A1, …"""
    m, n = values.shape
    groups = None if n_documents is None else [f"d{i}" for i in documents(n, n_documents)]
    segments = [str(i) for i in range(n)]
    return bt.Scores(
        name=name, systems=[f"A{i}" for i in range(m)], segments=segments, values=values, groups=groups
    )


def evaluated(human, metrics, n_documents=None, **options):
    """The verb with its defaults, on one core."""
    tables = [table(f"metric {i}", values) for i, values in enumerate(metrics)]
    return bt.meta_evaluate(tables, table("human", human, n_documents), workers=1, **options)


# --- Levels ---------------------------------------------------------------------------------------------------


def drawn_biases(rng, k, m, null):
    """Preferences for single systems, and the quality that goes with them."""
    quality = QUALITY * rng.normal(size=m)
    if null == "interchangeable":
        return quality, np.zeros((k, m))
    if null == "biases":
        return quality, BIAS * rng.normal(size=(k, m))
    # Qualities are symmetric about 0, and the second metric's biases those of the first in a mirror: turning the scale
    # round exchanges the two metrics and no measure of agreement minds.
    half = np.abs(QUALITY * rng.normal(size=m // 2))
    quality = np.concatenate([half, np.zeros(m % 2), -half[::-1]])
    first = BIAS * rng.normal(size=m)
    return quality, np.stack([first, -first[::-1]])


def false_claim(m, null, options, rng):
    """Whether two equally good metrics are called different."""
    quality, biases = drawn_biases(rng, 2, m, null)
    found = evaluated(*campaign(rng, quality, biases), confidence=None, **options)
    return float(found.comparisons.pvalue[0, 1] <= 0.05)


def any_false_claim(m, null, options, rng):
    """Whether any of six equally good metrics are called different, after the default correction."""
    quality, biases = drawn_biases(rng, 6, m, null)
    found = evaluated(*campaign(rng, quality, biases), confidence=None, **options)
    return float(found.n_significant > 0)


def false_claim_of_few_scores(m, rng):
    """Williams' test as it comes with one score a system."""
    quality, biases = drawn_biases(rng, 2, m, "biases")
    human, metrics = campaign(rng, quality, biases)
    means = [table(f"metric {i}", values.mean(axis=1, keepdims=True)) for i, values in enumerate(metrics)]
    found = bt.meta_evaluate(means, table("human", human.mean(axis=1, keepdims=True)), by="pearson")
    return float(found.pvalue("metric 0", "metric 1") <= 0.05)


SYSTEM_MEASURES = {
    "soft pairwise accuracy": {"by": "soft_pairwise_accuracy"},
    "pairwise accuracy": {"by": "pairwise_accuracy"},
    "Pearson": {"by": "pearson"},
}
SEGMENT_MEASURES = {
    "Pearson on segments": {"by": "pearson", "level": "segment"},
    "Kendall on segments": {"by": "kendall_b", "level": "segment"},
    "accuracy with ties": {"by": "accuracy_with_ties"},
    "tau, metric ties hard": {"by": "tau_ties_hard"},
}
OTHER_TESTS = {
    "perm_inputs": ("interchangeable", {"significance": "perm_inputs"}),
    "perm_both": ("interchangeable", {"significance": "perm_both", "p_values": "analytic"}),
    "perm_cells": ("interchangeable", {"significance": "perm_cells", "p_values": "analytic"}),
    "bootstrap": ("these systems", {"significance": "bootstrap"}),
}


def _levels():
    for m in SYSTEMS:
        column = f"{m} systems"
        for name, options in SYSTEM_MEASURES.items():
            # Pairwise accuracy has few values, so that a test of it cannot use its level up.
            low = 0.0 if name == "pairwise accuracy" else 0.03
            for null in ("interchangeable", "biases"):
                trial = partial(false_claim, m, null, options)
                row = f"{name}, default test, {null}"
                yield Cell(table="meta/size", row=row, column=column, trial=trial, low=low, high=0.065)
                trial = partial(any_false_claim, m, null, options)
                yield Cell(
                    table="meta/any of 15 pairs",
                    row=row,
                    column=column,
                    trial=trial,
                    low=0.0,
                    high=0.06,
                    tables=2000 if m < 14 else 500,
                )
        for test, (null, options) in OTHER_TESTS.items() if m < 25 else ():
            # Bootstrap samples of metrics that are alike overstate how much they differ.
            low = 0.0 if test == "bootstrap" else 0.035
            yield Cell(
                table="meta/size",
                row=f"soft pairwise accuracy, {test}, {null}",
                column=column,
                trial=partial(false_claim, m, null, options),
                low=low,
                high=0.065,
                tables=1000 if "perm" in test and m > 8 else 2000,
            )
        yield Cell(
            table="meta/size",
            row="Pearson, Williams, biases",
            column=column,
            trial=partial(false_claim_of_few_scores, m),
            low=0.035,
            high=0.065,
        )
    for name, options in SEGMENT_MEASURES.items():
        yield Cell(
            table="meta/size",
            row=f"{name}, default test, interchangeable",
            column="8 systems",
            trial=partial(false_claim, 8, "interchangeable", options),
            low=0.035,
            high=0.065,
        )


# --- Intervals ------------------------------------------------------------------------------------------------


def value_of(name, human, metrics):
    """Measures of agreement, written anew: (k,)."""
    i, j = np.triu_indices(len(human), 1)
    if name == "soft pairwise accuracy":
        gap = human[i] - human[j]
        people = ndtr(-gap.sum(axis=1) / np.sqrt((gap**2).sum(axis=1)))
        gap = metrics[:, i] - metrics[:, j]
        return 1 - np.abs(ndtr(-gap.sum(axis=2) / np.sqrt((gap**2).sum(axis=2))) - people).mean(axis=1)
    h, x = human.mean(axis=1), metrics.mean(axis=2)
    if name == "pairwise accuracy":
        return (np.sign(x[:, i] - x[:, j]) == np.sign(h[i] - h[j])).mean(axis=1)
    if name == "Pearson":
        return np.array([np.corrcoef(one, h)[0, 1] for one in x])
    centred_h, centred_x = human - human.mean(axis=0), metrics - metrics.mean(axis=1, keepdims=True)
    length = np.sqrt((centred_h**2).sum(axis=0) * (centred_x**2).sum(axis=1))
    return ((centred_h * centred_x).sum(axis=1) / length).mean(axis=1)


@lru_cache(maxsize=64)
def fixed_systems(name, m, n, number, n_documents=None):
    """Qualities, biases of three metrics, and the values to be expected with them."""
    rng = np.random.default_rng([m, number, 161_803])
    quality, biases = QUALITY * rng.normal(size=m), BIAS * rng.normal(size=(3, m))
    drawn = [value_of(name, *campaign(rng, quality, biases, n, n_documents)) for _ in range(TRUTH_TABLES)]
    return quality, biases, np.mean(drawn, axis=0)


def holds_the_truth(name, m, n, options, rng, n_documents=None):
    """Share of three metrics whose interval holds the value to be expected with these systems."""
    quality, biases, truth = fixed_systems(name, m, n, int(rng.integers(20)), n_documents)
    human, metrics = campaign(rng, quality, biases, n, n_documents)
    found = evaluated(human, metrics, n_documents, significance="none", **options)
    order = [int(metric.removeprefix("metric ")) for metric in found.metrics]
    assert ((found.low <= found.value) & (found.value <= found.high)).all()
    return float(((found.low <= truth[order]) & (truth[order] <= found.high)).mean())


def _coverage():
    measures = {**SYSTEM_MEASURES, "Pearson on segments": SEGMENT_MEASURES["Pearson on segments"]}
    for name, options in measures.items():
        for m in SYSTEMS:
            for n in (50, 150):
                yield Cell(
                    table="meta/coverage",
                    row=f"{name}, {n} segments",
                    column=f"{m} systems",
                    trial=partial(holds_the_truth, name, m, n, options),
                    low=0.93,
                    high=0.97,
                    tables=2000 if m < 25 else 1000,
                )
        if name == "soft pairwise accuracy":  # with the second moments of the whole table, see `soft_draws`
            for m in SYSTEMS[:2]:
                yield Cell(
                    table="meta/coverage",
                    row=f"{name}, 600 segments",
                    column=f"{m} systems",
                    trial=partial(holds_the_truth, name, m, 600, options),
                    low=0.93,
                    high=0.97,
                    tables=1000,
                )
        for n_documents in (10, 30) if name != "Pearson on segments" else ():
            yield Cell(
                table="meta/coverage",
                row=f"{name}, {n_documents} documents of 5 segments",
                column="14 systems",
                trial=partial(holds_the_truth, name, 14, 5 * n_documents, options, n_documents=n_documents),
                low=0.93,
                high=0.97,
            )


CELLS: list[Cell] = [*_levels(), *_coverage()]
