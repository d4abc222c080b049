"""How often swaps put one metric at least as far ahead as observed, by the functions that metric comparisons use."""

from __future__ import annotations

import numpy as np

from betterthan.kernels.metric_swaps import segments, segments_accuracy
from betterthan.kernels.metric_swaps.masks import leads_of_values
from betterthan.kernels.metric_swaps.means import VALUE_TOLERANCE, means_values
from betterthan.kernels.metric_swaps.soft import soft_values


def _tallied(observed, portions):
    zeros = np.zeros((observed.size, observed.size), dtype=np.int64)
    return sum((leads_of_values(values, observed, VALUE_TOLERANCE).tallies() for values in portions), zeros)


def swap_means(metrics, human_means, statistic, scheme, n_resamples, rng, *, n_segments=None):
    """Tallies (k, k) for a statistic of system means."""
    streams = [(n_resamples, rng)]
    return _tallied(*means_values(metrics, human_means, statistic, scheme, streams, n_segments=n_segments))


def swap_soft(metrics, human_p, scheme, n_resamples, rng, **options):
    """Tallies (k, k) for soft pairwise accuracy."""
    return _tallied(*soft_values(metrics, human_p, scheme, [(n_resamples, rng)], **options))


def swap_segments(*arguments):
    """Tallies (k, k) for coefficients within groups of cells."""
    return segments.segment_leads_block(*arguments).tallies()


def tallies_of_masks(*arguments, **options):
    """The same for given masks."""
    return segments.leads_of_masks(*arguments, **options).tallies()


def swap_pooled(*arguments):
    """Tallies (k, k) for a value of pooled counts."""
    return segments.pooled_leads_block(*arguments).tallies()


def pooled_tallies_of_masks(*arguments):
    """The same for given masks."""
    return segments.pooled_leads_of_masks(*arguments).tallies()


def swap_accuracy(*arguments, **options):
    """Tallies (k, k) for accuracy with ties."""
    return segments_accuracy.accuracy_leads_block(*arguments, **options).tallies()


def accuracy_tallies_of_masks(*arguments, **options):
    """The same for given masks."""
    return segments_accuracy.accuracy_leads_of_masks(*arguments, **options).tallies()
