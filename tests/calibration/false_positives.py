"""How often a test calls two systems different that are equally good; the level is 0.05."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import ndtr
from tests.calibration.simulate import (
    ALPHA,
    COUNTED,
    KINDS,
    TRIALS,
    Arena,
    compare,
    document_scores,
    documents,
    scores_of,
    single_segments,
    tally,
)

from betterthan.analysis.aggregations import aggregation
from betterthan.analysis.computing import Computing
from betterthan.analysis.pairwise import Decision
from betterthan.analysis.question import Question
from betterthan.analysis.resampling import Bootstrap, bootstrap
from betterthan.analysis.significance import TESTS
from betterthan.analysis.strength_test import compare_draws
from betterthan.kernels.counts_permutation import counts_permutation_block
from betterthan.kernels.permutation import add_one
from betterthan.kernels.resample import bootstrap_counts

RESAMPLES = 999
ALONE = Computing(workers=1)


def question(values, units, *, ties="drop", method="auto", seed=0, n_resamples=RESAMPLES):
    """What :func:`betterthan.compare` asks a test about a table."""
    return Question(
        goodness=values,
        units=units,
        alternative="two-sided",
        ties=ties,
        method=method,
        n_resamples=n_resamples,
        seed=seed,
        digest="",
        computing=ALONE,
    )


def pvalue(test, values, units, **options):
    """The p-value of the first two systems, by the function that :func:`betterthan.compare` calls; NaN is no claim."""
    return TESTS[test].run(question(values, units, **options)).pvalue[0, 1]


def rejected(pvalues):
    """Count the claims."""
    return tally(np.asarray(pvalues) <= ALPHA)


OFFERED = {
    "t": ("t", {}),
    "Wilcoxon": ("wilcoxon", {}),
    "sign, ties dropped": ("sign", {"ties": "drop"}),
    "sign, ties halved": ("sign", {"ties": "half"}),
    "sign, ties as published": ("sign", {"ties": "as_published"}),
    "Mood": ("mood", {}),
    "permutation, exact or bracket": ("permutation", {}),
    "permutation, Monte Carlo": ("permutation", {"method": "monte_carlo"}),
    "permutation, analytic": ("permutation", {"method": "analytic"}),
    "bootstrap": ("bootstrap", {}),
}


def of_scores(kind, rng):
    """Every test that :func:`betterthan.compare` offers for scores, and two formulas of others."""
    tables = KINDS[kind].tables(rng)
    units = single_segments(KINDS[kind].n)
    found = {
        name: rejected([pvalue(test, x, units, seed=i, **options) for i, x in enumerate(tables)])
        for name, (test, options) in OFFERED.items()
    }
    found["bootstrap of absolute differences"] = rejected([centred_absolute(x, rng) for x in tables])
    found["unpaired z"] = rejected(unpaired_z(tables))
    return {name: {kind: count} for name, count in found.items()}


def centred_absolute(values, rng):
    """The paired bootstrap p-value of sacreBLEU, written from its description; not one of ours.

    Absolute differences of resampled scores, minus their mean, are counted when they exceed the observed
    absolute difference. Only the upper half of the distribution can do so: it is a one-sided count.
    """
    means = bootstrap_counts(RESAMPLES, values.shape[1], rng) @ values.T / values.shape[1]
    absolute = np.abs(means[:, 0] - means[:, 1])
    observed = abs(values[0].mean() - values[1].mean())
    return (np.count_nonzero(absolute - absolute.mean() > observed) + 1) / (RESAMPLES + 1)


def unpaired_z(tables):
    """Difference over the root of two summed squared errors, as if the systems met different segments."""
    error = np.sqrt(tables.var(axis=2, ddof=1).sum(axis=1) / tables.shape[2])
    difference = tables[:, 0].mean(axis=1) - tables[:, 1].mean(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(error > 0, 2 * ndtr(-np.abs(difference) / error), 1.0)


# --- Documents ------------------------------------------------------------------------------------------------


def of_documents(n_documents, rng):
    """Systems do well on some documents and badly on others; segments of a document go together."""
    column = f"{n_documents} documents"
    drawn = [documents(rng, n_documents) for _ in range(TRIALS)]
    tables = [document_scores(rng, units, 2) for units in drawn]
    single = [single_segments(x.shape[1]) for x in tables]
    both = {"documents": drawn, "segments": single}
    found = {
        f"{name} by {unit}": rejected(
            [pvalue(test, x, u, seed=i) for i, (x, u) in enumerate(zip(tables, both[unit], strict=True))]
        )
        for name, test, unit in (
            ("t", "t", "documents"),
            ("permutation", "permutation", "documents"),
            ("bootstrap", "bootstrap", "documents"),
            ("t", "t", "segments"),
        )
    }
    return {name: {column: count} for name, count in found.items()}


def of_strengths(n_documents, rng):
    """The test behind rank intervals by documents for mechanisms whose own test takes segments."""
    column = f"{n_documents} documents"
    found = {}
    for by, name in (("median", "median"), ("bradley_terry", "Bradley–Terry")):
        pvalues = []
        for i in range(TRIALS // 3):
            units = documents(rng, n_documents)
            pvalues.extend(_strength_pvalues(by, document_scores(rng, units, 6), units, i))
        found[f"bootstrap of strengths, {name}"] = {column: rejected(pvalues)}
    return found


def _strength_pvalues(by, values, units, seed, n_resamples=399):
    """Of the three pairs of six systems that have no system in common."""
    method = aggregation(by, ties="drop", prior=0.0, scale="log")
    how = Bootstrap(units=units, n_resamples=n_resamples, seed=seed, digest="", computing=ALONE)
    draws = bootstrap(by, values, method.resampled, how, bytes_each=1000)
    decision = Decision(
        alternative="two-sided",
        correction="none",
        alpha=ALPHA,
        confidence=0.95,
        n_resamples=n_resamples,
        seed=seed,
        computing=ALONE,
    )
    table = compare_draws(scores_of(values), method.estimate(values), draws, units.n_units, decision)
    return [table.pair(a, b).pvalue for a, b in (("S0", "S1"), ("S2", "S3"), ("S4", "S5"))]


# --- Counts and matches ---------------------------------------------------------------------------------------


def of_counts(n, rng):
    """A corpus score permuted as it is: a ratio, and a score like BLEU."""
    found = {}
    for name, (draw, formula) in COUNTED.items():
        pvalues = []
        for _ in range(TRIALS):
            tallies = counts_permutation_block(draw(rng, 2, n), RESAMPLES, rng, formula=formula.pooled)
            pvalues.append(add_one(tallies.greater + tallies.equal, RESAMPLES)[0, 1])
        found[f"permutation of counts, {name}"] = {f"{n} segments": rejected(pvalues)}
    return found


MATCHES = {
    "Wald, robust": {
        "100 matches": (Arena(100), True),
        "400 matches": (Arena(400), True),
    },
    "Wald, clustered by judge": {
        "20 judges": (Arena(400, n_judges=20, taste=0.7), True),
        "60 judges": (Arena(1200, n_judges=60, taste=0.7), True),
    },
    "Wald, judges not told": {
        "20 judges": (Arena(400, n_judges=20, taste=0.7), False),
        "60 judges": (Arena(1200, n_judges=60, taste=0.7), False),
    },
}


def of_matches(row, column, rng):
    """Four equal systems; one pair of each table is asked about."""
    arena, is_told = MATCHES[row][column]
    pvalues = []
    for _ in range(TRIALS if is_told else TRIALS // 2):
        matches = arena.matches(rng, np.zeros(4))
        if not is_told:
            matches = matches.aggregated()
        pvalues.append(compare(matches, workers=1, correction="none").pair("S0", "S1").pvalue)
    return {row: {column: rejected(pvalues)}}


EXPERIMENTS = {
    **{f"scores: {kind}": partial(of_scores, kind) for kind in KINDS},
    **{f"documents: {n}": partial(of_documents, n) for n in (20, 60)},
    **{f"documents: strengths, {n}": partial(of_strengths, n) for n in (20, 60)},
    **{f"counts: {n}": partial(of_counts, n) for n in (30, 100)},
    **{
        f"matches: {row}, {column}": partial(of_matches, row, column)
        for row, columns in MATCHES.items()
        for column in columns
    },
}
