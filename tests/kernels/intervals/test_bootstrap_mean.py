"""Mean scores of drawn corpora: literal loops, closed forms, and the variance over other segments."""

from __future__ import annotations

import numpy as np
import pytest

from betterthan.kernels.influence.influence import leave_one_out_scores, pooled_influence
from betterthan.kernels.resampling import bootstrap_mean as kernel
from betterthan.kernels.resampling.bootstrap_mean import bootstrap_means, draw_corpora, resampled_scores


def ratio(sums):
    """Right over all."""
    return sums[..., 0] / sums[..., 1]


def ratio_counts(m=2, n=40, seed=0):
    """Right answers among 1 to 60 a segment; long segments are easier."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 61, n)
    right = rng.binomial(size, np.clip(0.3 + size / 150 + 0.05 * np.arange(m)[:, None], 0, 1))
    return np.stack([right, np.tile(size, (m, 1))], axis=2).astype(np.float64)


def means_of(values, n_resamples, size, seed=0, influence=None):
    """Everything in one block."""
    pull = pooled_influence(values, formula=ratio) if influence is None else influence
    rng = np.random.default_rng(seed)
    found = resampled_scores(values, n_resamples, rng, size=size, formula=ratio, influence=pull)
    return found, bootstrap_means(found, pull, size=size)


def test_scores_are_those_of_the_drawn_segments_one_by_one():
    """A loop over the segments of every corpus, with the same draws."""
    values = ratio_counts()
    found, means = means_of(values, 30, 25, seed=3)
    drawn = np.random.default_rng(3).integers(0, 40, size=(30, 25))
    for b, corpus in enumerate(drawn):
        for s in range(2):
            right = words = 0.0
            for j in corpus:
                right += values[s, j, 0]
                words += values[s, j, 1]
            assert found.scores[b, s] == pytest.approx(right / words, rel=1e-14)
    assert means.mean == pytest.approx(found.scores.mean(axis=0), rel=1e-14)
    assert found.drawn.tolist() == np.bincount(drawn.ravel(), minlength=40).tolist()


def test_covariances_are_those_of_draws_and_scores():
    """Sums of squares of the covariances, by NumPy's own covariance of all draws."""
    values = ratio_counts()
    nothing = np.zeros((2, 40))
    found, means = means_of(values, 500, 25, seed=1, influence=nothing)
    drawn = draw_corpora(500, 40, 25, np.random.default_rng(1))
    both = np.array(
        [[np.cov(drawn[:, j], found.scores[:, s], bias=True)[0, 1] for s in range(2)] for j in range(40)]
    )
    spread = np.cov(found.scores, rowvar=False)
    expected = 40 / 39 * (both.T @ both - 25 * (1 - 1 / 40) * spread / 500) + spread / 500
    assert means.covariance == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_of_a_mean_it_is_the_variance_of_the_mean():
    """s² / n, whatever the size of the corpora; only the noise of the draws comes on top."""
    x = np.random.default_rng(5).normal(size=30)
    values = np.stack([x, np.ones(30)], axis=1)[None]
    for size in (1, 10, 1000):
        found, means = means_of(values, 200, size)
        noise = found.scores.var(ddof=1) / 200
        assert means.covariance[0, 0] == pytest.approx(x.var(ddof=1) / 30 + noise, rel=1e-9)


def test_corpora_of_one_segment_have_the_mean_of_segment_scores():
    """With size 1 nothing is pooled, so the variance is that of segment scores over n."""
    values = ratio_counts(n=50)
    _, means = means_of(values, 100_000, 1)
    scores = ratio(values)
    assert means.mean == pytest.approx(scores.mean(axis=1), abs=4 * scores.std() / np.sqrt(100_000))
    expected = np.cov(scores) / 50
    assert means.covariance == pytest.approx(expected, abs=0.05 * expected[0, 0])


