"""BLEU, chrF and TER as formulas on summed statistics: (…, k) to (…), on the scale 0 to 100.

The formulas are those of sacreBLEU, operation for operation, so that scores agree to the last digits. They are
applied to the sums of a test set, to single segments, or to thousands of resampled sums at once. Fractional sums
are as good as whole ones. NaN in a sum gives NaN.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError, unknown_name
from betterthan.messages import Message, Option

Smoothing = Literal["exp", "floor", "add-k", "none"]
SMOOTHINGS: tuple[Smoothing, ...] = get_args(Smoothing)
SMOOTHING_VALUES = {"floor": 0.1, "add-k": 1.0}  # Chen and Cherry (2014), methods 1 and 2

NO_MATCH = -9999999999.0  # sacreBLEU's logarithm of 0: its exponential is 0, and no sum of it is infinite
TINY = 1e-16  # chrF++.py's precision of nothing


def bleu_score(
    sums: FloatArray,
    *,
    smoothing: Smoothing = "exp",
    smoothing_value: float | None = None,
    effective_order: bool = False,
) -> FloatArray:
    r"""BLEU of summed statistics.

    The geometric mean of the n-gram precisions, lowered for outputs shorter than the references:

    .. math:: 100 \cdot \min(1, e^{1 - r/c}) \cdot \Big(\prod_{n=1}^{N} \frac{m_n}{t_n}\Big)^{1/N}

    Parameters
    ----------
    sums : array_like of float, shape (…, 2 + 2 N)
        Length of the outputs c, length of the references r, matches m of order 1 to N, n-grams t of order 1 to N.
    smoothing : {"exp", "floor", "add-k", "none"}, default "exp"
        What replaces a precision of 0, while some order has matches: the first by 1/2 of an n-gram, the next by
        1/4, … ("exp", as mteval-v13a does); by `smoothing_value` of an n-gram ("floor"); nothing ("none").
        "add-k" adds `smoothing_value` to the counts of orders from 2 on.
    smoothing_value : float, optional
        0.1 for "floor", 1 for "add-k", as in [2]_.
    effective_order : bool, default False
        Leave out the orders of which the outputs have no n-gram, as is usual for single sentences.

    Returns
    -------
    ndarray of float, shape (…)
        From 0 to 100; 0 when nothing matches.

    References
    ----------
    .. [1] Papineni, Roukos, Ward and Zhu (2002), BLEU: a method for automatic evaluation of machine translation.
    .. [2] Chen and Cherry (2014), A systematic comparison of smoothing techniques for sentence-level BLEU.
    .. [3] Post (2018), A call for clarity in reporting BLEU scores.

    Examples
    --------
    Five words, six in the reference; 4, 3, 2 and 1 matches of 5, 4, 3 and 2 n-grams.

    >>> bleu_score(np.array([5, 6, 4, 3, 2, 1, 5, 4, 3, 2])).round(2)
    np.float64(54.75)
    """
    counts = np.asarray(sums, dtype=np.float64)
    value = smoothing_constant(smoothing, smoothing_value)
    n_orders = (counts.shape[-1] - 2) // 2
    length, reference_length = counts[..., 0], counts[..., 1]
    matches, totals = counts[..., 2 : 2 + n_orders], counts[..., 2 + n_orders :]
    logarithms, halvings = np.zeros(length.shape), np.ones(length.shape)
    has_ngrams = np.ones(length.shape, dtype=bool)
    n_effective = np.zeros(length.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        for n in range(n_orders):
            added = value if smoothing == "add-k" and n else 0.0
            match, total = matches[..., n] + added, totals[..., n] + added
            has_ngrams = has_ngrams & (total != 0)  # where there are none, there are no longer ones
            halvings = np.where(match == 0, 2.0 * halvings, halvings)
            some = {"exp": 100.0 / (halvings * total), "floor": 100.0 * value / total}.get(smoothing, 0.0)
            precision = np.where(has_ngrams, np.where(match == 0, some, 100.0 * match / total), 0.0)
            logarithm = np.where(precision == 0, NO_MATCH, np.log(precision))
            logarithms = logarithms + np.where(has_ngrams | (not effective_order), logarithm, 0.0)
            n_effective = n_effective + (has_ngrams | (not effective_order))
        shortness = np.where(length < reference_length, 1.0 - reference_length / length, 0.0)
        score = np.exp(shortness) * np.exp(logarithms / n_effective)
    score = np.where((matches != 0).any(axis=-1), score, 0.0)
    return _unknown_where_unknown(score, counts)


def smoothing_constant(smoothing: Smoothing, value: float | None = None) -> float:
    """Return the number that a smoothing of BLEU uses, or its default; 0 where it uses none.

    Examples
    --------
    >>> smoothing_constant("floor"), smoothing_constant("add-k", 0.5), smoothing_constant("exp")
    (0.1, 0.5, 0.0)
    """
    if smoothing not in SMOOTHINGS:
        raise unknown_name("smoothing", smoothing, SMOOTHINGS)
    default = SMOOTHING_VALUES.get(smoothing)
    if value is None or default is None:
        if value is not None:
            raise BetterThanError(
                Message(
                    "{given} does not use {value}. Leave it out, or use {floor} or {add_k}.",
                    given=Option("smoothing", smoothing),
                    value=Option("smoothing_value", value),
                    floor=Option("smoothing", "floor"),
                    add_k=Option("smoothing", "add-k"),
                )
            )
        return default or 0.0
    if not 0 < value < np.inf:
        raise BetterThanError(f"smoothing_value must be a positive number, not {value}.")
    return float(value)


def chrf_score(sums: FloatArray, *, beta: float = 2, eps_smoothing: bool = False) -> FloatArray:
    r"""Character F-score (chrF) of summed statistics; recall counts β² times as much as precision.

    .. math:: 100 \cdot \frac{(1 + \beta^2)\, P R}{\beta^2 P + R},\qquad
              P = \frac1N \sum_n \frac{m_n}{h_n},\quad R = \frac1N \sum_n \frac{m_n}{r_n}

    Parameters
    ----------
    sums : array_like of float, shape (…, 3 N)
        For each order in turn: n-grams h of the outputs, r of the references, and matches m.
    beta : float, default 2
    eps_smoothing : bool, default False
        False averages precision and recall over the orders that both sides have, then takes the F-score. True
        averages the F-scores of all orders, with 1e-16 for nothing, as chrF++.py, NLTK and Moses do.

    Returns
    -------
    ndarray of float, shape (…)
        From 0 to 100.

    References
    ----------
    .. [1] Popović (2015), chrF: character n-gram F-score for automatic MT evaluation.
    .. [2] Popović (2017), chrF++: words helping character n-grams.

    Examples
    --------
    >>> chrf_score(np.array([3, 4, 2, 2, 3, 1])).round(2)
    np.float64(44.19)
    """
    counts = np.asarray(sums, dtype=np.float64)
    n_orders = counts.shape[-1] // 3
    factor = beta**2
    shape = counts.shape[:-1]
    f_scores, precisions, recalls, n_effective = (np.zeros(shape) for _ in range(4))
    with np.errstate(divide="ignore", invalid="ignore"):
        for n in range(n_orders):
            ours, theirs, match = (counts[..., 3 * n + i] for i in range(3))
            precision = np.where(ours > 0, match / ours, TINY)
            recall = np.where(theirs > 0, match / theirs, TINY)
            weighed = factor * precision + recall
            f_scores = f_scores + np.where(weighed > 0, (1 + factor) * precision * recall / weighed, TINY)
            is_counted = (ours > 0) & (theirs > 0)
            precisions = precisions + np.where(is_counted, precision, 0.0)
            recalls = recalls + np.where(is_counted, recall, 0.0)
            n_effective = n_effective + is_counted
        if eps_smoothing:
            return _unknown_where_unknown(100.0 * f_scores / n_orders, counts)
        precisions, recalls = precisions / n_effective, recalls / n_effective
        score = 100.0 * ((1 + factor) * precisions * recalls / (factor * precisions + recalls))
    return _unknown_where_unknown(np.where(np.isnan(score), 0.0, score), counts)


def ter_score(sums: FloatArray) -> FloatArray:
    r"""TER of summed statistics: edits per word of the reference; lower is better.

    .. math:: 100 \cdot \frac{\text{edits}}{\text{reference length}}

    Where the references are empty it is 100 if there are edits, and 0 if there are none, as in sacreBLEU.

    Parameters
    ----------
    sums : array_like of float, shape (…, 2)
        Edits, and length of the references (their mean, when there are several).

    Returns
    -------
    ndarray of float, shape (…)

    References
    ----------
    .. [1] Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A study of translation edit rate.

    Examples
    --------
    >>> ter_score(np.array([[3, 12], [2, 0], [0, 0]]))
    array([ 25., 100.,   0.])
    """
    counts = np.asarray(sums, dtype=np.float64)
    edits, length = counts[..., 0], counts[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        score = 100.0 * np.where(length > 0, edits / length, np.where(edits > 0, 1.0, 0.0))
    return _unknown_where_unknown(score, counts)


def _unknown_where_unknown(score: FloatArray, counts: FloatArray) -> FloatArray:
    known: FloatArray = np.where(np.isnan(counts).any(axis=-1), np.nan, score)[()]
    return known
