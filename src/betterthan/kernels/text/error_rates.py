"""Rates of words or characters that were recognized wrongly: formulas on sums of edits, (…, 4) to (…).

The sums are hits H, substitutions S, deletions D and insertions I, in the order of
:data:`betterthan.kernels.text.alignments.EDITS`. References have H + S + D words, outputs H + S + I.
"""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray


def _parts(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    return sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3]


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Quotients; NaN where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))


def error_rate(sums: FloatArray) -> FloatArray:
    r"""Word or character error rate: edits for each word of the references.

    .. math:: \text{WER} = \frac{S + D + I}{H + S + D}

    Above 1 where there are more edits than words. NaN when the references have no words.

    Examples
    --------
    >>> float(error_rate(np.array([6.0, 1, 1, 2])))
    0.5
    """
    hits, substitutions, deletions, insertions = _parts(sums)
    return _ratio(substitutions + deletions + insertions, hits + substitutions + deletions)


def error_rate_of_one(sums: FloatArray) -> FloatArray:
    """Error rate of single segments: without words in the reference 1 where the output has some, otherwise 0.

    Examples
    --------
    >>> error_rate_of_one(np.array([[0.0, 0, 0, 3], [0, 0, 0, 0], [3, 1, 0, 0]])).tolist()
    [1.0, 0.0, 0.25]
    """
    rate, insertions = error_rate(sums), _parts(sums)[3]
    return np.asarray(np.where(np.isnan(rate), insertions > 0, rate), dtype=np.float64)


def match_error_rate(sums: FloatArray) -> FloatArray:
    r"""Match error rate [1]_: the share of aligned places that are wrong, from 0 to 1.

    .. math:: \text{MER} = \frac{S + D + I}{H + S + D + I}

    References
    ----------
    .. [1] Morris, Maier and Green (2004), From WER and RIL to MER and WIL: improved evaluation measures for connected
       speech recognition, ICSLP.

    Examples
    --------
    >>> float(match_error_rate(np.array([6.0, 1, 1, 2])))
    0.4
    """
    hits, substitutions, deletions, insertions = _parts(sums)
    edits = substitutions + deletions + insertions
    return _ratio(edits, hits + edits)


def match_error_rate_of_one(sums: FloatArray) -> FloatArray:
    """Match error rate of single segments: 0 where reference and output are both empty.

    Examples
    --------
    >>> match_error_rate_of_one(np.array([[0.0, 0, 0, 0], [3, 1, 0, 0]])).tolist()
    [0.0, 0.25]
    """
    return np.nan_to_num(match_error_rate(sums), nan=0.0)


def information_lost(sums: FloatArray) -> FloatArray:
    r"""Word information lost [1]_: 1 minus the share of hits in the references times that in the outputs.

    .. math:: \text{WIL} = 1 - \frac{H}{H + S + D} \cdot \frac{H}{H + S + I}

    1 when the outputs have no words; NaN when the references have none.

    References
    ----------
    .. [1] Morris, Maier and Green (2004), From WER and RIL to MER and WIL: improved evaluation measures for connected
       speech recognition, ICSLP.

    Examples
    --------
    >>> float(information_lost(np.array([6.0, 1, 1, 2]))), float(information_lost(np.array([0.0, 0, 4, 0])))
    (0.5, 1.0)
    """
    hits, substitutions, deletions, insertions = _parts(sums)
    produced = hits + substitutions + insertions
    in_outputs = np.where(produced > 0, hits / np.where(produced > 0, produced, 1.0), 0.0)
    return np.asarray(1 - _ratio(hits, hits + substitutions + deletions) * in_outputs)


def information_lost_of_one(sums: FloatArray) -> FloatArray:
    """Word information lost in single segments: without words in the reference 1 where the output has some.

    Examples
    --------
    >>> information_lost_of_one(np.array([[0.0, 0, 0, 3], [0, 0, 0, 0]])).tolist()
    [1.0, 0.0]
    """
    lost, insertions = information_lost(sums), _parts(sums)[3]
    return np.asarray(np.where(np.isnan(lost), insertions > 0, lost), dtype=np.float64)
