"""The dictionary of significance tests: name, function for all pairs, and the effect that is tested."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtr

from betterthan.analysis.pairs.effects import clustered_mean_differences
from betterthan.analysis.pairs.permutation import PairPValues, PairRequest, SignificanceTest, permutation
from betterthan.arrays import FloatArray
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.kernels.sign_flips.permutation import add_one
from betterthan.kernels.significance.paired import paired_t
from betterthan.kernels.significance.paired_bootstrap import (
    bootstrap_t_maxima,
    bootstrap_t_tallies,
    studentized_pairs,
)
from betterthan.kernels.significance.pvalues import pairwise_pvalues, stepped_pvalues
from betterthan.kernels.significance.rank_tests import mood_median, sign_test, wilcoxon
from betterthan.results.pairwise import P_METHODS

_TIES_WORTH_A_WORD = 0.03


def _t(request: PairRequest) -> PairPValues:
    if request.units.are_segments:
        pvalue = paired_t(request.goodness, alternative=request.alternative).pvalue
        return PairPValues(pvalue=pvalue, how="student")
    mean, error, degrees = clustered_mean_differences(request.goodness, request.units)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / error
    # Without any variance p is the smallest that the number of documents supports, as for single segments.
    least = np.where(mean > 0, 0.5**request.units.n_units, 1.0)
    upper = np.where(error > 0, stdtr(degrees, -np.nan_to_num(t)), least)
    return PairPValues(pvalue=pairwise_pvalues(upper, alternative=request.alternative), how="clustered")


def _sign(request: PairRequest) -> PairPValues:
    counts = win_counts(request.goodness)
    p = sign_test(counts, ties=request.ties, alternative=request.alternative).pvalue
    return PairPValues(
        pvalue=p,
        p_method=np.full(p.shape, P_METHODS.index("exact")),
        how=f"exact,ties-{request.ties}",
        notes=_about_ties(counts.ties, counts.wins, request),
    )


def _about_ties(ties: FloatArray, wins: FloatArray, request: PairRequest) -> tuple[str, ...]:
    upper = np.triu_indices(len(ties), k=1)
    total = (wins + wins.T + ties)[upper].sum()
    share = ties[upper].sum() / total if total else 0.0
    if share <= _TIES_WORTH_A_WORD:
        return ()
    treated = {"drop": "left out", "half": "shared", "as_published": "counted against the leader"}[
        request.ties
    ]
    return (f"{100 * share:.0f}% of the comparisons are ties; they were {treated}.",)


def _wilcoxon(request: PairRequest) -> PairPValues:
    found = wilcoxon(request.goodness, alternative=request.alternative)
    off_diagonal = ~np.eye(len(request.goodness), dtype=bool)
    exact = bool(found.is_exact[off_diagonal].all())
    method = np.where(found.is_exact, P_METHODS.index("exact"), P_METHODS.index("formula"))
    return PairPValues(pvalue=found.pvalue, p_method=method, how="exact" if exact else "normal")


def _mood(request: PairRequest) -> PairPValues:
    note = "Mood's test compares medians and ignores the pairing of scores by segment."
    return PairPValues(
        pvalue=mood_median(request.goodness, alternative=request.alternative).pvalue,
        how="chi-square",
        notes=(note,),
    )


def _bootstrap(request: PairRequest) -> PairPValues:
    """Shift the paired bootstrap of the mean difference to the null hypothesis, and compare studentized differences."""
    units, m = request.units, len(request.goodness)
    is_stepped = request.correction == "max_statistic"
    blocks = request.resampling.run(
        "bootstrap test",
        (units.summed(request.goodness), units.sizes, request.alternative, is_stepped),
        _bootstrap_block,
        bytes_each=24 * units.n_units + (8 * m * m if is_stepped else 48 * m),
        key=f"{request.alternative} {is_stepped}",
        label=f"paired bootstrap ({request.n_resamples:,} resamples)",
    )
    tallies, maxima, observed = (np.stack(part) for part in zip(*blocks, strict=True))
    # A bootstrap of very few units underestimates the variance; p is bounded below by that of a sign test.
    least = 2.0 ** (-units.n_units + (request.alternative == "two-sided"))
    p = np.maximum(add_one(tallies.sum(axis=0).astype(np.int64), request.n_resamples), least)
    np.fill_diagonal(p, np.nan)
    stepped = None
    if is_stepped:
        above = np.triu_indices(m, 1)
        adjusted = stepped_pvalues(
            maxima.sum(axis=0)[above].astype(np.int64), observed[0][above], request.n_resamples
        )
        stepped = np.full((m, m), np.nan)
        stepped[above] = stepped.T[above] = np.maximum(adjusted, least)
    return PairPValues(
        pvalue=p,
        p_method=np.full((m, m), P_METHODS.index("bootstrap")),
        stepped=stepped,
        how=str(request.n_resamples),
        drew=True,
    )


def _bootstrap_block(
    payload: tuple[FloatArray, FloatArray, Alternative, bool], part: range, rng: np.random.Generator
) -> FloatArray:
    """Tallies of pairs, of maxima and the observed t, stacked: shape (3, m, m)."""
    sums, sizes, alternative, is_stepped = payload
    m = len(sums)
    result = np.zeros((3, m, m))
    weights = bootstrap_counts(len(part), sizes.size, rng)
    pairs = studentized_pairs(weights, sums, sizes) if is_stepped else None
    result[0] = bootstrap_t_tallies(weights, sums, sizes, alternative=alternative, pairs=pairs)
    if is_stepped:
        above = np.triu_indices(m, 1)
        result[1][above], result[2][above] = bootstrap_t_maxima(weights, sums, sizes, pairs=pairs)
    return result


TESTS = {
    "t": SignificanceTest(name="t", run=_t, effect="mean_difference", takes_groups=True),
    "sign": SignificanceTest(name="sign", run=_sign, effect="win_probability"),
    "wilcoxon": SignificanceTest(name="wilcoxon", run=_wilcoxon, effect="median_of_differences"),
    "mood": SignificanceTest(name="mood", run=_mood, effect="median_difference"),
    "permutation": SignificanceTest(
        name="permutation", run=permutation, effect="mean_difference", takes_groups=True
    ),
    "bootstrap": SignificanceTest(
        name="bootstrap", run=_bootstrap, effect="mean_difference", takes_groups=True, is_resampled=True
    ),
}

OWN_TEST = {
    "mean": "permutation",
    "median": "strengths",
    "win_rate": "permutation",
    "bradley_terry": "strengths",
    "elo": "strengths",
    "trueskill": "strengths",
    "irt": "strengths",
    "irt_2pl": "strengths",
}
