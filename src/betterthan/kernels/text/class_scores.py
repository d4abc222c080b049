"""Scores of predicted classes as formulas on sums: (…, 3 K) to (…).

For each of K classes the sums are the items that were predicted rightly r, that were predicted p, and that belong to
it g: first r of all classes, then p, then g. Confusion matrices of K × K are not needed by any of these scores.

A class that is neither predicted nor in the gold labels has no score, and is left out of means over classes; with a
list of classes it counts as 0 instead. A class with either has precision 0 when it is never predicted, and recall 0
when the gold labels never have it. So scores equal scikit-learn's, with and without ``labels=``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from betterthan.arrays import FloatArray

Part = Literal["f1", "precision", "recall"]
Average = Literal["micro", "macro", "weighted"]


def _split(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    counts = np.asarray(sums, dtype=np.float64)
    n_classes = counts.shape[-1] // 3
    return counts[..., :n_classes], counts[..., n_classes : 2 * n_classes], counts[..., 2 * n_classes :]


def _ratio(part: FloatArray, whole: FloatArray, *, otherwise: float = np.nan) -> FloatArray:
    return np.asarray(np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), otherwise))


def _of_class(right: FloatArray, predicted: FloatArray, gold: FloatArray, part: Part) -> FloatArray:
    if part == "precision":
        return _ratio(right, predicted)
    if part == "recall":
        return _ratio(right, gold)
    return _ratio(2 * right, predicted + gold)


def class_accuracy(sums: FloatArray) -> FloatArray:
    """Share of the items whose class was predicted; NaN without items.

    Examples
    --------
    >>> float(class_accuracy(np.array([3.0, 4, 4])))
    0.75
    """
    right, _, gold = _split(sums)
    return _ratio(right.sum(axis=-1), gold.sum(axis=-1))


def pooled_classes(sums: FloatArray, *, part: Part) -> FloatArray:
    r"""F1, precision or recall of one class, or of several whose counts are added up (micro average).

    .. math:: F_1 = \frac{2 \sum_c r_c}{\sum_c p_c + \sum_c g_c}, \qquad P = \frac{\sum_c r_c}{\sum_c p_c}, \qquad
              R = \frac{\sum_c r_c}{\sum_c g_c}

    NaN when there is nothing to divide by: precision of a class that is never predicted.

    Examples
    --------
    >>> float(pooled_classes(np.array([2.0, 3, 5]), part="f1")), float(pooled_classes(np.array([0.0, 0, 5]), part="f1"))
    (0.5, 0.0)
    """
    right, predicted, gold = (each.sum(axis=-1) for each in _split(sums))
    return _of_class(right, predicted, gold, part)


def mean_of_classes(
    sums: FloatArray, *, part: Part, average: Average = "macro", is_listed: bool = False
) -> FloatArray:
    r"""Mean over classes of F1, precision or recall: each class alike, or weighted by its gold items.

    .. math:: \text{macro-}F_1 = \frac1{|C|} \sum_{c \in C} \frac{2 r_c}{p_c + g_c}, \qquad C = \{c : p_c + g_c > 0\}

    Parameters
    ----------
    sums : array, shape (…, 3 K)
    part : {"f1", "precision", "recall"}
    average : {"macro", "weighted"}
    is_listed : bool, default False
        Whether all K classes count, those without a gold label and a prediction as 0.

    Examples
    --------
    >>> sums = np.array([2.0, 0, 0, 3, 0, 0, 5, 1, 0])
    >>> float(mean_of_classes(sums, part="f1")), float(mean_of_classes(sums, part="f1", is_listed=True))
    (0.25, 0.16666666666666666)
    """
    right, predicted, gold = _split(sums)
    scores = np.nan_to_num(_of_class(right, predicted, gold, part), nan=0.0)
    if average == "weighted":
        return _ratio((scores * gold).sum(axis=-1), gold.sum(axis=-1))
    n_classes = np.full(scores.shape[:-1], float(scores.shape[-1]))
    if not is_listed:
        n_classes = (predicted + gold > 0).sum(axis=-1).astype(np.float64)
    return _ratio(scores.sum(axis=-1), n_classes)


def balanced_accuracy(sums: FloatArray) -> FloatArray:
    r"""Mean recall of the classes that the gold labels have.

    .. math:: \frac1{|G|} \sum_{c \in G} \frac{r_c}{g_c}, \qquad G = \{c : g_c > 0\}

    Examples
    --------
    >>> float(balanced_accuracy(np.array([3.0, 1, 5, 1, 4, 2])))
    0.625
    """
    right, _, gold = _split(sums)
    return _ratio(_ratio(right, gold, otherwise=0.0).sum(axis=-1), (gold > 0).sum(axis=-1).astype(np.float64))


def multiclass_matthews(sums: FloatArray) -> FloatArray:
    r"""Matthews' correlation coefficient of K classes [1]_, with n items.

    .. math:: \frac{n \sum_c r_c - \sum_c p_c g_c}{\sqrt{(n^2 - \sum_c p_c^2)(n^2 - \sum_c g_c^2)}}

    0 when all gold labels or all predictions are of one class, as in scikit-learn: a constant carries no information.
    NaN without items.

    References
    ----------
    .. [1] Gorodkin (2004), Comparing two K-category assignments by a K-category correlation coefficient,
       Computational Biology and Chemistry 28.

    Examples
    --------
    >>> round(float(multiclass_matthews(np.array([3.0, 4, 4, 6, 5, 5]))), 4)
    0.4082
    """
    right, predicted, gold = _split(sums)
    n = gold.sum(axis=-1)
    covariance = n * right.sum(axis=-1) - (predicted * gold).sum(axis=-1)
    spread = (n**2 - (predicted**2).sum(axis=-1)) * (n**2 - (gold**2).sum(axis=-1))
    value = covariance / np.sqrt(np.where(spread > 0, spread, 1.0))
    return np.asarray(np.where(spread > 0, value, np.where(n > 0, 0.0, np.nan)))


def cohen_kappa(sums: FloatArray) -> FloatArray:
    r"""Cohen's kappa of gold labels and predictions: agreement beyond that of independent labels.

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}, \qquad p_o = \frac1n \sum_c r_c, \qquad
              p_e = \frac1{n^2} \sum_c p_c g_c

    NaN when both are one and the same class throughout.

    References
    ----------
    .. [1] Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20.

    Examples
    --------
    >>> round(float(cohen_kappa(np.array([3.0, 4, 4, 6, 5, 5]))), 4)
    0.4
    """
    right, predicted, gold = _split(sums)
    n = gold.sum(axis=-1)
    by_chance = (predicted * gold).sum(axis=-1)
    return _ratio(n * right.sum(axis=-1) - by_chance, n**2 - by_chance)


def all_right(counts: FloatArray) -> FloatArray:
    """Score of single items: 1 where gold label and prediction agree about all of these classes, otherwise 0.

    Examples
    --------
    >>> all_right(np.array([[1.0, 1, 1], [0, 1, 0], [0, 0, 0]])).tolist()
    [1.0, 0.0, 1.0]
    """
    right, predicted, gold = _split(counts)
    return np.asarray(((right == predicted) & (right == gold)).all(axis=-1), dtype=np.float64)


CLASS_FORMULAS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "accuracy": class_accuracy,
    "balanced-accuracy": balanced_accuracy,
    "kappa": cohen_kappa,
    "mcc": multiclass_matthews,
    **{part: partial(pooled_classes, part=part) for part in ("f1", "precision", "recall")},
}
"""Formulas by the name of the metric; means over classes take options."""
