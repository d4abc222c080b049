"""Comparing two metrics that are equally good: p-values of every way of swapping keep their level."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.kernels.metric_swaps.tallying import swap_means, swap_soft

from betterthan.engine.blocks import stream
from betterthan.kernels.agreement.soft_pairwise import one_sided_pvalues
from betterthan.kernels.agreement.system_means import pearson_of_means
from betterthan.kernels.metric_swaps.masks import SWAP_SCHEMES
from betterthan.kernels.metric_swaps.means import standardised
from betterthan.kernels.sign_flips.permutation import add_one

TABLES = 400
RESAMPLES = 99
SYSTEMS, SEGMENTS = 6, 60


def exchangeable(rng):
    """People, and two metrics whose cells are exchangeable: the same quality, noise independent in every cell.

    Both metrics have mean 0 and unit variance by construction, so standardizing is not needed and would only
    disturb exchangeability a little.
    """
    quality = 0.3 * rng.normal(size=(SYSTEMS, 1))
    human = quality + rng.normal(size=(SYSTEMS, SEGMENTS))
    return human, quality + rng.normal(size=(2, SYSTEMS, SEGMENTS))


def null_pvalues(scheme, kind, *, z_scores):
    """P-values in favor of the first metric, one a table."""
    found = np.empty(TABLES)
    for table in range(TABLES):
        rng = stream(7, f"metric swaps {scheme} {kind}", table)
        human, metrics = exchangeable(rng)
        metrics = standardised(metrics) if z_scores else metrics
        if kind == "pearson":
            tallies = swap_means(metrics, human.mean(axis=1), pearson_of_means, scheme, RESAMPLES, rng)
        else:
            human_p = one_sided_pvalues(human, "analytic")
            tallies = swap_soft(
                metrics,
                human_p,
                scheme,
                RESAMPLES,
                rng,
                p_values=kind,
                n_permutations=50,
                signs_rng=stream(7, "signs", table),
            )
        found[table] = add_one(tallies, RESAMPLES)[0, 1]
    return found


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("kind", "z_scores"),
    # Standardising acts before the swaps, whatever the p-values of systems are made of.
    [("pearson", False), ("pearson", True), ("analytic", False), ("analytic", True), ("monte_carlo", False)],
)
@pytest.mark.parametrize("scheme", SWAP_SCHEMES)
def test_null_pvalues_are_uniform(scheme, kind, z_scores):
    """Kolmogorov and Smirnov at 10⁻⁴, and the share below 5 % and 20 % within a binomial band of 10⁻⁴.

    "perm_systems" has 64 masks only, so that p-values tie and are conservative: levels are kept, not met.
    """
    found = null_pvalues(scheme, kind, z_scores=z_scores)
    for level in (0.05, 0.2):
        low, high = stats.binom.interval(1 - 1e-4, TABLES, level)
        count = np.count_nonzero(found <= level)
        assert count <= high
        assert scheme == "perm_systems" or count >= low
    if scheme != "perm_systems":
        # The p-values lie on a grid of 1/100: spread each over its step.
        jitter = np.random.default_rng(0).random(TABLES) / (RESAMPLES + 1)
        assert stats.kstest(found - jitter, "uniform").pvalue > 1e-4