def test_the_variance_is_that_of_means_of_other_samples():
    """A bootstrap of the whole procedure: segments drawn anew, corpora drawn from those."""
    values = ratio_counts(n=80, seed=2)
    _, means = means_of(values, 4000, 40)
    rng = np.random.default_rng(9)
    outer = []
    for _ in range(1500):
        again = values[:, rng.integers(0, 80, 80)]
        weights = draw_corpora(200, 80, 40, rng)
        outer.append(ratio(np.einsum("bj,sjk->bsk", weights, again)).mean(axis=0))
    whole = np.cov(np.array(outer), rowvar=False)
    # What 200 inner draws add, and the 79/80 of a bootstrap variance.
    inner = (
        np.cov(ratio(np.einsum("bj,sjk->bsk", draw_corpora(4000, 80, 40, rng), values)), rowvar=False) / 200
    )
    assert means.covariance == pytest.approx((whole - inner) * 80 / 79, rel=0.15)


def test_the_aid_against_noise_changes_nothing_but_noise():
    """With and without it, over many seeds, the same variance; with it, hardly any spread."""
    values = ratio_counts(n=30, seed=4)
    aided = [means_of(values, 300, 200, seed)[1].covariance[0, 0] for seed in range(60)]
    plain = [
        means_of(values, 300, 200, seed, influence=np.zeros((2, 30)))[1].covariance[0, 0]
        for seed in range(60)
    ]
    assert np.mean(aided) == pytest.approx(np.mean(plain), abs=4 * np.std(plain) / np.sqrt(60))
    assert np.std(aided) < np.std(plain) / 5


def test_the_cut_into_portions_changes_nothing(monkeypatch):
    """The same draws and, but for the order of sums, the same numbers."""
    values = ratio_counts()
    whole, means = means_of(values, 101, 33)
    monkeypatch.setattr(kernel, "_PORTION_BYTES", 20_000)
    parts, again = means_of(values, 101, 33)
    assert (parts.scores == whole.scores).all()
    assert (parts.drawn == whole.drawn).all()
    assert again.covariance == pytest.approx(means.covariance, rel=1e-12)


def test_one_segment_or_one_corpus_has_no_variance():
    """Undefined is NaN."""
    _, one_segment = means_of(ratio_counts(n=1), 10, 5)
    _, one_corpus = means_of(ratio_counts(), 1, 5)
    assert np.isnan(one_segment.covariance).all()
    assert np.isnan(one_corpus.covariance).all()
    assert one_segment.mean == pytest.approx(ratio(ratio_counts(n=1)[:, 0]))


def test_a_corpus_without_a_score_leaves_no_mean():
    """0 / 0 is not 0."""
    values = np.array([[[1.0, 1.0], [0.0, 0.0]]])
    with np.errstate(invalid="ignore"):
        _, means = means_of(values, 50, 1, influence=np.zeros((1, 2)))
    assert np.isnan(means.mean[0])


def test_leaving_one_out_is_deleting_it():
    """Against the table without the segment; NaN where that has no score."""
    values = ratio_counts(n=12)
    found = leave_one_out_scores(values, formula=ratio)
    for i in range(12):
        assert found[:, i] == pytest.approx(ratio(np.delete(values, i, axis=1).sum(axis=1)), rel=1e-13)
    assert np.isnan(leave_one_out_scores(values[:, :1], formula=ratio)).all()
    empty = np.array([[[1.0, 2.0], [0.0, 0.0]]])
    assert leave_one_out_scores(empty, formula=ratio)[0].tolist() == pytest.approx([np.nan, 0.5], nan_ok=True)


def test_the_pull_of_a_segment_is_its_length_share_times_its_difference():
    """To first order, n w_i / w (r_i - r): equation 3 of the corpus-or-segment paper, differentiated."""
    values = ratio_counts(n=4000, seed=8)
    words = values[:, :, 1]
    share = words / words.sum(axis=1, keepdims=True)
    total = ratio(values.sum(axis=1))[:, None]
    assert pooled_influence(values, formula=ratio) == pytest.approx(
        4000 * share * (ratio(values) - total), abs=2e-3
    )
