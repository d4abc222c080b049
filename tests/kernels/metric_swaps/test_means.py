"""Swapping two metrics: tallies against loops that form every swapped metric, for all schemes and statistics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.everyday import few
from tests.kernels.metric_swaps.tallying import swap_means, swap_soft

from betterthan.errors import MissingScores, NotEstimable, TableError
from betterthan.kernels.agreement.soft_pairwise import one_sided_pvalues, pairwise_accuracy
from betterthan.kernels.agreement.system_means import (
    kendall_of_means,
    pearson_of_means,
    spearman_of_means,
)
from betterthan.kernels.metric_swaps.masks import SWAP_SCHEMES, draw_masks
from betterthan.kernels.metric_swaps.means import standardised
from betterthan.kernels.sign_flips import permutation
from betterthan.kernels.sign_flips.permutation import add_one


def literal_accuracy(x, h):
    """Pairwise accuracy of means rounded where float64 ends."""
    i, j = np.triu_indices(len(h), 1)
    return np.mean(np.sign(np.round(x[i] - x[j], 11)) == np.sign(h[i] - h[j]))


LITERAL = {
    pearson_of_means: lambda x, h: stats.pearsonr(x, h).statistic,
    spearman_of_means: lambda x, h: stats.spearmanr(np.round(x, 11), h).statistic,
    kendall_of_means: lambda x, h: stats.kendalltau(np.round(x, 11), h).statistic,
    pairwise_accuracy: literal_accuracy,
}


def literal_tallies(metrics, cells, value):
    """Swap, compute again, compare: one mask and one pair of metrics at a time."""
    k = len(metrics)
    tallies = np.zeros((k, k), dtype=int)
    observed = [value(metric) for metric in metrics]
    for mask in cells:
        for a in range(k):
            for b in range(k):
                left = value(np.where(mask, metrics[b], metrics[a]))
                right = value(np.where(mask, metrics[a], metrics[b]))
                tallies[a, b] += not left - right < observed[a] - observed[b] - 1e-10
    return tallies


def example(*, discrete=False, seed=0, shape=(3, 5, 14)):
    """Human scores and metrics of different quality, that can tie when discrete."""
    rng = np.random.default_rng(seed)
    k, m, n = shape
    quality = 0.5 * rng.normal(size=(m, 1))
    human = quality + rng.normal(size=(m, n))
    metrics = quality + rng.normal(size=shape) * np.linspace(0.5, 2, k)[:, None, None]
    if discrete:
        human, metrics = np.rint(human), np.rint(metrics)
        metrics[:, 1] = metrics[:, 0]  # identical systems
    return human, standardised(metrics)


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("scheme", few(SWAP_SCHEMES, 2))
@pytest.mark.parametrize("statistic", LITERAL)
@pytest.mark.filterwarnings("ignore::scipy.stats.ConstantInputWarning")
def test_tallies_of_means_are_those_of_the_literal_loop(statistic, scheme, discrete):
    """With the same masks, to the last one; SciPy computes the statistic."""
    human, metrics = example(discrete=discrete)
    means = human.mean(axis=1)
    found = swap_means(metrics, means, statistic, scheme, 15, np.random.default_rng(5))
    cells = draw_masks(scheme, 15, human.shape, np.random.default_rng(5)).cells()
    wanted = literal_tallies(metrics, cells, lambda x: LITERAL[statistic](x.mean(axis=1), means))
    np.testing.assert_array_equal(found, wanted)


def test_standardising_is_scipys_zscore():
    """Over all cells of a metric; units and shifts are gone."""
    metrics = np.random.default_rng(0).gamma(2.0, size=(2, 3, 7))
    found = standardised(metrics)
    np.testing.assert_allclose(found, stats.zscore(metrics, axis=(1, 2)), atol=1e-12)
    np.testing.assert_allclose(standardised(100 + 3 * metrics), found, atol=1e-11)


def test_a_metric_without_scale_is_undefined_and_refused():
    """Constant or missing scores become NaN, and NaN is not swapped."""
    rng = np.random.default_rng(0)
    metrics = rng.normal(size=(3, 4, 6))
    metrics[1] = 0.1
    metrics[2, 0, 0] = np.nan
    found = standardised(metrics)
    assert np.isnan(found).all(axis=(1, 2)).tolist() == [False, True, True]
    human = rng.normal(size=(4, 6))
    with pytest.raises(MissingScores, match="2 of 3 metrics cannot be swapped, the first is number 2"):
        swap_means(found, human.mean(axis=1), pearson_of_means, "perm_inputs", 9, rng)
    with pytest.raises(MissingScores, match="cannot be swapped"):
        swap_soft(found, one_sided_pvalues(human, "analytic"), "perm_inputs", 9, rng)
    with pytest.raises(TableError, match="score 4 systems and the human scores 3"):
        swap_means(found, np.zeros(3), pearson_of_means, "perm_inputs", 9, rng)


def test_a_value_that_does_not_exist_never_helps():
    """People see no difference, so correlations are undefined: every resample counts and p is 1."""
    _, metrics = example()
    found = swap_means(metrics, np.zeros(5), pearson_of_means, "perm_inputs", 19, np.random.default_rng(0))
    assert (add_one(found, 19) == 1).all()
    with pytest.raises(NotEstimable, match="no pair has a human p-value"):
        swap_soft(metrics, np.full((5, 5), np.nan), "perm_inputs", 9, np.random.default_rng(0))


def blocks_of(statistic, kind, scheme, sizes):
    """Tallies of one stream cut into blocks of these sizes."""
    human, metrics = example(shape=(4, 5, 30))
    rng = np.random.default_rng(1)
    if kind == "means":
        means = human.mean(axis=1)
        return sum(swap_means(metrics, means, statistic, scheme, size, rng) for size in sizes)
    human_p = one_sided_pvalues(human, "analytic")
    return sum(
        swap_soft(
            metrics,
            human_p,
            scheme,
            size,
            rng,
            p_values=kind,
            n_permutations=50,
            signs_rng=np.random.default_rng(4),
        )
        for size in sizes
    )


@pytest.mark.parametrize("kind", ["means", "analytic", "monte_carlo"])
@pytest.mark.parametrize("scheme", SWAP_SCHEMES)
def test_the_cut_into_blocks_and_portions_changes_nothing(kind, scheme, monkeypatch):
    """Blocks add up, and memory decides about portions only."""
    whole = blocks_of(kendall_of_means, kind, scheme, [60])
    np.testing.assert_array_equal(blocks_of(kendall_of_means, kind, scheme, [7, 53]), whole)
    monkeypatch.setattr(permutation, "CHUNK_BYTES", 20_000)
    np.testing.assert_array_equal(blocks_of(kendall_of_means, kind, scheme, [60]), whole)
    assert (whole.diagonal() == 60).all()


@pytest.mark.parametrize("scheme", SWAP_SCHEMES)
@pytest.mark.parametrize("kind", ["means", "analytic", "monte_carlo"])
def test_renaming_metrics_renames_tallies_and_scale_does_not_matter(kind, scheme):
    """All pairs share the masks, so nothing depends on the order of the metrics."""
    human, metrics = example(shape=(4, 5, 30))
    order = [2, 0, 3, 1]

    def tallies(some):
        rng = np.random.default_rng(1)
        if kind == "means":
            return swap_means(some, human.mean(axis=1), spearman_of_means, scheme, 40, rng)
        p = one_sided_pvalues(human, "analytic")
        signs = np.random.default_rng(4)
        return swap_soft(some, p, scheme, 40, rng, p_values=kind, n_permutations=40, signs_rng=signs)

    np.testing.assert_array_equal(tallies(metrics[order]), tallies(metrics)[np.ix_(order, order)])
    np.testing.assert_array_equal(tallies(3 * metrics), tallies(metrics))


@pytest.mark.parametrize("kind", ["means", "analytic", "monte_carlo"])
def test_a_metric_and_its_copy_tie_always(kind):
    """Swapping equals changes nothing: all resamples count, in both directions."""
    human, metrics = example()
    twice = metrics[[0, 0, 1]]
    rng = np.random.default_rng(0)
    if kind == "means":
        found = swap_means(twice, human.mean(axis=1), pearson_of_means, "perm_both", 30, rng)
    else:
        p = one_sided_pvalues(human, "analytic")
        found = swap_soft(
            twice,
            p,
            "perm_both",
            30,
            rng,
            p_values=kind,
            n_permutations=30,
            signs_rng=np.random.default_rng(4),
        )
    assert found[0, 1] == found[1, 0] == 30
    np.testing.assert_array_equal(found[0], found[1])


def test_documents_swapped_as_units_come_as_their_sums():
    """Ten documents of different lengths: sums of standardized scores give the tallies of the literal loop."""
    rng = np.random.default_rng(6)
    unit = np.sort(rng.integers(0, 10, 60))
    human, metrics = example(shape=(3, 5, 60))
    sums = np.stack([metrics[..., unit == u].sum(axis=2) for u in range(10)], axis=2)
    means = human.mean(axis=1)
    found = swap_means(
        sums, means, pearson_of_means, "perm_inputs", 30, np.random.default_rng(1), n_segments=60
    )
    documents = draw_masks("perm_inputs", 30, (5, 10), np.random.default_rng(1)).cells()
    cells = documents[:, :, unit]
    wanted = literal_tallies(metrics, cells, lambda x: stats.pearsonr(x.mean(axis=1), means).statistic)
    np.testing.assert_array_equal(found, wanted)


def test_means_are_sums_over_the_number_of_segments():
    """A statistic that depends on the scale sees means, of segments or of units."""
    human, metrics = example(shape=(2, 5, 12))
    seen = []

    def statistic(means, _):
        seen.append(np.atleast_2d(means).reshape(-1, 5)[0])
        return means.sum(axis=-1)

    swap_means(metrics, human.mean(axis=1), statistic, "perm_inputs", 1, np.random.default_rng(0))
    np.testing.assert_allclose(seen[0], metrics[0].mean(axis=1), atol=1e-14)
    halves = metrics.reshape(2, 5, 6, 2).sum(axis=3)
    seen.clear()
    swap_means(
        halves, human.mean(axis=1), statistic, "perm_inputs", 1, np.random.default_rng(0), n_segments=12
    )
    np.testing.assert_allclose(seen[0], metrics[0].mean(axis=1), atol=1e-14)


def test_a_better_metric_is_found_and_a_worse_one_is_not():
    """One-sided in favor of the row, by every statistic and scheme."""
    rng = np.random.default_rng(3)
    quality = np.linspace(-1, 1, 8)[:, None]
    human = quality + rng.normal(size=(8, 200))
    metrics = standardised(np.stack([human + rng.normal(size=human.shape), rng.normal(size=human.shape)]))
    p_human = one_sided_pvalues(human, "analytic")
    for scheme in SWAP_SCHEMES:
        found = [
            swap_means(metrics, human.mean(axis=1), statistic, scheme, 199, np.random.default_rng(0))
            for statistic in LITERAL
        ]
        found.append(swap_soft(metrics, p_human, scheme, 199, np.random.default_rng(0)))
        for tallies in found:
            p = add_one(tallies, 199)
            # Eight systems have 256 swaps only, and rank statistics of eight systems few values.
            weak = 0.1 if scheme == "perm_systems" else 0.01
            assert p[0, 1] <= weak
            assert p[1, 0] >= 1 - weak
